public import WardWebAuthn

/// A passkey of an account: the standard's record, the name its owner gave it, and when it was made and used.
public struct Passkey: CredentialEntry, Hashable, Sendable {
    /// The standard's record; its user handle is the account's.
    public var record: CredentialRecord
    /// Whose it is; never changes.
    public var accountID: AccountID
    /// What the owner calls it; changed by renaming alone.
    public var name: String
    /// Seconds since 1970.
    public var createdAt: Int64
    /// Seconds since 1970; `nil` until the first sign-in.
    public var lastUsedAt: Int64?

    /// Puts a passkey together.
    public init(
        _ record: CredentialRecord,
        of accountID: AccountID,
        named name: String,
        createdAt: Int64,
        lastUsedAt: Int64? = nil
    ) {
        self.record = record
        self.accountID = accountID
        self.name = name
        self.createdAt = createdAt
        self.lastUsedAt = lastUsedAt
    }
}
