internal import WardWebAuthn

/// The second half of what opens a vault: 128 random bits that lie on each of a person's devices.
///
/// Because every key is derived from passphrase and Secret Key together, somebody who got hold of the vault's file alone
/// cannot try passphrases on it.
public struct SecretKey: Sendable, CustomStringConvertible, CustomReflectable {
    let bytes: LockedBytes

    private static let form = KeyText(context: "ward/v1/secret-key", length: 16, characters: 30, group: 5)

    /// Draws a new one.
    init(effects: Effects) throws(VaultError) { bytes = try Self.form.drawn(effects) }

    /// Reads the form of ``text``, forgiving case, spaces and hyphens.
    ///
    /// - Throws: ``KeyTextError`` saying what is wrong with the text.
    public init(text: String) throws(KeyTextError) { bytes = try Self.form.read(text) }

    /// Six groups of five letters and digits, the last four of which are checksum: for paper and for another device.
    public var text: String { Self.form.text(bytes.copy) }

    /// Nothing of the key.
    public var description: String { "SecretKey" }
    /// Shows nothing to whoever dumps the value.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
