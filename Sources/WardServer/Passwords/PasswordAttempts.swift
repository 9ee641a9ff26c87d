import Crypto

/// Slows guessing: after ten wrong passwords in a row for one name, each further try must wait.
///
/// The wait begins with 5 seconds and doubles up to 15 minutes, which allows about a hundred tries a day. The right
/// password or a day without tries resets it. A try counts as wrong from the moment it begins, so parallel tries gain
/// nothing. Names without an account are treated the same. Passkeys are not affected, so an attacker cannot lock a
/// person out.
///
/// The counts are in memory; a restart clears them. Addresses are not counted, because the service behind its proxy
/// does not see them.
package struct PasswordAttempts: Sendable {
    private struct Failures {
        var count = 0
        var last: Int64 = 0
    }

    /// A name as a digest: the typed name is not stored.
    package struct Key: Hashable, Sendable {
        private let digest: [UInt8]

        /// - Parameter name: The mapped user name, or the typed text if it is not a valid user name.
        package init(_ name: String) { digest = Array(SHA256.hash(data: Array(name.utf8))) }
    }

    /// The number of wrong passwords without a wait.
    package static let free = 10
    /// The first wait, in seconds.
    package static let firstWait: Int64 = 5
    /// The longest wait, in seconds.
    package static let longestWait: Int64 = 900
    /// After this many seconds without a try the count is reset.
    package static let memory: Int64 = 86_400

    private let capacity: Int
    private var names: [Key: Failures] = [:]

    /// - Parameter capacity: The maximum number of names to remember.
    package init(capacity: Int = 100_000) { self.capacity = capacity }

    /// The number of names that are remembered.
    package var count: Int { names.count }

    /// Begins a try.
    ///
    /// It counts as wrong until ``succeeded(_:)`` or ``withdrawn(_:)`` is called.
    ///
    /// - Returns: `nil` if the try may begin, or the remaining wait in seconds; then the try is not counted.
    package mutating func begin(_ key: Key, at now: Int64) -> Int64? {
        var failures = names[key] ?? Failures()
        // If the clock was set back, the wait does not become longer.
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

    /// The password was right: forgets the wrong ones before it.
    package mutating func succeeded(_ key: Key) { names[key] = nil }

    /// The password was not checked after all: takes the try back.
    package mutating func withdrawn(_ key: Key) {
        guard let failures = names[key] else { return }
        names[key]?.count -= 1
        if failures.count <= 1 { names[key] = nil }
    }

    /// Removes the names with the fewest and oldest tries first, so that a flood of names does not reset the name that
    /// is under attack.
    private mutating func makeRoom(at now: Int64) {
        guard names.count >= capacity else { return }
        names = names.filter { now - $0.value.last < Self.memory }
        guard names.count >= capacity else { return }
        let kept = names.sorted { ($0.value.count, $0.value.last) > ($1.value.count, $1.value.last) }
            .prefix(capacity * 3 / 4)
        names = Dictionary(uniqueKeysWithValues: kept.map { ($0.key, $0.value) })
    }
}
