import Foundation
import Synchronization
import Testing
import WardAgentClient
import WardWebAuthn

@testable import WardAgent

@Suite struct `Guessing` {
    final class Clock: Sendable {
        let now = Mutex<Int64>(1_000_000)
        var effects: Effects {
            Effects(now: { self.now.withLock { $0 } }, randomBytes: { [UInt8](repeating: 0, count: $0) })
        }
        func advance(_ seconds: Int64) { now.withLock { $0 += seconds } }
    }

    private func path() -> String { NSTemporaryDirectory() + "attempts-\(UUID().uuidString)" }

    private func isFree(_ limiter: AttemptLimiter) -> Bool { (try? limiter.check()) != nil }

    @Test func `three tries are free, then each waits twice as long`() {
        let clock = Clock()
        let limiter = AttemptLimiter(path: path(), effects: clock.effects)
        for _ in 0..<2 { limiter.failed() }
        #expect(isFree(limiter))
        for wait: Int64 in [5, 10, 20, 40] {
            limiter.failed()
            #expect(!isFree(limiter))
            clock.advance(wait - 1)
            #expect(!isFree(limiter))
            clock.advance(1)
            #expect(isFree(limiter))
        }
    }

    @Test func `nobody waits longer than a quarter of an hour`() {
        let clock = Clock()
        let limiter = AttemptLimiter(path: path(), effects: clock.effects)
        for _ in 0..<2000 { limiter.failed() }
        clock.advance(899)
        #expect(!isFree(limiter))
        clock.advance(1)
        #expect(isFree(limiter))
    }

    @Test func `a restart forgets nothing, a right one forgets all`() throws {
        let clock = Clock()
        let path = path()
        let limiter = AttemptLimiter(path: path, effects: clock.effects)
        for _ in 0..<3 { limiter.failed() }
        #expect(!isFree(AttemptLimiter(path: path, effects: clock.effects)))
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        AttemptLimiter(path: path, effects: clock.effects).succeeded()
        #expect(isFree(AttemptLimiter(path: path, effects: clock.effects)))
    }

    @Test func `a clock that goes back makes nobody wait longer, nor shorter`() {
        let clock = Clock()
        let limiter = AttemptLimiter(path: path(), effects: clock.effects)
        for _ in 0..<3 { limiter.failed() }
        clock.advance(-100_000)
        #expect(!isFree(limiter))
        clock.advance(100_005)
        #expect(isFree(limiter))
    }

    @Test(arguments: [
        "", "{", "{\"failures\":-5,\"last\":-9223372036854775808}",
        "{\"failures\":9223372036854775807,\"last\":9223372036854775807}",
    ])
    func `a file that somebody wrote is no reason to trap`(text: String) throws {
        let clock = Clock()
        let path = path()
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        let limiter = AttemptLimiter(path: path, effects: clock.effects)
        _ = isFree(limiter)
        limiter.failed()
        limiter.succeeded()
        #expect(isFree(limiter))
    }
}
