import Foundation

/// The characters that are allowed in names: RFC 8264, sections 4.2 and 9, tested in the order of section 8.
enum IdentifierClass {
    /// Checks every scalar of a text in NFC, after width mapping.
    ///
    /// ``ContextRules`` checks the positions of characters.
    static func check(_ text: String) throws(UsernameError) {
        for (index, scalar) in text.unicodeScalars.enumerated() {
            if let code = refusal(of: scalar) { throw UsernameError(code, at: scalar) }
            guard index == 0 else { continue }
            switch scalar.properties.generalCategory {
            case .nonspacingMark, .spacingMark: throw UsernameError(.startsWithMark, at: scalar)
            default: break
            }
        }
    }

    /// The reason why a scalar is not allowed in names, or `nil` if it is allowed.
    private static func refusal(of scalar: Unicode.Scalar) -> UsernameError.Code? {
        if (0x21...0x7e).contains(scalar.value) { return nil }
        switch scalar.value {
        // Section 9.6, Exceptions: allowed, allowed in some places, refused.
        case 0xdf, 0x3c2, 0x6fd, 0x6fe, 0xf0b, 0x3007: return nil
        case 0xb7, 0x375, 0x5f3, 0x5f4, 0x30fb: return nil
        case 0x640, 0x7fa, 0x302e, 0x302f, 0x3031...0x3035, 0x303b: return .containsUnusualLetter
        default: break
        }
        let properties = scalar.properties
        let category = properties.generalCategory
        if properties.isWhitespace { return .containsSpace }
        if category == .control { return .containsControl }
        if properties.isNoncharacterCodePoint { return .containsUnknown }
        if properties.isDefaultIgnorableCodePoint { return .containsInvisible }
        if isConjoiningJamo(scalar) { return .containsUnusualLetter }
        switch category {
        case .unassigned, .privateUse, .surrogate:
            return .containsUnknown
        case .lowercaseLetter, .uppercaseLetter, .otherLetter, .modifierLetter, .decimalNumber, .nonspacingMark,
            .spacingMark:
            return hasCompatibilityForm(scalar) ? .containsUnusualLetter : nil
        case .titlecaseLetter, .letterNumber, .otherNumber, .enclosingMark:
            return .containsUnusualLetter
        case .format:
            return .containsControl
        default:
            return .containsSymbol
        }
    }

    /// Section 9.9: letters of old Korean, which are not part of a modern syllable.
    static func isConjoiningJamo(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x1100...0x11ff, 0xa960...0xa97c, 0xd7b0...0xd7c6, 0xd7cb...0xd7fb: true
        default: false
        }
    }

    /// Section 9.17: the scalar is not allowed, because NFKC maps it to another character.
    private static func hasCompatibilityForm(_ scalar: Unicode.Scalar) -> Bool {
        let mapped = String(scalar).precomposedStringWithCompatibilityMapping.unicodeScalars
        return !mapped.elementsEqual(CollectionOfOne(scalar))
    }
}

/// Characters that are allowed only next to certain others: RFC 5892, appendix A.3 to A.9, on the mapped name.
enum ContextRules {
    static func check(_ text: String) throws(UsernameError) {
        let scalars = Array(text.unicodeScalars)
        var arabicDigits = false
        var extendedArabicDigits = false
        for (index, scalar) in scalars.enumerated() {
            let before = index > 0 ? scalars[index - 1] : nil
            let after = index + 1 < scalars.count ? scalars[index + 1] : nil
            let isRight =
                switch scalar.value {
                case 0xb7: before == "l" && after == "l"
                case 0x375: after.map(isGreek) ?? false
                case 0x5f3, 0x5f4: before.map(isHebrew) ?? false
                case 0x30fb: scalars.contains(where: isJapanese)
                case 0x660...0x669: noted(&arabicDigits) && !extendedArabicDigits
                case 0x6f0...0x6f9: noted(&extendedArabicDigits) && !arabicDigits
                default: true
                }
            guard isRight else { throw UsernameError(.misplacedCharacter, at: scalar) }
        }
    }

    private static func noted(_ flag: inout Bool) -> Bool {
        flag = true
        return true
    }

    private static func isGreek(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x370...0x373, 0x376...0x3e1, 0x3f0...0x3ff, 0x1f00...0x1fff: true
        default: false
        }
    }

    private static func isHebrew(_ scalar: Unicode.Scalar) -> Bool {
        (0x591...0x5f4).contains(scalar.value)
    }

    private static func isJapanese(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x3005, 0x3007, 0x3041...0x3096, 0x309d...0x309e, 0x30a1...0x30fa, 0x30fd...0x30ff, 0x31f0...0x31ff: true
        default: scalar.properties.isUnifiedIdeograph
        }
    }
}
