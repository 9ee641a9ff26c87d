internal import WardWebAuthn

/// The Secret Key: 128 random bits on each of a person's devices.
///
/// Together with the passphrase it opens a vault.
///
/// Every key is derived from both. So an attacker who has only the vault's file cannot try passphrases.
public struct SecretKey: Sendable, CustomStringConvertible, CustomReflectable {
    let bytes: LockedBytes

    private static let form = KeyText(context: "ward/v1/secret-key", length: 16, characters: 30, group: 5)

    /// Creates a random key.
    init(effects: Effects) throws(VaultError) { bytes = try Self.form.drawn(effects) }

    /// Takes the 16 bytes of a key, or returns `nil` for another length.
    init?(_ bytes: LockedBytes) {
        guard bytes.count == Self.form.length else { return nil }
        self.bytes = bytes
    }

    /// Reads a key in the form of ``text``.
    ///
    /// Case, spaces and hyphens do not matter.
    ///
    /// - Throws: ``KeyTextError`` that says what is wrong with the text.
    public init(text: String) throws(KeyTextError) { bytes = try Self.form.read(text) }

    /// Whether a text is written like a Secret Key, also if there is a mistake in it.
    package static func looksLikeKey(_ text: String) -> Bool { form.looksAlike(text) }

    /// Six groups of five letters and digits, with a checksum in the last four, for paper and other devices.
    public var text: String { Self.form.text(bytes.copy) }

    /// The text that is shown instead of the key.
    public var description: String { "SecretKey" }
    /// A mirror without the secret.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
