import Crypto
import Synchronization
import Testing
import WardAccounts
import WardServer
import WardTesting
import WardText

/// A store with an audit log, and a receiver that answers as a test says.
private struct WebhookFixture {
    let store = MemoryAccountStore()
    let effects = TestEffects()
    private let sent = SentWebhooks()

    init() async throws { _ = try await WebhookOutbox.prepare(true, store) }

    /// Each try to deliver a webhook.
    var tries: [SignedWebhook] { sent.all }

    /// The numbers of the rows that were delivered or tried.
    func numbers() throws -> [Int64] {
        try tries.map { webhook in
            let data = try JSONValue(Array(webhook.body.utf8)).objectValue?.first { $0.name == "data" }?.value
            return try #require(data?.objectValue?.first { $0.name == "number" }?.value.integerValue)
        }
    }

    func sender(
        _ events: [String]? = nil,
        _ metrics: ServiceMetrics? = nil,
        answering answer: @escaping @Sendable (SignedWebhook) async throws(WebhookFailure) -> Void = { _ in }
    ) throws -> WebhookSender<MemoryAccountStore> {
        let secrets = try #require(WebhookSecrets(Array(WebhookSecrets.line(Array(repeating: 7, count: 32)).utf8)))
        let delivery = WebhookDelivery(secrets) { [sent] (webhook) async throws(WebhookFailure) in
            sent.add(webhook)
            try await answer(webhook)
        }
        return WebhookSender(
            store,
            try WebhookRoute(
                WebhookSettings(address: "https://example.com/", secretsFile: "secrets", events: events)
            ),
            delivery,
            effects: effects.effects,
            metrics: metrics,
            logger: .silent
        )
    }

    func note(_ kind: AuditEvent.Kind, of account: AccountID?, _ details: AuditDetails = .init()) async throws {
        let event = AuditEvent(kind, at: effects.now, of: account, details: details)
        try await store.write { try $0.append(event) }
    }

    func account() -> AccountID { .random(using: effects.randomBytes) }

    func waiting() async throws -> Int { try await store.read { try $0.webhookCount() } }
}

private final class SentWebhooks: Sendable {
    private let webhooks = Mutex<[SignedWebhook]>([])

    var all: [SignedWebhook] { webhooks.withLock { $0 } }

    func add(_ webhook: SignedWebhook) { webhooks.withLock { $0.append(webhook) } }
}

@Suite struct `The sender of webhooks` {
    @Test func `tries again after pauses that grow to an hour, with the same ID and body and a new time`() async throws
    {
        let fixture = try await WebhookFixture()
        try await fixture.note(.passkeyAdded, of: fixture.account())
        let failures = 14
        let left = Mutex(failures)
        let sender = try fixture.sender { _ throws(WebhookFailure) in
            if left.withLock({
                $0 -= 1; return $0 >= 0
            }) {
                throw WebhookFailure("later")
            }
        }
        for attempt in 0..<failures {
            #expect(await sender.sendNext())
            #expect(fixture.tries.count == attempt + 1)
            let pause = min(3_600, Int64(5) << Int64(min(attempt, 10)))
            fixture.effects.advance(by: pause - 1)
            #expect(await !sender.sendNext(), "before its time")
            fixture.effects.advance(by: 1)
        }
        #expect(await sender.sendNext())
        #expect(try await fixture.waiting() == 0)
        #expect(await !sender.sendNext())
        #expect(Set(fixture.tries.map(\.id)).count == 1 && Set(fixture.tries.map(\.body)).count == 1)
        #expect(Set(fixture.tries.map(\.time)).count == failures + 1)
        #expect(Set(fixture.tries.map(\.signatures)).count == failures + 1)
    }

