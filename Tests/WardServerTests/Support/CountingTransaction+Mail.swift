import WardAccounts

extension CountingTransaction {
    func email(of account: AccountID) async throws -> AccountEmail? {
        try await noting { try await base.email(of: account) }
    }
    func setEmail(_ email: AccountEmail) async throws {
        try await noting { try await base.setEmail(email) }
    }
    func insert(_ mail: OutboxMail) async throws {
        try await noting { try await base.insert(mail) }
    }
    func dueMail(by channel: MessageAddress.Channel, at now: Int64) async throws -> OutboxMail? {
        try await noting { try await base.dueMail(by: channel, at: now) }
    }
    func postponeMail(id: [UInt8], attempts: Int64, until time: Int64) async throws -> Bool {
        try await noting { try await base.postponeMail(id: id, attempts: attempts, until: time) }
    }
    func deleteMail(id: [UInt8]) async throws -> Bool {
        try await noting { try await base.deleteMail(id: id) }
    }
    func mailCount(by channel: MessageAddress.Channel) async throws -> Int {
        try await noting { try await base.mailCount(by: channel) }
    }
    func insert(_ link: MailLink) async throws {
        try await noting { try await base.insert(link) }
    }
    func mailLink(tokenHash: [UInt8]) async throws -> MailLink? {
        try await noting { try await base.mailLink(tokenHash: tokenHash) }
    }
    func deleteMailLink(tokenHash: [UInt8]) async throws -> Bool {
        try await noting { try await base.deleteMailLink(tokenHash: tokenHash) }
    }
    func deleteMailLinks(of account: AccountID, _ purpose: MailLink.Purpose) async throws -> Int {
        try await noting { try await base.deleteMailLinks(of: account, purpose) }
    }
    func deleteExpiredMailLinks(before time: Int64, limit: Int) async throws -> Int {
        try await sweeping { try await base.deleteExpiredMailLinks(before: time, limit: limit) }
    }
}
