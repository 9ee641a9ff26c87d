import Foundation
import Synchronization
import Testing
import WardAgentClient
import WardVault
import WardWebAuthn

@testable import WardAgent

@Suite(.timeLimit(.minutes(15))) struct `Guessing` {
    final class Clock: Sendable {
        let now = Mutex<Int64>(1_000_000)
        var effects: Effects {
            Effects(now: { self.now.withLock { $0 } }, randomBytes: { [UInt8](repeating: 0, count: $0) })
        }
        func advance(_ seconds: Int64) { now.withLock { $0 += seconds } }
    }

    private func path() -> String { NSTemporaryDirectory() + "attempts-\(UUID().uuidString)" }

    private func isFree(_ limiter: AttemptLimiter, _ source: AttemptLimiter.Source = .program) -> Bool {
        (try? limiter.check(source)) != nil
    }

    /// Tries a wrong passphrase, whether or not the limiter lets it through.
    private func guess(_ limiter: AttemptLimiter, _ source: AttemptLimiter.Source = .program) async {
        try? await limiter.trying(source) { throw VaultError(.wrongPassphrase, "") }
    }

    @Test func `three tries are free, then each waits twice as long`() async {
        let clock = Clock()
        let limiter = AttemptLimiter(path: path(), effects: clock.effects)
        for _ in 0..<2 { await guess(limiter) }
        #expect(isFree(limiter))
        for wait: Int64 in [5, 10, 20, 40] {
            await guess(limiter)
            #expect(!isFree(limiter))
            clock.advance(wait - 1)
            #expect(!isFree(limiter))
            clock.advance(1)
            #expect(isFree(limiter))
        }
    }

    @Test func `nobody waits longer than a quarter of an hour`() async {
        let clock = Clock()
        let limiter = AttemptLimiter(path: path(), effects: clock.effects)
        for _ in 0..<20 {
            await guess(limiter)
            clock.advance(900)
        }
        await guess(limiter)
        clock.advance(899)
        #expect(!isFree(limiter))
        clock.advance(1)
        #expect(isFree(limiter))
    }

    @Test func `a burst has no more tries than a series`() async {
        let limiter = AttemptLimiter(path: path(), effects: Clock().effects)
        let checked = Count()
        let outcomes = await withTaskGroup(of: String.self) { group in
            for _ in 0..<16 {
                group.addTask {
                    do {
                        try await limiter.trying(.program) {
                            checked.up()
                            // Argon2id takes its time, and the others come meanwhile.
                            try await Task.sleep(for: .milliseconds(20))
                            throw VaultError(.wrongPassphrase, "")
                        }
                        return "right"
                    } catch {
                        return AgentError(reporting: error).code.rawValue
                    }
                }
            }
            return await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
        }
        #expect(checked.value == 3 && outcomes == ["wrong_passphrase": 3, "too_many_attempts": 13])
    }

    @Test func `a burst of right ones lets all through`() async throws {
        let limiter = AttemptLimiter(path: path(), effects: Clock().effects)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<16 {
                group.addTask { try await limiter.trying(.program) { try await Task.sleep(for: .milliseconds(1)) } }
            }
            try await group.waitForAll()
        }
        #expect(isFree(limiter))
    }

    @Test func `a program's mistakes keep nobody from the prompt, nor a person's a program`() async {
        let (clock, path) = (Clock(), path())
        let limiter = AttemptLimiter(path: path, effects: clock.effects)
        for _ in 0..<3 { await guess(limiter, .program) }
        #expect(!isFree(limiter, .program) && isFree(limiter, .prompt))
        #expect(isFree(AttemptLimiter(path: path, effects: clock.effects), .prompt))
        clock.advance(5)
        for _ in 0..<3 { await guess(limiter, .prompt) }
        #expect(isFree(limiter, .program) && !isFree(limiter, .prompt))
    }

    @Test func `a try counts before its passphrase is checked`() async throws {
        let (clock, path) = (Clock(), path())
        let limiter = AttemptLimiter(path: path, effects: clock.effects)
        for _ in 0..<2 { await guess(limiter) }
        try await limiter.trying(.program) {
            // The agent that is killed here has counted.
            #expect(!isFree(AttemptLimiter(path: path, effects: clock.effects)))
        }
        #expect(isFree(AttemptLimiter(path: path, effects: clock.effects)))
    }

    @Test func `what has nothing to do with the passphrase does not count, and a cancelled try does`() async {
        let limiter = AttemptLimiter(path: path(), effects: Clock().effects)
        for _ in 0..<2 { await guess(limiter) }
        try? await limiter.trying(.program) { throw VaultError(.secretKeyMissing, "") }
        try? await limiter.trying(.program) { throw AgentError(.denied, "") }
        #expect(isFree(limiter))
        try? await limiter.trying(.program) { throw CancellationError() }
        #expect(!isFree(limiter))
    }

    @Test func `a restart changes nothing, a right one forgets all`() async throws {
        let (clock, path) = (Clock(), path())
        let limiter = AttemptLimiter(path: path, effects: clock.effects)
        for _ in 0..<3 { await guess(limiter) }
        #expect(!isFree(AttemptLimiter(path: path, effects: clock.effects)))
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        AttemptLimiter(path: path, effects: clock.effects).forget()
        #expect(isFree(AttemptLimiter(path: path, effects: clock.effects)))
    }

    @Test func `a clock that goes back makes nobody wait longer, nor shorter`() async {
        let clock = Clock()
        let limiter = AttemptLimiter(path: path(), effects: clock.effects)
        for _ in 0..<3 { await guess(limiter) }
        clock.advance(-100_000)
        #expect(!isFree(limiter))
        clock.advance(100_005)
        #expect(isFree(limiter))
    }

    @Test(arguments: [
        "", "{", "{\"program\":{\"failures\":-5,\"last\":-9223372036854775808}}",
        "{\"program\":{\"failures\":9223372036854775807,\"last\":9223372036854775807},\"else\":{\"failures\":1,\"last\":1}}",
    ])
    func `a file that somebody wrote is not a reason to trap`(text: String) async throws {
        let clock = Clock()
        let path = path()
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        let limiter = AttemptLimiter(path: path, effects: clock.effects)
        _ = isFree(limiter)
        await guess(limiter)
        limiter.forget()
        #expect(isFree(limiter))
    }
}
