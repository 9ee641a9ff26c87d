public import WardAccounts

extension MemoryTransaction {
    /// The e-mail addresses of an account.
    public func email(of account: AccountID) throws -> AccountEmail? { records.emails[account] }

    /// Stores the e-mail addresses of an account in place of earlier ones.
    public func setEmail(_ email: AccountEmail) throws {
        try beginWriting(email.language)
        guard email.confirmed != nil || email.pending != nil else {
            records.emails[email.accountID] = nil
            return
        }
        guard records.accounts[email.accountID] != nil else { throw StoreError(.accountNotFound) }
        records.emails[email.accountID] = email
    }

    /// Stores a message until it is sent.
    public func insert(_ mail: OutboxMail) throws {
        try beginWriting(mail.kind.rawValue, mail.language, mail.username)
        guard records.mails[mail.id] == nil else { throw StoreError(.conflict) }
        records.mails[mail.id] = mail
    }

    /// The message that has been due for the longest time.
    public func dueMail(by channel: MessageAddress.Channel, at now: Int64) throws -> OutboxMail? {
        records.mails.values.filter { $0.dueAt <= now && $0.address.channel == channel }.min { first, second in
            first.dueAt == second.dueAt
                ? first.id.lexicographicallyPrecedes(second.id) : first.dueAt < second.dueAt
        }
    }

    /// Sets the number of tries of a message, and the time of the next one.
    @discardableResult
    public func postponeMail(id: [UInt8], attempts: Int64, until time: Int64) throws -> Bool {
        try beginWriting()
        guard var mail = records.mails[id] else { return false }
        (mail.attempts, mail.dueAt) = (attempts, time)
        records.mails[id] = mail
        return true
    }

    /// Deletes a message.
    @discardableResult
    public func deleteMail(id: [UInt8]) throws -> Bool {
        try beginWriting()
        return records.mails.removeValue(forKey: id) != nil
    }

    /// The number of messages that wait.
    public func mailCount(by channel: MessageAddress.Channel) throws -> Int {
        records.mails.values.count { $0.address.channel == channel }
    }

    /// Stores a link.
    public func insert(_ link: MailLink) throws {
        try beginWriting()
        guard records.mailLinks[link.tokenHash] == nil else { throw StoreError(.conflict) }
        guard records.accounts[link.accountID] != nil else { throw StoreError(.accountNotFound) }
        records.mailLinks[link.tokenHash] = link
    }

    /// Finds a link by the hash of its token.
    public func mailLink(tokenHash: [UInt8]) throws -> MailLink? { records.mailLinks[tokenHash] }

    /// Deletes a link.
    @discardableResult
    public func deleteMailLink(tokenHash: [UInt8]) throws -> Bool {
        try beginWriting()
        return records.mailLinks.removeValue(forKey: tokenHash) != nil
    }

    /// Deletes an account's links of one purpose.
    @discardableResult
    public func deleteMailLinks(of account: AccountID, _ purpose: MailLink.Purpose) throws -> Int {
        try deleteMailLinks { $0.accountID == account && $0.purpose == purpose }
    }

    /// Deletes expired links.
    @discardableResult
    public func deleteExpiredMailLinks(before time: Int64, limit: Int) throws -> Int {
        var left = limit
        return try deleteMailLinks { link in
            guard link.expiresAt < time, left > 0 else { return false }
            left -= 1
            return true
        }
    }

    private func deleteMailLinks(where isGone: (MailLink) -> Bool) throws -> Int {
        try beginWriting()
        let hashes = records.mailLinks.values.filter(isGone).map(\.tokenHash)
        for hash in hashes { records.mailLinks[hash] = nil }
        return hashes.count
    }
}
