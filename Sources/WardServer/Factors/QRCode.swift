import CQREncode
import WardText

/// A QR code, drawn by libqrencode.
struct QRCode: Sendable {
    /// The number of squares of a side, without a margin: 21 to 177.
    let size: Int
    /// The dark squares as the data of an SVG path, in which a square is 1 by 1.
    let path: String

    /// Draws a text, or returns `nil` if it is too long for a QR code (more than about 2,300 bytes).
    init?(_ text: String) {
        guard !text.isEmpty, !text.utf8.contains(0),
            let code = unsafe QRcode_encodeString8bit(text, 0, QR_ECLEVEL_M)
        else { return nil }
        defer { unsafe QRcode_free(code) }
        let size = unsafe Int(code.pointee.width)
        guard size > 0, let data = unsafe code.pointee.data else { return nil }
        let dark = (0..<(size * size)).map { unsafe data[$0] & 1 == 1 }
        // The rows of neighbouring dark squares are one rectangle each.
        var path = ""
        for row in 0..<size {
            var column = 0
            while column < size {
                let start = column
                while column < size, dark[row * size + column] { column += 1 }
                if column > start { path += "M\(start) \(row)h\(column - start)v1h-\(column - start)z" }
                if column == start { column += 1 }
            }
        }
        (self.size, self.path) = (size, path)
    }

    /// The code as JSON.
    var json: JSONValue { ["size": .integer(Int64(size)), "path": .string(path)] }
}
