/// The Bidi Rule of RFC 5893, section 2, for names with a right-to-left character (RFC 8265, section 3.3.2, rule 5).
///
/// For the characters of names, the classes of Unicode's `DerivedBidiClass.txt` follow from the block and the general
/// category. The exceptions are 25 modifier letters that are neutral there and strong here, and five vowel signs of
/// Indic scripts with the opposite difference. None of them occurs in right-to-left scripts.
enum BidiRule {
    private enum Direction {
        case leftToRight, rightToLeft, number, arabicNumber, mark, neutral
    }

    static func check(_ text: String) throws(UsernameError) {
        let scalars = text.unicodeScalars
        guard let start = scalars.first, scalars.contains(where: { isRightToLeft(direction(of: $0)) }) else { return }
        // Rules 1 and 5: a name with a right-to-left character must begin with one.
        guard direction(of: start) == .rightToLeft else { throw UsernameError(.mixedDirections, at: start) }
        var last = Direction.rightToLeft
        var lastScalar = start
        var numbers: Direction?
        for scalar in scalars {
            let direction = direction(of: scalar)
            switch direction {
            case .leftToRight:  // Rule 2
                throw UsernameError(.mixedDirections, at: scalar)
            case .number, .arabicNumber:  // Rule 4
                if let numbers, numbers != direction { throw UsernameError(.mixedDirections, at: scalar) }
                numbers = direction
            case .rightToLeft, .mark, .neutral:
                break
            }
            if direction != .mark { (last, lastScalar) = (direction, scalar) }
        }
        // Rule 3: a name must not end in a neutral character, which would take the direction of the following text.
        if last == .neutral { throw UsernameError(.mixedDirections, at: lastScalar) }
    }

    private static func isRightToLeft(_ direction: Direction) -> Bool {
        direction == .rightToLeft || direction == .arabicNumber
    }

    private static func direction(of scalar: Unicode.Scalar) -> Direction {
        switch scalar.value {
        case 0x30...0x39, 0x6f0...0x6f9: return .number
        case 0x41...0x5a, 0x61...0x7a: return .leftToRight
        case 0...0x7f, 0xb7, 0x375, 0x30fb: return .neutral
        case 0x660...0x669, 0x10d30...0x10d39: return .arabicNumber
        default: break
        }
        switch scalar.properties.generalCategory {
        case .nonspacingMark: return .mark
        default: return isInRightToLeftBlock(scalar) ? .rightToLeft : .leftToRight
        }
    }

    /// Blocks whose characters are R or AL even while they are unassigned.
    private static func isInRightToLeftBlock(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x590...0x8ff, 0xfb1d...0xfdcf, 0xfdf0...0xfdff, 0xfe70...0xfeff: true
        case 0x10800...0x10fff, 0x1e800...0x1efff: true
        default: false
        }
    }
}
