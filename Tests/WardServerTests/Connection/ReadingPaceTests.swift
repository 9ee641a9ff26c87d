import NIOCore
import Testing
import WardServer

@Suite struct `How slowly a client may read` {
    /// Ten seconds of patience, and a second more for each hundred bytes.
    private var pace = ReadingPace(patience: .seconds(10), rate: 100)

    private func at(_ seconds: UInt64) -> NIODeadline { .uptimeNanoseconds((1_000 + seconds) * 1_000_000_000) }

    @Test mutating func `ends with its patience, if it takes nothing`() {
        #expect(pace.deadline == .distantFuture)
        pace.begin()
        pace.written(1_000_000, at: at(0))
        #expect(pace.deadline == at(10))
        // More that waits gives it no more time.
        pace.written(1_000_000, at: at(9))
        #expect(pace.deadline == at(10))
    }

    @Test mutating func `can be as slow as the rate for as long as there is something to read`() {
        pace.begin()
        pace.written(100_000, at: at(0))
        for second in 1...999 {
            pace.taken(100, at: at(UInt64(second)))
            #expect(pace.deadline == at(UInt64(second) + 10))
        }
    }

    @Test mutating func `can be no slower, although it never stops`() {
        pace.begin()
        pace.written(100_000, at: at(0))
        for second in 1...15 { pace.taken(50, at: at(UInt64(second))) }
        // It lost half a second in each.
        #expect(pace.deadline == at(15) + .milliseconds(2_500))
    }

    @Test mutating func `gains no time to be silent by reading fast before`() {
        pace.begin()
        pace.written(1_000_000, at: at(0))
        pace.taken(900_000, at: at(1))
        #expect(pace.deadline == at(11))
    }

    /// The server has nothing to say, or reads what comes next.
    @Test mutating func `counts only while something waits for it`() {
        pace.begin()
        pace.written(50, at: at(0))
        pace.taken(50, at: at(4))
        #expect(pace.deadline == .distantFuture)
        pace.written(50, at: at(1_000))
        // It took four seconds for what is worth half a second.
        #expect(pace.deadline == at(1_000) + .milliseconds(6_500))
    }

    @Test mutating func `begins anew with each answer, but not while the one before waits`() {
        pace.begin()
        pace.written(100, at: at(0))
        pace.taken(50, at: at(5))
        pace.begin()
        #expect(pace.deadline == at(10) + .milliseconds(500))
        pace.taken(50, at: at(6))
        pace.begin()
        pace.written(50, at: at(20))
        #expect(pace.deadline == at(30))
    }
}
