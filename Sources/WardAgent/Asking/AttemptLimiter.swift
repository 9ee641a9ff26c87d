internal import Foundation
internal import Synchronization
internal import WardAgentClient
internal import WardVault
internal import WardWebAuthn

/// Slows down guessing through the agent: after three wrong passphrases in a row each further try has to wait.
///
/// The first wait is 5 seconds; each further wrong passphrase doubles it, up to 15 minutes. A restart of the agent changes
/// nothing.
///
/// Each ``Source`` is counted by itself, so that a program that guesses keeps nobody from typing at the prompt. A try is counted
/// before its passphrase is checked, and tries of one source are checked one after the other, so that a burst has no more tries
/// than a series.
///
/// This does not stop every attack. A program of the same user may remove the file that has the counts, and somebody with the
/// vault's file guesses without the agent. What protects against both is Argon2id, which makes each guess expensive, and the Secret
/// Key.
final class AttemptLimiter: Sendable {
    /// Where a passphrase comes from.
    enum Source: String, CaseIterable, Sendable {
        /// A manager program brought the passphrase, as with `--passphrase-fd`.
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
        // Whatever stands in the file, sums of these stay within range.
        stored = stored.filter { Source(rawValue: $0.key) != nil }.mapValues {
            Count(failures: min(max(0, $0.failures), Self.most), last: min(max(0, $0.last), 1 << 40))
        }
        counts = Mutex(stored)
        turns = Dictionary(uniqueKeysWithValues: Source.allCases.map { ($0, Turns()) })
    }

    /// Refuses while it is too early for another try.
    ///
    /// - Throws: `AgentError` with `tooManyAttempts`.
    func check(_ source: Source) throws(AgentError) {
        let wait = counts.withLock { remaining($0[source.rawValue] ?? Count()) }
        guard wait == 0 else { throw Self.tooEarly(wait) }
    }

    /// Runs the check of one passphrase, after those of the same source that came before.
    ///
    /// The try counts as wrong from the start. It is taken back when the passphrase was right, or when the error has nothing to
    /// do with the passphrase; a try that is cancelled stays counted.
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

    /// Whether an error says that the passphrase is wrong, or leaves that open.
    private static func mayBeWrong(_ error: any Error) -> Bool {
        switch error {
        case let error as VaultError: error.code == .wrongPassphrase
        case is AgentError: false
        default: true
        }
    }

    /// Forgets all wrong passphrases, after the person chose a new one.
    func forget() {
        for source in Source.allCases { change(source, to: nil) }
        whenRight()
    }

    /// Counts a try, and answers what the count was before.
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

    /// The count with one more wrong passphrase, from which on the next one waits.
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
        AgentError(.tooManyAttempts, "too many wrong passphrases: try again in \(wait) seconds")
    }

    private func remaining(_ count: Count) -> Int64 {
        guard count.failures >= Self.free else { return 0 }
        let wait = min(Self.longestWait, 5 << Int64(min(count.failures - Self.free, 16)))
        let now = effects.now()
        // A clock that went back must not make anyone wait longer than the wait itself.
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
