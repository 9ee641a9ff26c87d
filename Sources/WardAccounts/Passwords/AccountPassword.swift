import Foundation

/// A typed password, prepared so that every keyboard gives the same bytes.
///
/// The profile is OpaqueString of RFC 8265, [§4](https://www.rfc-editor.org/rfc/rfc8265#section-4): other spaces become
/// U+0020, and the text is put into NFC; case, width, and spaces at either end stay. There are no composition rules, as
/// NIST SP 800-63B requires ([§5.1.1.2](https://pages.nist.gov/800-63-3/sp800-63b.html#memsecretver)): only the length
/// counts. The service also refuses common passwords.
///
/// Neither printing nor `dump` shows the password; use ``bytes`` to read it.
public struct AccountPassword: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
    /// The minimum length of a new password, in Unicode scalars.
    public static let minimumScalars = 8
    /// The maximum length in bytes of UTF-8, typed and prepared: 256 characters of any kind, or a thousand of ASCII.
    public static let maximumBytes = 1024

    /// The bytes to hash, in UTF-8.
    public let bytes: [UInt8]

    /// Prepares a new password.
    ///
    /// - Parameter typed: Any text; nothing is trimmed.
    /// - Throws: ``PasswordError`` with the first problem.
    public init(new typed: String) throws(PasswordError) {
        try self.init(prepared: typed)
        guard String(decoding: bytes, as: UTF8.self).unicodeScalars.count >= Self.minimumScalars else {
            throw PasswordError(.tooShort)
        }
    }

    /// Prepares a password for comparison, independent of the rules when it was chosen; `nil` if no password can be
    /// this text.
    public init?(entered typed: String) {
        guard let password = try? Self(prepared: typed) else { return nil }
        self = password
    }

    private init(prepared typed: String) throws(PasswordError) {
        // The length is checked first, so that no work grows with the text.
        guard typed.utf8.count <= Self.maximumBytes else { throw PasswordError(.tooLong) }
        guard !typed.isEmpty else { throw PasswordError(.tooShort) }
        let spaced = String(String.UnicodeScalarView(typed.unicodeScalars.map(Self.plainSpace)))
        let prepared = spaced.precomposedStringWithCanonicalMapping
        try FreeformClass.check(prepared)
        bytes = Array(prepared.utf8)
        guard bytes.count <= Self.maximumBytes else { throw PasswordError(.tooLong) }
    }

    private static func plainSpace(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
        scalar.properties.generalCategory == .spaceSeparator ? " " : scalar
    }

    /// The text that is shown instead of the password.
    public var description: String { "AccountPassword(hidden)" }
    /// A mirror without the password.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
