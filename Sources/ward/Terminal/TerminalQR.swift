import Foundation
import WardQRCode

/// A QR code in a terminal: each character shows two squares, one above the other.
enum TerminalQR {
    /// The light squares around a code, without which cameras do not find it.
    private static let margin = 2

    /// Shows a text as a QR code on standard error, if the terminal is one that can show it.
    ///
    /// - Parameter text: The text.
    /// - Returns: Whether it was shown.
    @discardableResult
    static func show(_ text: String) -> Bool {
        let paint = Paint(isOn: Paint.isWantedOnError)
        guard paint.isOn, let squares = QRSquares(text, correction: .low),
            squares.size + 2 * margin <= Terminal.width(of: STDERR_FILENO)
        else { return false }
        Terminal.note(lines(squares).map(paint.onPaper).joined(separator: "\n"))
        return true
    }

    /// The characters for dark squares on a light ground.
    static func lines(_ squares: QRSquares) -> [String] {
        let end = squares.size + margin
        return stride(from: -margin, to: end, by: 2).map { row in
            String(
                (-margin..<end).map { column -> Character in
                    switch (squares.isDark(row: row, column: column), squares.isDark(row: row + 1, column: column)) {
                    case (true, true): "█"
                    case (true, false): "▀"
                    case (false, true): "▄"
                    case (false, false): " "
                    }
                }
            )
        }
    }
}
