import Logging
import Synchronization
import Testing
import WardAccounts
import WardMail
import WardServer
import WardTesting
import WardWebAuthn

/// A mail server that answers as a test says.
private final class ScriptedTransport: MailTransport {
    private let answers: Mutex<[MailFailure?]>
    private let taken = Mutex<[MailMessage]>([])
    private let during: @Sendable () async -> Void

    init(_ answers: [MailFailure?] = [], during: @escaping @Sendable () async -> Void = {}) {
        self.answers = Mutex(answers)
        self.during = during
    }

    /// Each try to send a message.
    var tries: [MailMessage] { taken.withLock { $0 } }

    func send(_ message: MailMessage) async throws(MailFailure) {
        taken.withLock { $0.append(message) }
        await during()
        if let failure = answers.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) { throw failure }
    }
}

/// A store with one account and one message.
private struct OutboxFixture {
    let store = MemoryAccountStore()
    let effects = TestEffects()
    let address: EmailAddress
    let account: Account

    init(_ kind: OutboxMail.Kind = .passkeyAdded) async throws {
        let address = try EmailAddress("ada@example.com")
        let account = Account(
            id: .random(using: effects.randomBytes),
            username: try Username("ada"),
            displayName: "Ada",
            userHandle: .random(effects.effects),
            createdAt: effects.now
        )
        (self.address, self.account) = (address, account)
        let mail = OutboxMail(
            id: effects.randomBytes(OutboxMail.idLength),
            accountID: account.id,
            kind: kind,
            address: .email(address),
            language: "en",
            username: "ada",
            createdAt: effects.now,
            dueAt: effects.now
        )
        let pending = AccountEmail(accountID: account.id, pending: .init(address, at: effects.now), language: "en")
        try await store.write { tx in
            try tx.insert(account)
            try tx.setEmail(pending)
            try tx.insert(mail)
        }
    }

    func sender(_ transport: some MailTransport, _ metrics: ServiceMetrics? = nil) throws -> MailSender<
        MemoryAccountStore
    > {
        let pages = try PageRoutes(
            rpName: "Ward",
            rpID: "localhost",
            account: { _ in nil },
            continuation: { _, _ in .leave(to: "/") }
        )
        return MailSender(
            store,
            transport,
            MailTexts(pages, origin: "http://localhost:8080", recoveryWait: 259_200),
            from: .init(name: "Ward", address: try EmailAddress("ward@login.example")),
            effects: effects.effects,
            recoveryWait: 259_200,
            metrics: metrics,
            logger: .silent
        )
    }

    func link(_ message: MailMessage) async throws -> MailLink? {
        let found = try #require(message.text.firstMatch(of: /=([A-Za-z0-9_-]{43})/))
        let token = try #require(LinkToken(text: String(found.output.1)))
        return try await store.read { try $0.mailLink(tokenHash: token.hash) }
    }

    func waiting() async throws -> Int { try await store.read { try $0.mailCount(by: .mail) } }
}

