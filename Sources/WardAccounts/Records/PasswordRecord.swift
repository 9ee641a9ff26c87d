/// An account's stored password: a hash, never the password itself.
public struct PasswordRecord: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
    /// The ID of the account that owns the password.
    public var accountID: AccountID
    /// The Argon2id hash with its salt and settings, in the PHC string format: `$argon2id$v=19$m=19456,t=2,p=1$…`.
    public var hash: String
    /// When the password was chosen, in seconds since 1970.
    ///
    /// A new hash of the same password does not change it.
    public var chosenAt: Int64

    /// Creates a record.
    public init(accountID: AccountID, hash: String, chosenAt: Int64) {
        self.accountID = accountID
        self.hash = hash
        self.chosenAt = chosenAt
    }

    /// A description without the hash, because the hash allows guessing.
    public var description: String { "PasswordRecord(\(accountID))" }
    /// A mirror without the hash.
    public var customMirror: Mirror { Mirror(self, children: ["accountID": accountID]) }
}
