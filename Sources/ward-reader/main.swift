// Reads what strangers made: pictures, and the pages of sites. `ward` runs this helper, so that the process with the keys has no
// decoder of them.
//
//     ward-reader < picture.png          the QR codes of a picture: for each a line {"text": "…"}
//     ward-reader page < page.html       what a page says of its site's name and icons: a line of JSON
//     ward-reader icon < favicon.ico     a site's icon as a small PNG file: a line {"icon": "…"} with base64
//
// It exits with 0. For an error it prints one line {"error": "…", "code": "no_code"} and exits with 1. It reads no file, and may
// be killed at any time.

import FoundationEssentials
import Glibc
import WardReader

struct Line: Encodable {
    var text: String?
    var error: String?
    var code: String?
    var icon: Data?
}

/// One byte more than allowed is read, to detect that the input is too large.
func readInput(_ limit: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 65_536)
    while bytes.count <= limit {
        let count = unsafe read(STDIN_FILENO, &piece, piece.count)
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { break }
        bytes += piece.prefix(count)
    }
    return bytes
}

func write(_ line: some Encodable) throws {
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
switch CommandLine.arguments.dropFirst().first {
case "page":
    let page = readInput(SitePage.maximumSize)
    Confinement.begin()
    try? write(SitePage(page))
case "icon":
    let file = readInput(SiteIcon.maximumFileSize)
    Confinement.begin()
    guard let icon = SiteIcon.png(from: file) else {
        try? write(Line(error: "this is not a PNG, JPEG, WebP, GIF or ICO picture of a usual size", code: "no_icon"))
        exit(1)
    }
    try? write(Line(icon: Data(icon)))
default:
    let picture = readInput(QRImage.maximumFileSize)
    Confinement.begin()
    do throws(QRError) {
        for text in try QRImage.texts(in: picture) { try? write(Line(text: text)) }
    } catch {
        try? write(Line(error: error.detail, code: error.code.name))
        exit(1)
    }
}
