import Crypto

/// Makes guessing slow: after ten wrong passwords in a row for one name, each further try has to wait.
///
/// Waiting begins with 5 seconds and doubles up to 15 minutes, which leaves a guesser about a hundred tries a day, and is
/// forgotten with the right password or after a quiet day. A try counts as wrong from the moment it begins, so a burst
/// gets no more tries than a patient guesser. Names without an account are treated alike, and passkeys are never
/// concerned: who holds somebody up in this way does not lock them out.
///
/// Kept in memory: a restart forgets it. Addresses are not counted here, because behind its proxy the service sees none.
package struct PasswordAttempts: Sendable {
    private struct Failures {
        var count = 0
        var last: Int64 = 0
    }

    /// A name, as a digest: what was typed is not kept.
    package struct Key: Hashable, Sendable {
        private let digest: [UInt8]

        /// - Parameter name: As it is mapped, or as it was typed if no account can have it.
        package init(_ name: String) { digest = Array(SHA256.hash(data: Array(name.utf8))) }
    }

    /// How many wrong ones are free.
    package static let free = 10
    /// The first wait, in seconds.
    package static let firstWait: Int64 = 5
    /// The longest wait, in seconds.
    package static let longestWait: Int64 = 900
    /// How many quiet seconds make the wrong ones forgotten.
    package static let memory: Int64 = 86_400

    private let capacity: Int
    private var names: [Key: Failures] = [:]

    /// - Parameter capacity: How many names are remembered at most.
    package init(capacity: Int = 100_000) { self.capacity = capacity }

    /// How many names are remembered.
    package var count: Int { names.count }

    /// Begins a try, which counts as wrong until ``succeeded(_:)`` or ``withdrawn(_:)`` says otherwise.
    ///
    /// - Returns: `nil` if it may begin, or how many seconds are left to wait; then nothing is counted.
    package mutating func begin(_ key: Key, at now: Int64) -> Int64? {
        var failures = names[key] ?? Failures()
        // A clock that went back makes nobody wait longer than the wait itself.
        let passed = max(0, now - failures.last)
        if passed >= Self.memory { failures.count = 0 }
        if failures.count >= Self.free {
            let wait = min(Self.longestWait, Self.firstWait << Int64(min(failures.count - Self.free, 16)))
            if passed < wait { return wait - passed }
        }
        if names[key] == nil { makeRoom(at: now) }
        names[key] = Failures(count: min(failures.count + 1, 1000), last: now)
        return nil
    }

    /// The password was right: the wrong ones before it are forgotten.
    package mutating func succeeded(_ key: Key) { names[key] = nil }

    /// The password was not looked at after all.
    package mutating func withdrawn(_ key: Key) {
        guard let failures = names[key] else { return }
        names[key]?.count -= 1
        if failures.count <= 1 { names[key] = nil }
    }

    /// Names that were tried least and longest ago go first: a flood of names does not free the one that is guessed at.
    private mutating func makeRoom(at now: Int64) {
        guard names.count >= capacity else { return }
        names = names.filter { now - $0.value.last < Self.memory }
        guard names.count >= capacity else { return }
        let kept = names.sorted { ($0.value.count, $0.value.last) > ($1.value.count, $1.value.last) }
            .prefix(capacity * 3 / 4)
        names = Dictionary(uniqueKeysWithValues: kept.map { ($0.key, $0.value) })
    }
}
