internal import WardCBOR

/// How much of its room on a server a vault uses.
package struct ServerRoom: Hashable, Sendable {
    /// From here on the person is told, in percent.
    private static let warning = 80

    /// How much is used, in percent, of the limit that is nearest: bytes or entries, of the vault or of this device's part.
    package let percent: Int

    /// Reads pairs of numbers: what is used, and the most.
    ///
    /// They come from outside. A pair that makes no sense is skipped.
    ///
    /// - Returns: `nil` if no pair makes sense.
    package init?(_ numbers: [UInt64]) {
        let parts = stride(from: 0, to: numbers.count - 1, by: 2).compactMap { index -> Int? in
            let (used, most) = (numbers[index], numbers[index + 1])
            guard most > 0 else { return nil }
            // Operations on the circle may go beyond what there is.
            return Int(most.dividingFullWidth(min(used, most).multipliedFullWidth(by: 100)).quotient)
        }
        guard let fullest = parts.max() else { return nil }
        percent = fullest
    }

    /// Reads the answer to a session: the fields 3 to 6 are of the vault, and 7 to 10 of this device's part.
    init?(_ answer: CBORValue) {
        var numbers: [UInt64] = []
        for field in 3...10 {
            guard case .unsigned(let number) = answer[field] else { break }
            numbers.append(number)
        }
        self.init(numbers)
    }

    /// How much is used, in percent, if little is left.
    package var almostFull: Int? { percent >= Self.warning ? percent : nil }
}
