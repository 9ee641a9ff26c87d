public import WardWebAuthn

/// A passkey of an account: the standard's record, the owner's name for it, and its times.
public struct Passkey: CredentialEntry, Hashable, Sendable {
    /// The standard's record.
    ///
    /// Its user handle is the user handle of the account.
    public var record: CredentialRecord
    /// The ID of the account that owns the passkey; never changes.
    public var accountID: AccountID
    /// The owner's name for the passkey; only renaming changes it.
    public var name: String
    /// The time of creation, in seconds since 1970.
    public var createdAt: Int64
    /// The time of the last sign-in, in seconds since 1970; `nil` if there was none.
    public var lastUsedAt: Int64?
    /// The credential ID of the passkey that this one takes the place of, until that is settled; otherwise `nil`.
    ///
    /// The other passkey may be deleted already, and its ID is then only a note.
    public var succeeds: CredentialID?
    /// The authenticator's model, if an attestation statement proved it at registration; never changes.
    public var verifiedModel: VerifiedModel?

    /// Creates a passkey.
    public init(
        _ record: CredentialRecord,
        of accountID: AccountID,
        named name: String,
        createdAt: Int64,
        lastUsedAt: Int64? = nil,
        succeeds: CredentialID? = nil,
        verifiedModel: VerifiedModel? = nil
    ) {
        self.record = record
        self.accountID = accountID
        self.name = name
        self.createdAt = createdAt
        self.lastUsedAt = lastUsedAt
        self.succeeds = succeeds
        self.verifiedModel = verifiedModel
    }
}
