/// What a site requires of its passwords, in the language of the attribute `passwordrules`.
///
/// See [Customizing Password AutoFill Rules](https://developer.apple.com/documentation/security/customizing-password-autofill-rules)
/// and [the proposal for HTML](https://github.com/whatwg/html/issues/3518).
package struct PasswordRules: Hashable, Sendable {
    /// The smallest number of characters; 0 if the site does not say.
    package var minimumLength = 0
    /// The largest number of characters; `nil` if the site does not say.
    package var maximumLength: Int?
    /// How often one character may stand in a row; `nil` if the site does not say.
    package var maximumConsecutive: Int?
    /// Sets of characters.
    ///
    /// A password has a character of each.
    package var required: [PasswordCharacters] = []
    /// The characters that a password may have beside the required ones; `nil` if the site does not say.
    package var allowedBesides: PasswordCharacters?

    /// Starts without any rule.
    package init() {}

    /// All characters that a password may have.
    ///
    /// If the site names only required characters, these are all. If it names none, these are all printable ones.
    package var allowed: PasswordCharacters {
        if required.isEmpty, allowedBesides == nil { return .asciiPrintable }
        return required.reduce(allowedBesides ?? .none) { $0.union($1) }
    }

    /// Whether a password keeps all rules.
    package func accept(_ password: String) -> Bool {
        let (bytes, allowed) = (Array(password.utf8), allowed)
        guard bytes.count >= minimumLength, bytes.count <= maximumLength ?? .max else { return false }
        guard bytes.allSatisfy({ allowed.contains($0) }) else { return false }
        guard required.allSatisfy({ set in bytes.contains { set.contains($0) } }) else { return false }
        guard let maximumConsecutive else { return true }
        var (last, run) = (UInt8(0), 0)
        for byte in bytes {
            run = byte == last ? run + 1 : 1
            last = byte
            if run > maximumConsecutive { return false }
        }
        return true
    }
}
