import Testing
@testable import WardAgent

@Suite struct `When a sync begins` {
    private let start = ContinuousClock.now

    private func after(_ seconds: Int) -> ContinuousClock.Instant { start.advanced(by: .seconds(seconds)) }

    /// A schedule after one sync that ended well, at position 7.
    private func makeSynced() -> SyncSchedule {
        var schedule = SyncSchedule()
        schedule.began(at: 7)
        schedule.succeeded(taken: 0, now: start)
        return schedule
    }

    @Test func `after unlocking at once, and not while one runs`() {
        var schedule = SyncSchedule()
        #expect(schedule.isDue(7, now: start))
        schedule.began(at: 7)
        #expect(!schedule.isDue(8, now: after(1000)))
    }

    @Test func `every 15 seconds if the vault stays the same`() {
        let schedule = makeSynced()
        #expect(!schedule.isDue(7, now: after(14)))
        #expect(schedule.isDue(7, now: after(15)))
    }

    @Test func `at the next look after a change`() {
        let schedule = makeSynced()
        #expect(schedule.isDue(8, now: after(1)))
    }

    @Test func `what a sync took is no change, and what was added meanwhile is one`() {
        var schedule = SyncSchedule()
        schedule.began(at: 7)
        schedule.succeeded(taken: 3, now: start)
        #expect(!schedule.isDue(10, now: after(1)))
        #expect(schedule.isDue(11, now: after(1)))
    }

    @Test func `after errors later and later, up to 15 minutes, whatever changes`() {
        var schedule = SyncSchedule()
        for wait in [15, 30, 60, 120, 240, 480, 900, 900, 900] {
            schedule.began(at: 7)
            schedule.failed(now: start)
            #expect(!schedule.isDue(8, now: after(wait - 1)), "\(wait)")
            #expect(schedule.isDue(7, now: after(wait)), "\(wait)")
        }
        schedule.began(at: 7)
        schedule.succeeded(taken: 0, now: start)
        #expect(schedule.isDue(7, now: after(15)))
        schedule.began(at: 7)
        schedule.failed(now: start)
        #expect(schedule.isDue(7, now: after(15)))
    }

    @Test func `with a server a second after an error, then later and later, and never before the server allows it`() {
        var schedule = SyncSchedule(.server)
        for wait in [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900] {
            schedule.began(at: 7)
            schedule.failed(now: start)
            #expect(!schedule.isDue(8, now: start.advanced(by: .milliseconds(wait * 1000 - 1))), "\(wait)")
            #expect(schedule.isDue(7, now: after(wait)), "\(wait)")
        }
        schedule.reset()
        schedule.began(at: 7)
        schedule.failed(now: start, jitter: 1)
        #expect(!schedule.isDue(7, now: after(1)) && schedule.isDue(7, now: after(2)))
        schedule.began(at: 7)
        schedule.failed(now: start, least: .seconds(60))
        #expect(!schedule.isDue(7, now: after(59)) && schedule.isDue(7, now: after(60)))
    }

    @Test func `when the server has news, also if they come while one runs`() {
        var schedule = SyncSchedule(.server)
        schedule.began(at: 7)
        schedule.succeeded(taken: 0, now: start)
        #expect(!schedule.isDue(7, now: after(899)) && schedule.isDue(7, now: after(900)))
        schedule.wake()
        #expect(schedule.isDue(7, now: after(1)))
        schedule.began(at: 7)
        schedule.wake()
        schedule.succeeded(taken: 0, now: start)
        #expect(schedule.isDue(7, now: start))
        schedule.began(at: 7)
        schedule.failed(now: start)
        schedule.wake()
        #expect(!schedule.isDue(7, now: start))
    }

    @Test func `after locking and unlocking at once again`() {
        var schedule = makeSynced()
        schedule.reset()
        #expect(schedule.isDue(7, now: start))
    }
}
