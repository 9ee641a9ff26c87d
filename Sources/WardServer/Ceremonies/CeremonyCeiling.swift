import Synchronization
import WardAccounts
import WardWebAuthn

/// Keeps the number of open ceremonies below a ceiling, so that requests of strangers do not fill the disk.
///
/// At the ceiling a new ceremony pushes out the ones that expire first: a person answers within a minute, a flood
/// never does. The number is counted once a minute and estimated in between, because counting takes long.
package final class CeremonyCeiling: Sendable {
    /// The largest number of open ceremonies; about 40 MB in SQLite.
    package static let standard = 100_000

    private let limit: Int
    private let estimate = Mutex(0)

    package init(_ limit: Int = standard) {
        self.limit = limit
    }

    /// The store was asked how many there are.
    func measured(_ count: Int) {
        estimate.withLock { $0 = count }
    }

    /// Stores a new ceremony.
    func insert(_ ceremony: Ceremony, in tx: some AccountTransaction) async throws {
        try await insert(CeremonyRecord(ceremony), in: tx)
    }

    /// Stores a new record in the place of ceremonies.
    func insert(_ record: CeremonyRecord, in tx: some AccountTransaction) async throws {
        try await tx.insert(record)
        guard estimate.withLock({ $0 }) >= limit else {
            estimate.withLock { $0 += 1 }
            return
        }
        // Two for one, so that an estimate that was too low comes right again.
        let count = try await tx.deleteExpiredCeremonies(before: .max, limit: 2)
        estimate.withLock { $0 += 1 - count }
    }

    /// A ceremony was answered.
    func taken() {
        estimate.withLock { $0 = max(0, $0 - 1) }
    }
}
