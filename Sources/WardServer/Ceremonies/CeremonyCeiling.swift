import Synchronization
import WardAccounts
import WardWebAuthn

/// Limits the number of open ceremonies, so that requests of strangers cannot fill the disk.
///
/// At the limit, a new ceremony replaces those that expire first: a person answers within a minute, an attacker usually never.
/// The number is counted once a minute and estimated in between, because counting takes long.
package final class CeremonyCeiling: Sendable {
    /// The maximum number of open ceremonies.
    ///
    /// They take about 40 MB in SQLite.
    package static let standard = 100_000

    private let limit: Int
    private let estimate = Mutex(0)

    package init(_ limit: Int = standard) {
        self.limit = limit
    }

    /// The store was asked for the number of ceremonies.
    func measured(_ count: Int) {
        estimate.withLock { $0 = count }
    }

    /// Stores a new ceremony.
    func insert(_ ceremony: Ceremony, in tx: some AccountTransaction) async throws {
        try await insert(CeremonyRecord(ceremony), in: tx)
    }

    /// Stores a new ceremony and deletes the ones that it replaces.
    func insert(_ record: CeremonyRecord, in tx: some AccountTransaction) async throws {
        try await tx.insert(record)
        guard estimate.withLock({ $0 }) >= limit else {
            estimate.withLock { $0 += 1 }
            return
        }
        // Two ceremonies are deleted for each new one. So the number comes down if the estimate was too low.
        let count = try await tx.deleteExpiredCeremonies(before: .max, limit: 2)
        estimate.withLock { $0 += 1 - count }
    }

    /// A ceremony was answered.
    func taken() {
        estimate.withLock { $0 = max(0, $0 - 1) }
    }
}
