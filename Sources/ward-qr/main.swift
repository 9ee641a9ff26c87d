// Reads the QR codes of a picture. `ward` runs this helper, so that the process with the keys does not decode pictures.
//
//     ward-qr < picture.png
//
// For each code it prints a line of JSON, {"text": "…"}, and exits with 0. For an error it prints one line {"error": "…",
// "code": "no_code"} and exits with 1. It has no arguments, reads no file, and may be killed at any time.

import FoundationEssentials
import Glibc
import WardQR

struct Line: Encodable {
    var text: String?
    var error: String?
    var code: String?
}

/// One byte more than allowed is read, to detect that the picture is too large.
func readPicture() -> [UInt8] {
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 65_536)
    while bytes.count <= QRImage.maximumFileSize {
        let count = unsafe read(STDIN_FILENO, &piece, piece.count)
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { break }
        bytes += piece.prefix(count)
    }
    return bytes
}

func write(_ line: Line) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    var rest = [UInt8](try encoder.encode(line)) + [0x0a]
    while !rest.isEmpty {
        let count = unsafe Glibc.write(STDOUT_FILENO, rest, rest.count)
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { exit(1) }
        rest.removeFirst(count)
    }
}

// A picture of a QR code with a secret is itself a secret.
Confinement.hideMemory()
let picture = readPicture()
Confinement.begin()
do throws(QRError) {
    for text in try QRImage.texts(in: picture) { try? write(Line(text: text)) }
} catch {
    try? write(Line(error: error.detail, code: error.code.name))
    exit(1)
}
