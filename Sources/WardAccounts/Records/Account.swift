public import WardWebAuthn

/// A person's account.
public struct Account: Hashable, Sendable {
    /// The account's ID; never changes.
    public var id: AccountID
    /// The user name, unique over all accounts by its mapped form.
    public var username: Username
    /// The display name; need not be unique.
    public var displayName: String
    /// The user handle, by which authenticators know the account: 64 random bytes, not derived from the name; never
    /// changes.
    ///
    /// WebAuthn Level 3, [§14.6.1](https://www.w3.org/TR/webauthn-3/#sctn-user-handle-privacy).
    public var userHandle: UserHandle
    /// The time of creation, in seconds since 1970.
    public var createdAt: Int64
    /// Since when an administrator keeps everybody out, in seconds since 1970; `nil` if the account can be used.
    public var disabledAt: Int64?

    /// Creates a record.
    public init(
        id: AccountID,
        username: Username,
        displayName: String,
        userHandle: UserHandle,
        createdAt: Int64,
        disabledAt: Int64? = nil
    ) {
        self.id = id
        self.username = username
        self.displayName = displayName
        self.userHandle = userHandle
        self.createdAt = createdAt
        self.disabledAt = disabledAt
    }
}