    @Test func `delivers the webhooks of an account in order, whatever fails for another`() async throws {
        let fixture = try await WebhookFixture()
        let (ada, bea) = (fixture.account(), fixture.account())
        for account in [ada, bea, ada, bea, nil, ada] { try await fixture.note(.passwordSet, of: account) }
        let fails = Atomic(true)
        let sender = try fixture.sender { webhook throws(WebhookFailure) in
            if fails.load(ordering: .relaxed), webhook.body.contains(ada.text) { throw WebhookFailure("later") }
        }
        while await sender.sendNext() {}
        #expect(try fixture.numbers() == [1, 2, 4, 5], "only the first one of the account that fails was tried")
        #expect(try await fixture.waiting() == 3)
        fails.store(false, ordering: .relaxed)
        fixture.effects.advance(by: 5)
        while await sender.sendNext() {}
        #expect(try fixture.numbers() == [1, 2, 4, 5, 1, 3, 6])
    }

    @Test(arguments: [(600, 600), (1, 5), (86_400, 3_600), (Int64.max, 3_600), (-1, 5)] as [(Int64, Int64)])
    func `sends nothing for as long as the receiver asks, at most an hour`(asked: Int64, pause: Int64) async throws {
        let fixture = try await WebhookFixture()
        try await fixture.note(.passkeyAdded, of: fixture.account())
        let fails = Atomic(true)
        let sender = try fixture.sender { _ throws(WebhookFailure) in
            guard fails.exchange(false, ordering: .relaxed) else { return }
            var failure = WebhookFailure("later")
            failure.pause = asked
            throw failure
        }
        #expect(await sender.sendNext())
        // The one of another account waits too, if the receiver asked for a pause.
        try await fixture.note(.passkeyAdded, of: fixture.account())
        let isQuiet = asked > 0
        #expect(await sender.sendNext() == !isQuiet)
        fixture.effects.advance(by: min(pause, max(asked, 1)) - 1)
        #expect(await !sender.sendNext())
        fixture.effects.advance(by: 1)
        if isQuiet { #expect(await sender.sendNext(), "the pause is over") }
        fixture.effects.advance(by: pause)
        while await sender.sendNext() {}
        #expect(try fixture.numbers().sorted() == [1, 1, 2])
    }

    @Test func `a pause ends with a clock that goes back`() async throws {
        let fixture = try await WebhookFixture()
        try await fixture.note(.passkeyAdded, of: fixture.account())
        let sender = try fixture.sender { webhook throws(WebhookFailure) in
            var failure = WebhookFailure("later")
            failure.pause = 3_600
            throw failure
        }
        #expect(await sender.sendNext())
        fixture.effects.advance(by: -2)
        try await fixture.note(.passkeyAdded, of: fixture.account())
        #expect(await sender.sendNext())
    }

    @Test func `ends when the receiver is gone, until the next start`() async throws {
        let fixture = try await WebhookFixture()
        try await fixture.note(.passkeyAdded, of: fixture.account())
        let sender = try fixture.sender { _ throws(WebhookFailure) in
            var failure = WebhookFailure("the receiver answered 410")
            failure.isGone = true
            throw failure
        }
        #expect(await sender.sendNext())
        try await fixture.note(.passkeyAdded, of: fixture.account())
        fixture.effects.advance(by: 7_200)
        #expect(await !sender.sendNext())
        #expect(try await fixture.waiting() == 2 && fixture.tries.count == 1)
        let next = try fixture.sender()
        while await next.sendNext() {}
        #expect(try fixture.numbers().sorted() == [1, 1, 2])
        // What nobody takes does not stay.
        try await fixture.note(.passkeyAdded, of: nil)
        _ = try await sender.next()
        fixture.effects.advance(by: 3 * 86_400)
        #expect(await sender.sendNext())
        #expect(try await fixture.waiting() == 0 && fixture.tries.count == 3)
    }

    @Test func `gives up a webhook that waited for three days, and goes on with the next`() async throws {
        let fixture = try await WebhookFixture()
        let account = fixture.account()
        try await fixture.note(.passkeyAdded, of: account)
        let metrics = ServiceMetrics(startedAt: 0)
        let failing = try fixture.sender(nil, metrics) { _ throws(WebhookFailure) in throw WebhookFailure("later") }
        #expect(await failing.sendNext())
        fixture.effects.advance(by: 3 * 86_400 - 1)
        try await fixture.note(.passkeyDeleted, of: account)
        #expect(await failing.sendNext())
        #expect(fixture.tries.count == 2, "one second before")
        fixture.effects.advance(by: 3_600)
        let sender = try fixture.sender(nil, metrics)
        while await sender.sendNext() {}
        #expect(try fixture.numbers() == [1, 1, 2])
        #expect(metrics.text.contains("ward_webhook_total{outcome=\"failed\"} 1\n"))
        #expect(metrics.text.contains("ward_webhook_total{outcome=\"sent\"} 1\n"))
    }

    @Test func `has a webhook for itself while it delivers it, and for as long as a try lasts`() async throws {
        let fixture = try await WebhookFixture()
        try await fixture.note(.passkeyAdded, of: fixture.account())
        let second = try fixture.sender()
        let lease = WebhookSender<MemoryAccountStore>.lease
        let first = try fixture.sender { [effects = fixture.effects] _ throws(WebhookFailure) in
            effects.advance(by: lease - 1)
            await second.sendNext()
        }
        #expect(await first.sendNext())
        #expect(fixture.tries.count == 1)
        #expect(lease > WebhookDelivery.timeout)
        // The other one ends before it writes anything more: it is delivered again.
        try await fixture.note(.passkeyDeleted, of: fixture.account())
        guard case .row = try await first.next() else { throw CancellationError() }
        #expect(await !second.sendNext())
        fixture.effects.advance(by: lease)
        #expect(await second.sendNext())
        #expect(try await fixture.waiting() == 0)
    }

    @Test func `leaves out sign-ins of known browsers, or all events that are not named`() async throws {
        for (events, expected) in [(nil, [2, 4, 6]), (["signed_in"], [1, 2]), ([], [])] as [([String]?, [Int64])] {
            let fixture = try await WebhookFixture()
            let account = fixture.account()
            try await fixture.note(.signedIn, of: account)
            try await fixture.note(.signedIn, of: account, AuditDetails(isNewDevice: true))
            try await fixture.note(.signedOut, of: account)
            try await fixture.note(.sessionsEnded, of: account)
            try await fixture.note(.clientSignedIn, of: account)
            try await fixture.note(.invitationMade, of: nil)
            try await fixture.note(.sessionBound, of: account)
            let sender = try fixture.sender(events)
            while await sender.sendNext() {}
            #expect(try fixture.numbers().sorted() == expected)
        }
    }

    @Test func `begins at the end of the audit log, and takes each row once`() async throws {
        let store = MemoryAccountStore()
        let fixture = try await WebhookFixture()
        try await store.write { try $0.append(AuditEvent(.accountCreated, at: 1, of: nil)) }
        #expect(try await WebhookOutbox.prepare(true, store) == 0)
        #expect(try await store.read { try $0.webhookPosition() } == 1)
        // More rows than one transaction takes.
        for _ in 0..<450 { try await fixture.note(.passkeyAdded, of: nil) }
        let senders = try (0..<3).map { _ in try fixture.sender() }
        for sender in senders { _ = try await sender.next() }
        #expect(try await fixture.waiting() == 450)
        #expect(try await WebhookOutbox.prepare(true, fixture.store) == 0)
        #expect(try await fixture.store.read { try $0.webhookPosition() } == 450)
        #expect(try await WebhookOutbox.prepare(false, fixture.store) == 450)
        #expect(try await fixture.store.read { try $0.webhookPosition() } == nil)
        #expect(try await fixture.waiting() == 0)
    }

    @Test func `keeps rows of the audit log until their webhooks were made`() async throws {
        let fixture = try await WebhookFixture()
        for _ in 0..<3 { try await fixture.note(.passkeyAdded, of: nil) }
        fixture.effects.advance(by: 1_000)
        let keeper = AuditKeeper(
            fixture.store,
            key: Curve25519.Signing.PrivateKey(),
            .init(heads: nil, retention: 10),
            effects: fixture.effects.effects,
            logger: .silent
        )
        try await keeper.deleteOldRows()
        #expect(try await fixture.store.read { try $0.auditEntries(after: 0, limit: 9).count } == 3)
        _ = try await fixture.sender().next()
        try await keeper.deleteOldRows()
        #expect(try await fixture.store.read { try $0.auditEntries(after: 0, limit: 9).count } == 0)
        #expect(try await fixture.waiting() == 3)
    }
}
