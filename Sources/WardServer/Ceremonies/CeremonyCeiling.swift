import Synchronization
import WardAccounts
import WardWebAuthn

/// Limits the number of open ceremonies, and of wrong answers that are stored, so that requests of strangers cannot fill the disk.
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
    /// When the current period began, and how many wrong answers came in it.
    private let wrongAnswers = Mutex((since: Int64.min, count: 0))
    /// The length of a period in seconds: about as long as the row of a wrong answer stays.
    private static let period: Int64 = 300

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

    /// Whether one more wrong answer to a ceremony that the page kept may be stored.
    ///
    /// Beyond the limit such a ceremony can be answered again after a wrong answer. A right answer is always stored.
    func admitsWrongAnswer(at now: Int64) -> Bool {
        wrongAnswers.withLock { period in
            let isCurrent = period.since <= now && now < period.since.addingReportingOverflow(Self.period).partialValue
            if !isCurrent { period = (now, 0) }
            guard period.count < limit else { return false }
            period.count += 1
            return true
        }
    }

    /// A ceremony was answered.
    func taken() {
        estimate.withLock { $0 = max(0, $0 - 1) }
    }
}
