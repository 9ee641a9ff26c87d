import Testing
import WardServer

@Suite struct `Wrong passwords` {
    private let ada = PasswordAttempts.Key("ada")

    @Test func `ten in a row are free, then each further one waits longer, up to a quarter of an hour`() {
        var attempts = PasswordAttempts()
        var now: Int64 = 1_000
        for _ in 0..<10 { #expect(attempts.begin(ada, at: now) == nil) }
        for wait: Int64 in [5, 10, 20, 40, 80, 160, 320, 640, 900, 900, 900] {
            #expect(attempts.begin(ada, at: now) == wait)
            #expect(attempts.begin(ada, at: now + wait - 1) == 1, "asking again does not make it longer")
            now += wait
            #expect(attempts.begin(ada, at: now) == nil)
        }
        #expect(attempts.begin(PasswordAttempts.Key("bob"), at: now) == nil)
    }

    @Test func `a burst gets no more than a patient guesser`() {
        var attempts = PasswordAttempts()
        let begun = (0..<1_000).count { _ in attempts.begin(ada, at: 1_000) == nil }
        #expect(begun == 10)
    }

    @Test func `the right one, or a quiet day, makes them forgotten`() {
        var attempts = PasswordAttempts()
        for _ in 0..<10 { _ = attempts.begin(ada, at: 0) }
        attempts.succeeded(ada)
        #expect(attempts.count == 0)
        for _ in 0..<10 { #expect(attempts.begin(ada, at: 0) == nil) }
        #expect(attempts.begin(ada, at: 0) == 5)
        for _ in 0..<10 { #expect(attempts.begin(ada, at: 86_400) == nil) }
        #expect(attempts.begin(ada, at: 86_400) == 5)
    }

    @Test func `what was not compared does not count`() {
        var attempts = PasswordAttempts()
        for _ in 0..<100 {
            #expect(attempts.begin(ada, at: 0) == nil)
            attempts.withdrawn(ada)
        }
        #expect(attempts.count == 0)
        attempts.withdrawn(ada)
        #expect(attempts.count == 0)
    }

    @Test func `a clock that goes back makes nobody wait longer than the wait`() {
        var attempts = PasswordAttempts()
        for _ in 0..<10 { _ = attempts.begin(ada, at: 1_000_000) }
        #expect(attempts.begin(ada, at: 0) == 5)
    }

    @Test func `a flood of names takes no more memory than there is, and does not free the one that is guessed at`() {
        var attempts = PasswordAttempts(capacity: 100)
        for _ in 0..<10 { _ = attempts.begin(ada, at: 0) }
        for number in 0..<1_000 { _ = attempts.begin(PasswordAttempts.Key("name\(number)"), at: 1) }
        #expect(attempts.count <= 100)
        #expect(attempts.begin(ada, at: 1) == 4)
    }
}
