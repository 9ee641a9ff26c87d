import Crypto
import Synchronization
import Testing
import WardAccounts
import WardServer
import WardTesting

@Suite struct `The clock of the audit log` {
    private static let day: Int64 = 86_400
    private static let start: Int64 = 1_700_000_000

    @Test func `is trusted while it goes as time passes`() {
        var clock = AuditClock()
        for hour in 0..<1_000 {
            let passed = Int64(hour) * 3_600
            #expect(clock.look(Self.start + passed, uptime: .seconds(passed), newest: Self.start - 100) == .trusted)
        }
    }

    @Test func `is not trusted for a day after it went far ahead`() {
        var clock = AuditClock()
        #expect(clock.look(Self.start, uptime: .zero, newest: nil) == .trusted)
        let ahead = Self.start + 20 * Self.day
        #expect(clock.look(ahead + 3_600, uptime: .seconds(3_600), newest: nil) == .ahead(20 * Self.day))
        #expect(clock.look(ahead + 2 * 3_600, uptime: .seconds(2 * 3_600), newest: nil) == .paused)
        #expect(clock.look(ahead + Self.day, uptime: .seconds(Self.day), newest: nil) == .paused)
        let later = Self.day + 3_600
        #expect(clock.look(ahead + later, uptime: .seconds(later), newest: nil) == .trusted)
    }

    @Test func `may be set back and a little ahead`() {
        var clock = AuditClock()
        #expect(clock.look(Self.start, uptime: .zero, newest: nil) == .trusted)
        #expect(clock.look(Self.start + Self.day, uptime: .zero, newest: nil) == .trusted)
        #expect(clock.look(Self.start + 2 * Self.day + 1, uptime: .zero, newest: nil) == .ahead(Self.day + 1))
        var other = AuditClock()
        #expect(other.look(Self.start, uptime: .zero, newest: nil) == .trusted)
        #expect(other.look(Self.start - 900 * Self.day, uptime: .zero, newest: nil) == .trusted)
    }

    @Test func `is compared with the newest row at a start`() {
        for (silence, verdict) in [
            (7 * Self.day, AuditClock.Verdict.trusted), (7 * Self.day + 1, .ahead(7 * Self.day + 1)),
        ] {
            var clock = AuditClock()
            #expect(clock.look(Self.start, uptime: .seconds(9), newest: Self.start - silence) == verdict)
        }
        var first = AuditClock()
        #expect(first.look(Self.start, uptime: .zero, newest: nil) == .trusted)
    }

    @Test(arguments: [Int64.min, -1, 0, .max], [Int64.min, -1, 0, .max])
    func `has no time that it cannot look at`(now: Int64, newest: Int64) {
        var clock = AuditClock()
        _ = clock.look(now, uptime: .zero, newest: newest)
        _ = clock.look(newest, uptime: .seconds(Int64.max), newest: nil)
        _ = clock.look(now, uptime: .zero, newest: nil)
    }

    @Test func `that went ahead by 20 days deletes no rows for a day`() async throws {
        let (store, effects, uptime) = (MemoryAccountStore(), TestEffects(), Uptime())
        let keeper = AuditKeeper(
            store,
            key: Curve25519.Signing.PrivateKey(),
            .init(heads: nil, retention: 10 * Self.day),
            effects: effects.effects,
            uptime: { uptime.now },
            logger: .silent
        )
        try await store.write { try $0.append(AuditEvent(.accountCreated, at: effects.now, of: nil)) }
        func rows() async throws -> Int { try await store.read { try $0.auditEntries(after: 0, limit: 9).count } }
        var clock = AuditClock()
        _ = await keeper.turn(after: nil, &clock)
        effects.advance(by: 20 * Self.day)
        _ = await keeper.turn(after: nil, &clock)
        #expect(try await rows() == 1)
        // It was wrong, and nothing is lost.
        effects.advance(by: -20 * Self.day)
        uptime.advance(by: .seconds(Self.day))
        effects.advance(by: Self.day)
        _ = await keeper.turn(after: nil, &clock)
        #expect(try await rows() == 1)
        // It was right.
        effects.advance(by: 20 * Self.day)
        _ = await keeper.turn(after: nil, &clock)
        uptime.advance(by: .seconds(Self.day))
        effects.advance(by: Self.day)
        _ = await keeper.turn(after: nil, &clock)
        #expect(try await rows() == 0)
    }
}

private final class Uptime: Sendable {
    private let value = Mutex(Duration.zero)

    var now: Duration { value.withLock { $0 } }

    func advance(by duration: Duration) { value.withLock { $0 += duration } }
}
