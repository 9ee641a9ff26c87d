/// An account's password as it is kept: never the password, only what it is checked against.
public struct PasswordRecord: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
    /// Whose it is.
    public var accountID: AccountID
    /// The slow hash with its salt and settings, in the PHC string format: `$argon2id$v=19$m=19456,t=2,p=1$…`.
    public var hash: String
    /// When the password was chosen, in seconds since 1970; a new hash of the same password changes nothing here.
    public var chosenAt: Int64

    /// Puts a record together.
    public init(accountID: AccountID, hash: String, chosenAt: Int64) {
        self.accountID = accountID
        self.hash = hash
        self.chosenAt = chosenAt
    }

    /// Never the hash: whoever has it can guess at it.
    public var description: String { "PasswordRecord(\(accountID))" }
    /// Never the hash.
    public var customMirror: Mirror { Mirror(self, children: ["accountID": accountID]) }
}