@Suite struct `The sender of mail` {
    @Test func `tries again after pauses that grow to an hour, with the same ID and a new link`() async throws {
        let fixture = try await OutboxFixture()
        let failures = 14
        let transport = ScriptedTransport(Array(repeating: MailFailure("later"), count: failures))
        let sender = try fixture.sender(transport)
        for attempt in 0..<failures {
            #expect(await sender.sendNext())
            #expect(transport.tries.count == attempt + 1)
            let pause = min(3_600, Int64(5) << Int64(min(attempt, 10)))
            fixture.effects.advance(by: pause - 1)
            #expect(await !sender.sendNext(), "before its time")
            fixture.effects.advance(by: 1)
        }
        #expect(await sender.sendNext())
        #expect(try await fixture.waiting() == 0)
        #expect(await !sender.sendNext())
        #expect(Set(transport.tries.map(\.id)).count == 1 && Set(transport.tries.map(\.time)).count == 1)
        for failed in transport.tries.dropLast() { #expect(try await fixture.link(failed) == nil, "nobody has it") }
        let sent = try #require(transport.tries.last)
        let link = try #require(try await fixture.link(sent))
        #expect(link.purpose == .alarm && link.accountID == fixture.account.id)
        #expect(link.expiresAt == fixture.effects.now + MailLink.alarmLifetime)
    }

    @Test func `ends a message that the server will never take, and one that waited for three days`() async throws {
        for (failure, seconds) in [
            (MailFailure(isPermanent: true, "never"), Int64(0)), (MailFailure("later"), 3 * 86_400),
        ] {
            let fixture = try await OutboxFixture()
            let transport = ScriptedTransport([failure])
            let metrics = ServiceMetrics(startedAt: 0)
            let sender = try fixture.sender(transport, metrics)
            #expect(await sender.sendNext())
            fixture.effects.advance(by: seconds)
            await sender.sendNext()
            #expect(try await fixture.waiting() == 0)
            #expect(transport.tries.count == 1)
            let tried = try #require(transport.tries.first)
            #expect(try await fixture.link(tried) == nil)
            #expect(metrics.text.contains("ward_mail_total{outcome=\"failed\"} 1\n"))
        }
    }

    @Test func `has a message for itself while it sends it`() async throws {
        let fixture = try await OutboxFixture()
        let other = ScriptedTransport()
        let second = try fixture.sender(other)
        let sender = try fixture.sender(ScriptedTransport(during: { await second.sendNext() }))
        #expect(await sender.sendNext())
        #expect(other.tries == [])
        #expect(try await fixture.waiting() == 0)
    }

    @Test func `sends a message again that another process did not finish`() async throws {
        let fixture = try await OutboxFixture()
        let lost = ScriptedTransport([MailFailure("killed")])
        // The process takes the message and ends before it writes anything more.
        let dying = try fixture.sender(ScriptedTransport(during: { try? await Task.sleep(for: .seconds(3_600)) }))
        let task = Task { await dying.sendNext() }
        while try await fixture.store.read({ try $0.dueMail(by: .mail, at: fixture.effects.now) }) != nil {
            await Task.yield()
        }
        let sender = try fixture.sender(lost)
        fixture.effects.advance(by: MailSender<MemoryAccountStore>.lease - 1)
        #expect(await !sender.sendNext())
        fixture.effects.advance(by: 1)
        #expect(await sender.sendNext())
        #expect(lost.tries.count == 1)
        task.cancel()
        _ = await task.value
    }

    @Test func `leaves out what has become pointless`() async throws {
        let replaced = try await OutboxFixture(.addressCheck)
        let newer = AccountEmail(
            accountID: replaced.account.id,
            pending: .init(try EmailAddress("new@example.com"), at: replaced.effects.now),
            language: "en"
        )
        try await replaced.store.write { try $0.setEmail(newer) }
        let expired = try await OutboxFixture(.addressCheck)
        expired.effects.advance(by: AccountEmail.confirmationTime)
        let deleted = try await OutboxFixture(.passkeyAdded)
        _ = try await deleted.store.write { try $0.deleteAccount(id: deleted.account.id) }
        for fixture in [replaced, expired, deleted] {
            let transport = ScriptedTransport()
            await (try fixture.sender(transport)).sendNext()
            #expect(transport.tries == [])
            #expect(try await fixture.waiting() == 0)
        }
        let gone = try await OutboxFixture(.accountDeleted)
        _ = try await gone.store.write { try $0.deleteAccount(id: gone.account.id) }
        let transport = ScriptedTransport()
        await (try gone.sender(transport)).sendNext()
        #expect(transport.tries.count == 1)
    }

    @Test func `makes a link that confirms the address until a day after it was given`() async throws {
        let fixture = try await OutboxFixture(.addressCheck)
        let transport = ScriptedTransport()
        fixture.effects.advance(by: 1_000)
        await (try fixture.sender(transport)).sendNext()
        let sent = try #require(transport.tries.first)
        let link = try #require(try await fixture.link(sent))
        #expect(link.purpose == .confirmation && link.address == .email(fixture.address))
        #expect(link.expiresAt == fixture.effects.now - 1_000 + 86_400)
    }
}
