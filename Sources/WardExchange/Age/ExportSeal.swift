public import WardVault

/// What opens an encrypted export.
public enum ExportSeal: Sendable {
    /// A passphrase.
    case passphrase(SecretText)
    /// Private keys of age, by their public keys.
    case recipients([AgeRecipient])
}
