public import WardWebAuthn

/// A person's account.
public struct Account: Hashable, Sendable {
    /// Names the account; never changes.
    public var id: AccountID
    /// What the person typed, unique over all accounts by its mapped form.
    public var username: Username
    /// How the person likes to be shown; need not be unique.
    public var displayName: String
    /// What authenticators know the account by: 64 random bytes, never derived from the name; never changes.
    ///
    /// WebAuthn Level 3, [§14.6.1](https://www.w3.org/TR/webauthn-3/#sctn-user-handle-privacy).
    public var userHandle: UserHandle
    /// Seconds since 1970.
    public var createdAt: Int64

    /// Puts a record together.
    public init(id: AccountID, username: Username, displayName: String, userHandle: UserHandle, createdAt: Int64) {
        self.id = id
        self.username = username
        self.displayName = displayName
        self.userHandle = userHandle
        self.createdAt = createdAt
    }
}
