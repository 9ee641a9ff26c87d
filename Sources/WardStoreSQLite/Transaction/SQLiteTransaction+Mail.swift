public import WardAccounts

extension SQLiteTransaction {
    private static let mailColumns =
        "id, account_id, kind, address, language, username, created_at, attempts, due_at"

    // MARK: Addresses

    /// The e-mail addresses of an account.
    public func email(of account: AccountID) throws -> AccountEmail? {
        let sql = "SELECT confirmed, confirmed_at, pending, pending_at, language FROM email WHERE account_id = ?"
        return try first(sql, [.blob(account.bytes)]) { row in
            var columns = Columns(row)
            return AccountEmail(
                accountID: account,
                confirmed: try columns.emailEntry(),
                pending: try columns.emailEntry(),
                language: try columns.text()
            )
        }
    }

    /// Stores the e-mail addresses of an account in place of earlier ones.
    public func setEmail(_ email: AccountEmail) throws {
        guard email.confirmed != nil || email.pending != nil else {
            try change("DELETE FROM email WHERE account_id = ?", [.blob(email.accountID.bytes)])
            return
        }
        let sql = """
            INSERT INTO email (account_id, confirmed, confirmed_at, pending, pending_at, language) VALUES (?, ?, ?, ?, ?, ?)
            ON CONFLICT (account_id) DO UPDATE SET confirmed = excluded.confirmed, confirmed_at = excluded.confirmed_at,
                pending = excluded.pending, pending_at = excluded.pending_at, language = excluded.language
            """
        let values: [StoredValue] = [
            .blob(email.accountID.bytes), try email.confirmed.map { try .text($0.address.text) } ?? .null,
            .integer(email.confirmed?.time), try email.pending.map { try .text($0.address.text) } ?? .null,
            .integer(email.pending?.time), try .text(email.language),
        ]
        try change(sql, values)
    }

    // MARK: Messages

    /// Stores a message until it is sent.
    public func insert(_ mail: OutboxMail) throws {
        let sql = "INSERT INTO mail (\(Self.mailColumns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
        let values: [StoredValue] = [
            .blob(mail.id), .blob(mail.accountID.bytes), try .text(mail.kind.rawValue), try .text(mail.address.text),
            try .text(mail.language), try .text(mail.username), .integer(mail.createdAt), .integer(mail.attempts),
            .integer(mail.dueAt),
        ]
        guard try insert(sql, values) else { throw StoreError(.conflict) }
    }

    /// The message that has been due for the longest time.
    public func dueMail(by channel: MessageAddress.Channel, at now: Int64) throws -> OutboxMail? {
        let sql = """
            SELECT \(Self.mailColumns) FROM mail WHERE due_at <= ? AND \(Self.isOf(channel)) ORDER BY due_at, id LIMIT 1
            """
        return try first(sql, [.integer(now)]) { row in
            var columns = Columns(row)
            return OutboxMail(
                id: try columns.blob(),
                accountID: try columns.accountID(),
                kind: OutboxMail.Kind(rawValue: try columns.text()),
                address: try columns.messageAddress(),
                language: try columns.text(),
                username: try columns.text(),
                createdAt: try columns.integer(),
                attempts: try columns.integer(),
                dueAt: try columns.integer()
            )
        }
    }

    /// Sets the number of tries of a message, and the time of the next one.
    @discardableResult
    public func postponeMail(id: [UInt8], attempts: Int64, until time: Int64) throws -> Bool {
        let sql = "UPDATE mail SET attempts = ?, due_at = ? WHERE id = ?"
        return try change(sql, [.integer(attempts), .integer(time), .blob(id)]) == 1
    }

    /// Deletes a message.
    @discardableResult
    public func deleteMail(id: [UInt8]) throws -> Bool {
        try change("DELETE FROM mail WHERE id = ?", [.blob(id)]) == 1
    }

    /// The number of messages that wait.
    public func mailCount(by channel: MessageAddress.Channel) throws -> Int {
        let count = try first("SELECT count(*) FROM mail WHERE \(Self.isOf(channel))", []) { row in
            var columns = Columns(row)
            return try columns.integer()
        }
        return Int(clamping: count ?? 0)
    }

    private static func isOf(_ channel: MessageAddress.Channel) -> String {
        switch channel {
        case .mail: "instr(address, '@') > 0"
        case .text: "instr(address, '@') = 0"
        }
    }

    // MARK: Links

    /// Stores a link.
    public func insert(_ link: MailLink) throws {
        let sql = """
            INSERT INTO mail_link (token_hash, account_id, purpose, address, created_at, expires_at) VALUES (?, ?, ?, ?, ?, ?)
            """
        let values: [StoredValue] = [
            .blob(link.tokenHash), .blob(link.accountID.bytes), try .text(link.purpose.rawValue),
            try .text(link.address.text), .integer(link.createdAt), .integer(link.expiresAt),
        ]
        guard try insert(sql, values) else { throw StoreError(.conflict) }
    }

    /// Finds a link by the hash of its token.
    public func mailLink(tokenHash: [UInt8]) throws -> MailLink? {
        let sql = "SELECT account_id, purpose, address, created_at, expires_at FROM mail_link WHERE token_hash = ?"
        return try first(sql, [.blob(tokenHash)]) { row in
            var columns = Columns(row)
            return MailLink(
                tokenHash: tokenHash,
                accountID: try columns.accountID(),
                purpose: try columns.mailLinkPurpose(),
                address: try columns.messageAddress(),
                createdAt: try columns.integer(),
                expiresAt: try columns.integer()
            )
        }
    }

    /// Deletes a link.
    @discardableResult
    public func deleteMailLink(tokenHash: [UInt8]) throws -> Bool {
        try change("DELETE FROM mail_link WHERE token_hash = ?", [.blob(tokenHash)]) == 1
    }

    /// Deletes an account's links of one purpose.
    @discardableResult
    public func deleteMailLinks(of account: AccountID, _ purpose: MailLink.Purpose) throws -> Int {
        let sql = "DELETE FROM mail_link WHERE account_id = ? AND purpose = ?"
        return try change(sql, [.blob(account.bytes), try .text(purpose.rawValue)])
    }

    /// Deletes expired links.
    @discardableResult
    public func deleteExpiredMailLinks(before time: Int64, limit: Int) throws -> Int {
        let sql = """
            DELETE FROM mail_link WHERE token_hash IN (SELECT token_hash FROM mail_link WHERE expires_at < ? LIMIT ?)
            """
        return try sweep(sql, time, limit)
    }
}

extension Columns {
    fileprivate mutating func messageAddress() throws -> MessageAddress {
        guard let address = MessageAddress(stored: try text()) else {
            throw StoreError(.damaged, detail: "a row has an invalid address of a message")
        }
        return address
    }

    /// Two columns: an address and its time, or two NULLs.
    fileprivate mutating func emailEntry() throws -> AccountEmail.Entry? {
        let (text, time) = (try optionalText(), try optionalInteger())
        guard let text, let time else { return nil }
        return AccountEmail.Entry(try Self.emailAddress(text), at: time)
    }

    private static func emailAddress(_ text: String) throws -> EmailAddress {
        guard let address = try? EmailAddress(text) else {
            throw StoreError(.damaged, detail: "a row has an invalid e-mail address")
        }
        return address
    }

    fileprivate mutating func mailLinkPurpose() throws -> MailLink.Purpose {
        guard let purpose = MailLink.Purpose(rawValue: try text()) else {
            throw StoreError(.damaged, detail: "a row has an unknown purpose of a link")
        }
        return purpose
    }
}
