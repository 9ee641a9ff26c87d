internal import WardText

/// A credential ID: 1 to 1,023 bytes, chosen by the authenticator.
///
/// WebAuthn Level 3, [§4](https://www.w3.org/TR/webauthn-3/#credential-id) and [§7.1, step
/// 25](https://www.w3.org/TR/webauthn-3/#sctn-registering-a-new-credential).
public struct CredentialID: Hashable, Sendable, CustomStringConvertible {
    /// The raw bytes.
    public let bytes: [UInt8]

    /// Accepts 1 to 1,023 bytes, or returns `nil`.
    public init?(_ bytes: [UInt8]) {
        guard (1...1_023).contains(bytes.count) else { return nil }
        self.bytes = bytes
    }

    /// Accepts canonical base64url, or returns `nil`.
    public init?(base64URL text: String) {
        guard let bytes = Base64URL.decode(text) else { return nil }
        self.init(bytes)
    }

    /// The text form that JSON uses.
    public var base64URL: String { Base64URL.encode(bytes) }
    /// The text form that JSON uses.
    public var description: String { base64URL }
}

/// A user handle: 1 to 64 bytes by which a relying party identifies an account to authenticators.
///
/// It must not be a name.
///
/// Use 64 random bytes: authenticators show the handle to anybody who holds them.
///
/// WebAuthn Level 3, [§5.4.3](https://www.w3.org/TR/webauthn-3/#user-handle).
public struct UserHandle: Hashable, Sendable, CustomStringConvertible {
    /// The raw bytes.
    public let bytes: [UInt8]

    /// Accepts 1 to 64 bytes, or returns `nil`.
    public init?(_ bytes: [UInt8]) {
        guard (1...64).contains(bytes.count) else { return nil }
        self.bytes = bytes
    }

    /// Creates a user handle of 64 random bytes.
    public static func random(_ effects: Effects = .live) -> UserHandle {
        UserHandle(unchecked: effects.randomBytes(64))
    }

    private init(unchecked bytes: [UInt8]) { self.bytes = bytes }

    /// The text form that JSON uses.
    public var base64URL: String { Base64URL.encode(bytes) }
    /// The text form that JSON uses.
    public var description: String { base64URL }
}

/// A challenge: at least 16 random bytes, used once, so that a ceremony cannot be replayed.
///
/// WebAuthn Level 3, [§13.4.3](https://www.w3.org/TR/webauthn-3/#sctn-cryptographic-challenges).
public struct Challenge: Hashable, Sendable {
    /// The raw bytes, never base64url text.
    public let bytes: [UInt8]

    /// Accepts 16 to 1,024 bytes, or returns `nil`.
    public init?(_ bytes: [UInt8]) {
        guard (16...1_024).contains(bytes.count) else { return nil }
        self.bytes = bytes
    }

    /// Creates a challenge of 32 random bytes.
    public static func random(_ effects: Effects = .live) -> Challenge {
        Challenge(unchecked: effects.randomBytes(32))
    }

    private init(unchecked bytes: [UInt8]) { self.bytes = bytes }

    /// The text form that JSON uses.
    public var base64URL: String { Base64URL.encode(bytes) }
}

/// The AAGUID: the model of an authenticator, 16 bytes; all zero means unknown.
///
/// It proves nothing without trusted attestation.
///
/// WebAuthn Level 3, [§6](https://www.w3.org/TR/webauthn-3/#aaguid).
public struct AAGUID: Hashable, Sendable, CustomStringConvertible {
    /// The raw bytes, in the order of the text form.
    public let bytes: [UInt8]

    /// Accepts 16 bytes, or returns `nil`.
    public init?(_ bytes: [UInt8]) {
        guard bytes.count == 16 else { return nil }
        self.bytes = bytes
    }

    /// Accepts the text form with its four hyphens, in upper or lower case, or returns `nil`.
    public init?(_ text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.map(\.utf8.count) == [8, 4, 4, 4, 12] else { return nil }
        guard let bytes = Hex.decode(parts.joined()) else { return nil }
        self.init(bytes)
    }

    /// Sixteen zero bytes.
    public static var zero: AAGUID { AAGUID(unchecked: [UInt8](repeating: 0, count: 16)) }

    private init(unchecked bytes: [UInt8]) { self.bytes = bytes }

    /// The text form: lower-case hexadecimal with four hyphens.
    public var description: String {
        var text = ""
        for (index, byte) in bytes.enumerated() {
            if [4, 6, 8, 10].contains(index) { text += "-" }
            text += Hex.encode([byte])
        }
        return text
    }
}
