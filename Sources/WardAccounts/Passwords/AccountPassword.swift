import Foundation

/// A password as a person typed it, prepared so that it is the same from every keyboard.
///
/// The profile is OpaqueString of RFC 8265, [§4](https://www.rfc-editor.org/rfc/rfc8265#section-4): spaces of any kind become
/// plain ones and the rest is put into NFC; case, width and spaces at either end stay as typed. There are no rules about
/// what a password consists of, as NIST SP 800-63B asks
/// ([§5.1.1.2](https://pages.nist.gov/800-63-3/sp800-63b.html#memsecretver)): only its length counts, and whether it is
/// one that people guess, which is the service's to find out.
///
/// Neither printing nor `dump` shows it; ``bytes`` has to be asked for.
public struct AccountPassword: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
    /// The fewest characters of a new password, counted in Unicode scalars.
    public static let minimumScalars = 8
    /// The most bytes in UTF-8, typed and prepared: room for 256 characters of any kind, and for a thousand of ASCII.
    public static let maximumBytes = 1024

    /// What is hashed: UTF-8.
    public let bytes: [UInt8]

    /// Prepares a password that somebody chose just now.
    ///
    /// - Parameter typed: Anything at all; nothing is trimmed.
    /// - Throws: ``PasswordError`` with the first thing that is wrong.
    public init(new typed: String) throws(PasswordError) {
        try self.init(prepared: typed)
        guard String(decoding: bytes, as: UTF8.self).unicodeScalars.count >= Self.minimumScalars else {
            throw PasswordError(.tooShort)
        }
    }

    /// Prepares a password that is to be compared, whatever the rules were when it was chosen; `nil` if no account can have it.
    public init?(entered typed: String) {
        guard let password = try? Self(prepared: typed) else { return nil }
        self = password
    }

    private init(prepared typed: String) throws(PasswordError) {
        // Before any work that grows with the text.
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

    /// Never the password.
    public var description: String { "AccountPassword(hidden)" }
    /// Never the password.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
