internal import Foundation
internal import Synchronization
internal import WardAgentClient
internal import WardVault
internal import WardWebAuthn

/// Slows down guessing through the agent: after three wrong passphrases in a row, each further attempt must wait.
///
/// The first wait is 5 seconds; each further wrong passphrase doubles it, up to 15 minutes. A restart of the agent changes
/// nothing.
///
/// Each ``Source`` has its own count. So a program that guesses cannot block the person at the prompt. An attempt is counted
/// before its passphrase is checked, and attempts of one source are checked one after the other. So many attempts at the same
/// time are limited like attempts one after the other.
///
/// This does not stop every attack. A program of the same user can delete the file with the counts, and an attacker with the
/// vault's file can guess without the agent. Against both, Argon2id makes each guess expensive, and the Secret Key is needed
/// too.
final class AttemptLimiter: Sendable {
    /// The source of a passphrase.
    enum Source: String, CaseIterable, Sendable {
        /// A program of the credential manager sent the passphrase, as with `--passphrase-fd`.
        case program
        /// The person typed the passphrase into the agent's prompt.
        case prompt
    }

    private struct Count: Codable {
        var failures = 0
        var last: Int64 = 0
    }

    private static let free = 3
    private static let most = 1000
    private static let longestWait: Int64 = 900

    private let path: String
    private let effects: Effects
    private let counts: Mutex<[String: Count]>
    private let turns: [Source: Turns]
    private let whenRight: @Sendable () -> Void

    /// - Parameters:
    ///   - path: The file that has the counts.
    ///   - effects: Time.
    ///   - whenRight: Called after a passphrase was right, or a new one was chosen.
    init(path: String, effects: Effects, whenRight: @escaping @Sendable () -> Void = {}) {
        self.path = path
        self.effects = effects
        self.whenRight = whenRight
        var stored =
            (try? JSONDecoder().decode([String: Count].self, from: Data(contentsOf: URL(fileURLWithPath: path)))) ?? [:]
        // The file can contain any numbers. With these bounds their sums do not overflow.
        stored = stored.filter { Source(rawValue: $0.key) != nil }.mapValues {
            Count(failures: min(max(0, $0.failures), Self.most), last: min(max(0, $0.last), 1 << 40))
        }
        counts = Mutex(stored)
        turns = Dictionary(uniqueKeysWithValues: Source.allCases.map { ($0, Turns()) })
    }

    /// Throws if another attempt is not allowed yet.
    ///
    /// - Throws: `AgentError` with `tooManyAttempts`.
    func check(_ source: Source) throws(AgentError) {
        let wait = counts.withLock { remaining($0[source.rawValue] ?? Count()) }
        guard wait == 0 else { throw Self.tooEarly(wait) }
    }

    /// Checks one passphrase, after the earlier attempts of the same source.
    ///
    /// The attempt counts as wrong from the start. The count is corrected if the passphrase is right, or if the error is not
    /// about the passphrase. An attempt that is cancelled stays counted.
    ///
    /// - Parameters:
    ///   - source: Where the passphrase comes from.
    ///   - body: Checks the passphrase.
    /// - Returns: What the body returns.
    /// - Throws: `AgentError` with `tooManyAttempts`, or what the body throws.
    func trying<T: Sendable>(
        _ source: Source,
        _ body: @escaping @Sendable () async throws -> T
    ) async throws -> T {
        guard let turns = turns[source] else { return try await body() }
        return try await turns.next { [self] in
            let before = try begin(source)
            do {
                let value = try await body()
                change(source, to: nil)
                whenRight()
                return value
            } catch {
                change(source, to: Self.mayBeWrong(error) ? counted(before) : before)
                throw error
            }
        }
    }

    /// Whether an error means that the passphrase is wrong, or can mean that.
    private static func mayBeWrong(_ error: any Error) -> Bool {
        switch error {
        case let error as VaultError: error.code == .wrongPassphrase
        case is AgentError: false
        default: true
        }
    }

    /// Resets the counts after the person chose a new passphrase.
    func forget() {
        for source in Source.allCases { change(source, to: nil) }
        whenRight()
    }

    /// Counts an attempt, and returns the count before it.
    private func begin(_ source: Source) throws(AgentError) -> Count {
        let (before, wait) = counts.withLock { counts in
            let before = counts[source.rawValue] ?? Count()
            let wait = remaining(before)
            guard wait == 0 else { return (before, wait) }
            counts[source.rawValue] = counted(before)
            save(counts)
            return (before, 0)
        }
        guard wait == 0 else { throw Self.tooEarly(wait) }
        return before
    }

    /// The count after one more wrong passphrase, with the time of the next allowed attempt.
    private func counted(_ before: Count) -> Count {
        Count(failures: min(before.failures + 1, Self.most), last: effects.now())
    }

    private func change(_ source: Source, to count: Count?) {
        counts.withLock { counts in
            guard counts[source.rawValue] != nil else { return }
            counts[source.rawValue] = count
            save(counts)
        }
    }

    private static func tooEarly(_ wait: Int64) -> AgentError {
        AgentError(
            .tooManyAttempts,
            "Too many passphrases were wrong, or their check was interrupted. Try again in \(wait) seconds"
        )
    }

    private func remaining(_ count: Count) -> Int64 {
        guard count.failures >= Self.free else { return 0 }
        let wait = min(Self.longestWait, 5 << Int64(min(count.failures - Self.free, 16)))
        let now = effects.now()
        // If the clock was set back, the wait must still not be longer than usual.
        let passed = now >= count.last ? now - count.last : 0
        return max(0, min(wait, wait - passed))
    }

    private func save(_ counts: [String: Count]) {
        guard let data = try? JSONEncoder().encode(counts) else { return }
        let url = URL(fileURLWithPath: path)
        try? data.write(to: url, options: .atomic)
        unsafe chmod(path, 0o600)
    }
}
