internal import WardLog

/// How many entries wait for others in memory, and how many bytes.
package struct WaitingLimit: Sendable {
    /// The maximum number of entries.
    let count: Int
    /// The maximum length of all of them.
    let bytes: Int

    /// Of entries that may bring a removed device back, at most so many of each device wait in any case.
    let helpers: Int

    /// Makes a limit; a test makes it smaller.
    package init(count: Int = 10_000, bytes: Int = 64 << 20, helpers: Int = 1_000) {
        (self.count, self.bytes, self.helpers) = (count, bytes, helpers)
    }

    /// The limit for entries that were dropped and are needed: another device of this person had room for them.
    var ofWanted: Self { Self(count: 10 * count, bytes: 4 * bytes, helpers: helpers) }

    /// Whether so much may wait.
    func allows(_ records: [LogRecord]) -> Bool { share(of: records) <= 1 }

    /// How much of the limit entries use up: 1 is all of it.
    func share(of records: [LogRecord]) -> Double {
        max(Double(records.count) / Double(count), Double(records.reduce(0) { $0 + $1.size }) / Double(bytes))
    }
}
