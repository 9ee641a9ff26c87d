/// Codes as people type them.
enum TypedCode {
    /// The digits of a code as ASCII, or `nil` if the text has another number of digits or anything else.
    ///
    /// Spaces and hyphens between digits do not matter, and full-width digits count as digits.
    static func digits(_ typed: String, count: Int) -> [UInt8]? {
        var digits: [UInt8] = []
        guard typed.utf8.count <= 64 else { return nil }
        for scalar in typed.unicodeScalars {
            if scalar.properties.isWhitespace || scalar == "-" { continue }
            guard scalar.properties.generalCategory == .decimalNumber, let value = scalar.properties.numericValue,
                (0...9).contains(value)
            else { return nil }
            digits.append(UInt8(ascii: "0") + UInt8(value))
        }
        return digits.count == count ? digits : nil
    }
}
