import Foundation
import Testing
import WardReader

@Suite(.enabled(if: QREncode.isInstalled, "qrencode is not installed"))
struct `QR codes in pictures` {
    private let secret = "otpauth://totp/Example:ada%40example.com?secret=JBSWY3DPEHPK3PXP&issuer=Example"

    @Test(arguments: Canvas.Format.allCases)
    func `a code is read from every format`(format: Canvas.Format) throws {
        let canvas = Canvas(width: 500, height: 500)
        canvas.paste(try QREncode.png(secret), x: 40, y: 40)
        #expect(try QRImage.texts(in: canvas.bytes(format)) == [secret])
    }

    @Test func `what qrencode writes is read as it is`() throws {
        #expect(try QRImage.texts(in: try QREncode.png(secret)) == [secret])
    }

    @Test func `several codes come from the top to the bottom, each once`() throws {
        let canvas = Canvas(width: 1_000, height: 1_000, background: (240, 240, 240))
        canvas.paste(try QREncode.png("fourth"), x: 600, y: 700)
        canvas.paste(try QREncode.png("second"), x: 600, y: 30)
        canvas.paste(try QREncode.png("first"), x: 30, y: 36)
        canvas.paste(try QREncode.png("third"), x: 30, y: 380)
        canvas.paste(try QREncode.png("first"), x: 30, y: 700)
        #expect(try QRImage.texts(in: canvas.bytes(.png)) == ["first", "second", "third", "fourth"])
    }

    @Test func `characters beyond ASCII come back as they were`() throws {
        let text = "otpauth://totp/Zürich:Ada Løvelace 🔑?secret=JBSWY3DPEHPK3PXP"
        #expect(try QRImage.texts(in: try QREncode.png(text)) == [text])
    }

    @Test func `a dark theme turns the code over, and it is read all the same`() throws {
        let canvas = Canvas(width: 500, height: 500)
        canvas.paste(try QREncode.png(secret), x: 40, y: 40)
        canvas.invert()
        #expect(try QRImage.texts(in: canvas.bytes(.png)) == [secret])
    }

    @Test func `what is transparent counts as white`() throws {
        let canvas = Canvas(width: 500, height: 500)
        canvas.paste(try QREncode.png(secret), x: 40, y: 40)
        canvas.clearBackground()
        #expect(try QRImage.texts(in: canvas.bytes(.png)) == [secret])
    }

    @Test func `a picture cut off anywhere is refused or says nothing wrong`() throws {
        let whole = try QREncode.png(secret)
        for count in stride(from: 0, to: whole.count, by: 23) {
            let error = #expect(throws: QRError.self) { try QRImage.texts(in: Array(whole.prefix(count))) }
            #expect(error.map { [.unknownFormat, .damaged, .noCode].contains($0.code) } == true)
        }
    }

    @Test(arguments: Canvas.Format.allCases)
    func `no change of single bytes brings the reader down`(format: Canvas.Format) throws {
        let canvas = Canvas(width: 220, height: 220)
        canvas.paste(try QREncode.png("ward", "-s", "4"), x: 10, y: 10)
        let whole = canvas.bytes(format)
        for index in stride(from: 0, to: whole.count, by: max(1, whole.count / 60)) {
            var spoiled = whole
            spoiled[index] ^= 0xff
            do { _ = try QRImage.texts(in: spoiled) } catch { #expect(!error.detail.isEmpty) }
        }
    }
}

@Suite struct `Pictures that are of no use` {
    private struct Case: CustomTestStringConvertible {
        let testDescription: String
        let bytes: [UInt8]
        let code: QRError.Code
    }

    private static let cases: [Case] = [
        Case(testDescription: "nothing", bytes: [], code: .unknownFormat),
        Case(testDescription: "text", bytes: Array("otpauth://totp/a?secret=b".utf8), code: .unknownFormat),
        Case(testDescription: "a PDF", bytes: Array("%PDF-1.7\n".utf8), code: .unknownFormat),
        Case(testDescription: "a PNG signature alone", bytes: png(nil), code: .damaged),
        Case(testDescription: "a PNG of 65,535 x 65,535", bytes: png((65_535, 65_535)), code: .tooManyPixels),
        Case(testDescription: "a PNG of 2^32 - 1", bytes: png((0xffff_ffff, 0xffff_ffff)), code: .tooManyPixels),
        Case(testDescription: "a PNG of no pixels", bytes: png((0, 12)), code: .tooManyPixels),
        Case(testDescription: "a PNG without its pixels", bytes: png((100, 100)), code: .damaged),
        Case(
            testDescription: "a GIF of 65,535 x 65,535",
            bytes: Array("GIF89a".utf8) + [0xff, 0xff, 0xff, 0xff, 0, 0, 0],
            code: .tooManyPixels
        ),
        Case(
            testDescription: "a JPEG of 65,535 x 65,535",
            bytes: [0xff, 0xd8, 0xff, 0xc0, 0, 17, 8, 0xff, 0xff, 0xff, 0xff, 3],
            code: .tooManyPixels
        ),
        Case(testDescription: "a JPEG without a frame", bytes: [0xff, 0xd8, 0xff, 0xda, 0, 2], code: .damaged),
        Case(
            testDescription: "a JPEG whose segment says it is empty",
            bytes: [0xff, 0xd8, 0xff, 0xe0, 0, 0, 0, 0],
            code: .damaged
        ),
        Case(
            testDescription: "a WebP of 16,777,216 x 16,777,216",
            bytes: Array("RIFF".utf8) + [0, 0, 0, 0] + Array("WEBPVP8X".utf8) + [10, 0, 0, 0, 0, 0, 0, 0]
                + [0xff, 0xff, 0xff, 0xff, 0xff, 0xff],
            code: .tooManyPixels
        ),
        Case(testDescription: "an empty page", bytes: Canvas(width: 64, height: 64).bytes(.png), code: .noCode),
    ]

    private static func png(_ size: (UInt32, UInt32)?) -> [UInt8] {
        var bytes: [UInt8] = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]
        guard let size else { return bytes }
        bytes += [0, 0, 0, 13] + Array("IHDR".utf8)
        for number in [size.0, size.1] { bytes += [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) } }
        return bytes + [8, 2, 0, 0, 0, 0, 0, 0, 0]
    }

    @Test(arguments: cases)
    private func `each is refused with its own name and with what to do`(example: Case) throws {
        let error = #expect(throws: QRError.self) { try QRImage.texts(in: example.bytes) }
        #expect(error?.code == example.code)
        #expect(error?.description.contains(where: { ";:".contains($0) }) == true || example.code == .noCode)
    }

    @Test func `more than 32 MiB are not looked at`() throws {
        let bytes = [UInt8](repeating: 0, count: QRImage.maximumFileSize + 1)
        #expect(#expect(throws: QRError.self) { try QRImage.texts(in: bytes) }?.code == .fileTooLarge)
    }
}
