import WardQRCode
import WardText

/// A QR code for a page.
struct QRCode: Sendable {
    /// The number of squares of a side, without a margin: 21 to 177.
    let size: Int
    /// The dark squares as the data of an SVG path, in which a square is 1 by 1.
    let path: String

    /// Draws a text, or returns `nil` if it is too long for a QR code (more than about 2,300 bytes).
    init?(_ text: String) {
        guard let squares = QRSquares(text) else { return nil }
        size = squares.size
        // The rows of neighbouring dark squares are one rectangle each.
        var path = ""
        for row in 0..<size {
            var column = 0
            while column < size {
                let start = column
                while squares.isDark(row: row, column: column) { column += 1 }
                if column > start { path += "M\(start) \(row)h\(column - start)v1h-\(column - start)z" }
                if column == start { column += 1 }
            }
        }
        self.path = path
    }

    /// The code as JSON.
    var json: JSONValue { ["size": .integer(Int64(size)), "path": .string(path)] }
}
