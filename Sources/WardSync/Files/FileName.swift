/// The name of a file as the system has it: any bytes but zero and the slash.
struct FileName: Hashable, Sendable, Comparable {
    let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    init(_ text: String) { bytes = Array(text.utf8) }

    /// The name for a call of the system, with a zero at its end.
    var cString: [CChar] { bytes.map { CChar(truncatingIfNeeded: $0) } + [0] }

    /// The name for people.
    var text: String { String(decoding: bytes, as: UTF8.self).printable }

    /// Whether the name begins with a dot.
    var isHidden: Bool { bytes.first == UInt8(ascii: ".") }

    func hasSuffix(_ text: String) -> Bool {
        bytes.count >= text.utf8.count && bytes.suffix(text.utf8.count).elementsEqual(text.utf8)
    }

    static func < (lhs: Self, rhs: Self) -> Bool { lhs.bytes.lexicographicallyPrecedes(rhs.bytes) }
}

extension String {
    /// Text from outside on one line, in which no character moves the cursor, changes a colour, or is invisible.
    var printable: String {
        var text = ""
        for scalar in unicodeScalars {
            let isShown =
                switch scalar.properties.generalCategory {
                case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: false
                default: true
                }
            text.unicodeScalars.append(isShown ? scalar : "?")
        }
        return text
    }
}
