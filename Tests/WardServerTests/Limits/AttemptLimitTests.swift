import Testing
import WardAccounts
import WardServer

/// A count that is kept as a store keeps it.
private struct Kept {
    let limit: AttemptLimit
    var attempts: AttemptCount?

    init(_ limit: AttemptLimit) { self.limit = limit }

    /// Begins a try; the wait if it may not begin.
    mutating func begin(at now: Int64) -> Int64? {
        if let wait = limit.wait(attempts, at: now) { return wait }
        attempts = limit.adding(to: attempts, [1], at: now)
        return nil
    }

    mutating func remove(at now: Int64) { attempts = attempts.flatMap { limit.removing(from: $0, at: now) } }
}

@Suite struct `Wrong passwords` {
    @Test func `ten in a row are free, then each further one waits longer, up to a quarter of an hour`() {
        var kept = Kept(Limits.standard.perName)
        var now: Int64 = 1_000
        for _ in 0..<10 { #expect(kept.begin(at: now) == nil) }
        for wait: Int64 in [5, 10, 20, 40, 80, 160, 320, 640, 900, 900, 900] {
            #expect(kept.begin(at: now) == wait)
            #expect(kept.begin(at: now + wait - 1) == 1, "asking again does not make it longer")
            now += wait
            #expect(kept.begin(at: now) == nil)
        }
    }

    @Test func `a burst gets no more than a patient guesser`() {
        var kept = Kept(Limits.standard.perName)
        let begun = (0..<1_000).count { _ in kept.begin(at: 1_000) == nil }
        #expect(begun == 10)
    }

    @Test func `a quiet day makes them forgotten`() {
        var kept = Kept(Limits.standard.perName)
        for _ in 0..<10 { #expect(kept.begin(at: 0) == nil) }
        #expect(kept.begin(at: 0) == 5)
        #expect(kept.attempts?.expiresAt == 86_400)
        for _ in 0..<10 { #expect(kept.begin(at: 86_400) == nil) }
        #expect(kept.begin(at: 86_400) == 5)
    }

    @Test func `what was not compared does not count`() {
        var kept = Kept(Limits.standard.perName)
        for _ in 0..<100 {
            #expect(kept.begin(at: 0) == nil)
            kept.remove(at: 0)
        }
        #expect(kept.attempts == nil)
        kept.remove(at: 0)
        for _ in 0..<9 { #expect(kept.begin(at: 0) == nil) }
        kept.remove(at: 0)
        #expect(kept.attempts?.count == 8)
    }

    @Test func `a clock that goes back makes nobody wait longer than the wait`() {
        var kept = Kept(Limits.standard.perName)
        for _ in 0..<10 { _ = kept.begin(at: 1_000_000) }
        #expect(kept.begin(at: 0) == 5)
        var rate = Kept(.rate(atOnce: 2, perHour: 60))
        for _ in 0..<2 { #expect(rate.begin(at: 1_000_000) == nil) }
        #expect(rate.begin(at: 0) == 60)
    }

    @Test func `from one address are many at once, and then so many an hour`() {
        var kept = Kept(.rate(atOnce: 50, perHour: 120))
        for _ in 0..<50 { #expect(kept.begin(at: 1_000) == nil) }
        #expect(kept.begin(at: 1_000) == 30)
        #expect(kept.begin(at: 1_029) == 1)
        #expect(kept.begin(at: 1_030) == nil)
        #expect(kept.begin(at: 1_030) == 30)
        let hour = (0..<36_000).count { kept.begin(at: 1_031 + $0 / 10) == nil }
        #expect((119...121).contains(hour), "\(hour)")
        // After as long as 50 tries take, all 50 are free again.
        #expect((0..<60).count { _ in kept.begin(at: 10_000) == nil } == 50)
        #expect(kept.attempts.map { $0.expiresAt >= 11_500 } == true)
    }

    @Test func `in a day are some at once, and then as many in each day`() {
        var kept = Kept(.perDay(5))
        for _ in 0..<5 { #expect(kept.begin(at: 1_000) == nil) }
        #expect(kept.begin(at: 1_000) == 17_280)
        #expect(kept.begin(at: 18_279) == 1)
        #expect(kept.begin(at: 18_280) == nil)
        #expect(kept.begin(at: 18_280) == 17_280)
        let days = (0..<864).count { kept.begin(at: 18_281 + $0 * 1_000) == nil }
        #expect((49...51).contains(days), "\(days)")
        #expect((0..<9).count { _ in kept.begin(at: 2_000_000) == nil } == 5)
    }

    @Test(arguments: [
        AttemptCount(key: [], count: .max, lastAt: .max, expiresAt: .max),
        AttemptCount(key: [], count: .min, lastAt: .min, expiresAt: .min),
        AttemptCount(key: [], count: .max, lastAt: .min, expiresAt: 0),
    ])
    func `counts that no version writes stop nothing`(attempts: AttemptCount) {
        for limit in [Limits.standard.perName, Limits.standard.perAddress, Limits.standard.mail] {
            for now: Int64 in [0, 1_800_000_000] {
                #expect((limit.wait(attempts, at: now) ?? 0) >= 0)
                #expect(limit.adding(to: attempts, [], at: now).count > 0)
                _ = limit.removing(from: attempts, at: now)
            }
        }
    }
}
