/// The characters that passwords may have: FreeformClass of RFC 8264,
/// [§4.3](https://www.rfc-editor.org/rfc/rfc8264#section-4.3).
///
/// Joiners are allowed only after a virama (RFC 5892, appendix A.1 and A.2). The other case, between letters that join,
/// needs a Unicode property that the standard library does not have.
enum FreeformClass {
    /// Checks every scalar of a text in NFC.
    static func check(_ text: String) throws(PasswordError) {
        var before: Unicode.Scalar?
        for scalar in text.unicodeScalars {
            guard isAllowed(scalar, after: before) else { throw PasswordError(.characterNotAllowed) }
            before = scalar
        }
        do { try ContextRules.check(text) } catch { throw PasswordError(.characterNotAllowed) }
    }

    private static func isAllowed(_ scalar: Unicode.Scalar, after before: Unicode.Scalar?) -> Bool {
        switch scalar.value {
        case 0x20...0x7e: return true
        // RFC 8264, section 9.6, Exceptions: allowed, allowed in some places, refused.
        case 0xdf, 0x3c2, 0x6fd, 0x6fe, 0xf0b, 0x3007, 0xb7, 0x375, 0x5f3, 0x5f4, 0x30fb: return true
        case 0x640, 0x7fa, 0x302e, 0x302f, 0x3031...0x3035, 0x303b: return false
        case 0x200c, 0x200d: return before?.properties.canonicalCombiningClass == .virama
        default: break
        }
        let properties = scalar.properties
        if properties.isDefaultIgnorableCodePoint || properties.isNoncharacterCodePoint { return false }
        if IdentifierClass.isConjoiningJamo(scalar) { return false }
        switch properties.generalCategory {
        case .control, .format, .surrogate, .unassigned, .privateUse, .lineSeparator, .paragraphSeparator: return false
        default: return true
        }
    }
}
