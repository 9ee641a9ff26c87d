internal import CQREncode

/// The squares of a QR code, made by libqrencode.
package struct QRSquares: Hashable, Sendable {
    /// How much of a code may be unreadable.
    package enum Correction: Sendable {
        /// About 7 %: the smallest code, for screens.
        case low
        /// About 15 %.
        case medium
    }

    /// The number of squares of a side, without a margin: 21 to 177.
    package let size: Int
    private let dark: [Bool]

    /// Encodes a text, or returns `nil` if it is too long for a QR code (more than about 2,300 bytes).
    package init?(_ text: String, correction: Correction = .medium) {
        guard !text.isEmpty, !text.utf8.contains(0),
            let code = unsafe QRcode_encodeString8bit(text, 0, correction == .low ? QR_ECLEVEL_L : QR_ECLEVEL_M)
        else { return nil }
        defer { unsafe QRcode_free(code) }
        let size = unsafe Int(code.pointee.width)
        guard size > 0, let data = unsafe code.pointee.data else { return nil }
        self.size = size
        dark = (0..<(size * size)).map { unsafe data[$0] & 1 == 1 }
    }

    /// Whether a square is dark; squares beside the code are not.
    package func isDark(row: Int, column: Int) -> Bool {
        let sides = 0..<size
        return sides.contains(row) && sides.contains(column) && dark[row * size + column]
    }
}
