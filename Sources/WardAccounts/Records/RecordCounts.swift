/// How many records a store has.
public struct RecordCounts: Hashable, Sendable {
    /// The number of accounts.
    public var accounts: Int
    /// The number of accounts that are disabled.
    public var disabledAccounts: Int
    /// The number of passkeys.
    public var passkeys: Int
    /// The number of passwords.
    public var passwords: Int
    /// The number of sessions, including expired ones that are not deleted yet.
    public var sessions: Int

    /// Creates counts.
    public init(accounts: Int, disabledAccounts: Int, passkeys: Int, passwords: Int, sessions: Int) {
        self.accounts = accounts
        self.disabledAccounts = disabledAccounts
        self.passkeys = passkeys
        self.passwords = passwords
        self.sessions = sessions
    }
}
