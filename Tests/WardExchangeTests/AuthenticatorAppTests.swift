import Testing
import WardExchange
import WardVault

struct AuthenticatorAppTests {
    @Test(arguments: [
        ("aegis.json", "aegis", "codes.contents.json"),
        ("aegis-encrypted.json", "aegis", "codes.contents.json"),
        ("2fas.json", "2fas", "codes.contents.json"),
        ("2fas-encrypted.json", "2fas", "codes.contents.json"),
        ("otpauth.txt", "otpauth", "otpauth.contents.json"),
    ])
    func `What a Python program wrote is what arrives`(name: String, format: String, contents: String) throws {
        let (found, file) = try ExportFile(name).read(passphrase: "correct horse")
        #expect(found == format)
        let expected = try ExportFile.contents(contents)
        #expect(try file.items.prefix(expected.count).map { try ListedItem($0) } == expected)
        let second = try #require(file.items[1].codes.first)
        #expect(second.algorithm == .sha256 && second.digits == 8)
        // A transfer between phones has no periods.
        #expect(second.period == (format == "otpauth" ? 30 : 60))
        #expect(file.items.flatMap(\.codes).contains { $0.kind == .hotp(counter: 41) })
    }

    @Test(arguments: ["aegis.json", "aegis-encrypted.json"])
    func `A code that Ward cannot make is kept as a field and named`(name: String) throws {
        let file = try ExportFile(name).read(passphrase: "correct horse").file
        #expect(file.items.count == 6)
        #expect(file.items[5].fields.map(\.value.text) == ["AAAAAAAA"])
        #expect(file.notices.map(\.place) == ["Mobile"])
        #expect(file.items[0].tags == ["Private"])
        #expect(file.items[0].isFavorite)
    }

    @Test(arguments: ["aegis-encrypted.json", "2fas-encrypted.json"])
    func `An encrypted file asks for its passphrase and refuses another`(name: String) throws {
        let file = try ExportFile(name)
        #expect(throws: ImportError(.passphraseNeeded)) { try file.read() }
        #expect(throws: ImportError(.wrongPassphrase)) { try file.read(passphrase: "correct Horse") }
    }

    @Test func `A file that asks for too much memory is refused by the limit's name`() throws {
        var file = try ExportFile("aegis-encrypted.json")
        let text = String(decoding: file.bytes, as: UTF8.self)
        file.bytes = Array(text.replacing("\"n\": 1024", with: "\"n\": 16777216").utf8)
        let error = #expect(throws: ImportError.self) { try file.read(passphrase: "correct horse") }
        #expect(error?.code == .tooLarge)
        #expect(error?.detail.contains("scrypt") == true)
    }

    @Test func `A transfer with a missing part says so`() throws {
        var file = try ExportFile("otpauth.txt")
        file.bytes = Array(file.bytes[..<(try #require(file.bytes.firstIndex(of: 0x0d)))])
        let contents = try file.read().file
        #expect(contents.items.count == 2)
        #expect(contents.notices.map(\.text) == ["the transfer has 2 QR codes, and 1 are in the file"])
    }

    @Test(arguments: ["aegis.json", "aegis-encrypted.json", "2fas.json", "2fas-encrypted.json"])
    func `A file that is cut off brings nothing`(name: String) throws {
        var file = try ExportFile(name)
        let whole = file.bytes
        for end in stride(from: 0, to: whole.count - 2, by: 131) {
            file.bytes = Array(whole[..<end])
            #expect(throws: ImportError.self) { try file.read(passphrase: "correct horse") }
        }
    }
}
