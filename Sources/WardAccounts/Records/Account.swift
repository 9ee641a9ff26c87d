public import WardWebAuthn

/// A person's account.
public struct Account: Hashable, Sendable {
    /// The account's ID; never changes.
    public var id: AccountID
    /// The user name, unique over all accounts by its mapped form.
    public var username: Username
    /// The display name.
    ///
    /// Several accounts can have the same one.
    public var displayName: String
    /// The user handle, by which authenticators know the account: 64 random bytes, not derived from the name; never
    /// changes.
    ///
    /// WebAuthn Level 3, [§14.6.1](https://www.w3.org/TR/webauthn-3/#sctn-user-handle-privacy).
    public var userHandle: UserHandle
    /// The time of creation, in seconds since 1970.
    public var createdAt: Int64
    /// The time when an administrator disabled the account, in seconds since 1970, or `nil` if the account is not disabled.
    public var disabledAt: Int64?
    /// The groups that the account is in, by which apps decide what the person may do.
    ///
    /// At most ``GroupName/maximumCount``, in order, each once. Only operators change them.
    public var groups: [GroupName]

    /// Creates a record.
    public init(
        id: AccountID,
        username: Username,
        displayName: String,
        userHandle: UserHandle,
        createdAt: Int64,
        disabledAt: Int64? = nil,
        groups: [GroupName] = []
    ) {
        self.id = id
        self.username = username
        self.displayName = displayName
        self.userHandle = userHandle
        self.createdAt = createdAt
        self.disabledAt = disabledAt
        self.groups = groups
    }
}
