public import WardAccounts

extension SuspendingTransaction {
    /// The e-mail addresses of an account.
    public func email(of account: AccountID) async throws -> AccountEmail? {
        try await afterwards { try base.email(of: account) }
    }

    /// Stores the e-mail addresses of an account in place of earlier ones.
    public func setEmail(_ email: AccountEmail) async throws {
        try await afterwards { try base.setEmail(email) }
    }

    /// Stores a message until it is sent.
    public func insert(_ mail: OutboxMail) async throws {
        try await afterwards { try base.insert(mail) }
    }

    /// The message that has been due for the longest time.
    public func dueMail(by channel: MessageAddress.Channel, at now: Int64) async throws -> OutboxMail? {
        try await afterwards { try base.dueMail(by: channel, at: now) }
    }

    /// Sets the number of tries of a message, and the time of the next one.
    @discardableResult
    public func postponeMail(id: [UInt8], attempts: Int64, until time: Int64) async throws -> Bool {
        try await afterwards { try base.postponeMail(id: id, attempts: attempts, until: time) }
    }

    /// Deletes a message.
    @discardableResult
    public func deleteMail(id: [UInt8]) async throws -> Bool {
        try await afterwards { try base.deleteMail(id: id) }
    }

    /// The number of messages that wait.
    public func mailCount(by channel: MessageAddress.Channel) async throws -> Int {
        try await afterwards { try base.mailCount(by: channel) }
    }

    /// Stores a link.
    public func insert(_ link: MailLink) async throws {
        try await afterwards { try base.insert(link) }
    }

    /// Finds a link by the hash of its token.
    public func mailLink(tokenHash: [UInt8]) async throws -> MailLink? {
        try await afterwards { try base.mailLink(tokenHash: tokenHash) }
    }

    /// Deletes a link.
    @discardableResult
    public func deleteMailLink(tokenHash: [UInt8]) async throws -> Bool {
        try await afterwards { try base.deleteMailLink(tokenHash: tokenHash) }
    }

    /// Deletes an account's links of one purpose.
    @discardableResult
    public func deleteMailLinks(of account: AccountID, _ purpose: MailLink.Purpose) async throws -> Int {
        try await afterwards { try base.deleteMailLinks(of: account, purpose) }
    }

    /// Deletes expired links.
    @discardableResult
    public func deleteExpiredMailLinks(before time: Int64, limit: Int) async throws -> Int {
        try await afterwards { try base.deleteExpiredMailLinks(before: time, limit: limit) }
    }
}
