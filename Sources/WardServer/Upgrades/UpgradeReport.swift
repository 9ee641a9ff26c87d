package import WardAccounts
package import WardText

/// The way from passwords to passkeys in numbers: what happened on each of the last days, and which passwords nobody uses.
package struct UpgradeReport: Sendable {
    /// What happened on one day.
    package struct Day: Hashable, Sendable {
        /// The number of days since 1970-01-01, in UTC.
        package let day: Int64
        /// How often a page asked for a passkey without a prompt.
        package var asked: Int64 = 0
        /// How often that gave a passkey.
        package var upgraded: Int64 = 0
        /// How often a passkey was offered.
        package var upsold: Int64 = 0
        /// How often the offer was put away.
        package var dismissed: Int64 = 0

        package init(_ day: Int64) { self.day = day }

        /// The date: `2026-11-25`.
        package var date: String {
            String(JSONTime.text(day * UpgradeCount.secondsPerDay).prefix { $0 != "T" })
        }

        mutating func add(_ other: Day) {
            asked += other.asked
            upgraded += other.upgraded
            upsold += other.upsold
            dismissed += other.dismissed
        }
    }

    /// The number of days without use after which a password counts as unused.
    package static let unusedDays: Int64 = 90
    /// How many days a report can have.
    package static let lengths: ClosedRange<Int> = 1...Int(Sweeping.upgradeDays)

    /// The days, oldest first, today last.
    package let days: [Day]
    /// The sums of all days.
    package let total: Day
    /// The number of accounts that have a password which was not used for ``unusedDays``, while a passkey was.
    package let unusedPasswords: Int

    /// Reads the counts.
    ///
    /// - Parameters:
    ///   - count: The number of days; one of ``lengths``.
    ///   - now: Seconds since 1970.
    ///   - tx: The transaction.
    /// - Throws: The store's errors.
    package init(days count: Int, at now: Int64, in tx: some AccountTransaction) async throws {
        let today = UpgradeCount.day(of: now)
        let first = today - Int64(count) + 1
        var days = (first...today).map { Day($0) }
        for found in try await tx.upgradeCounts(since: first) where found.day <= today {
            let index = Int(found.day - first)
            switch found.kind {
            case .asked: days[index].asked = found.count
            case .upgraded: days[index].upgraded = found.count
            case .upsold: days[index].upsold = found.count
            case .dismissed: days[index].dismissed = found.count
            default: break
            }
        }
        self.days = days
        total = days.reduce(into: Day(first)) { $0.add($1) }
        let oldest = now - Self.unusedDays * UpgradeCount.secondsPerDay
        unusedPasswords = try await tx.unusedPasswordCount(since: oldest)
    }

    /// The report as JSON.
    package var json: JSONValue {
        [
            "days": .array(days.map { .object([.init("day", .string($0.date))] + Self.counts($0)) }),
            "total": .object(Self.counts(total)),
            "unusedPasswords": .integer(Int64(unusedPasswords)),
            "unusedDays": .integer(Self.unusedDays),
        ]
    }

    private static func counts(_ day: Day) -> [JSONValue.Member] {
        [
            .init("asked", .integer(day.asked)), .init("upgraded", .integer(day.upgraded)),
            .init("upsold", .integer(day.upsold)), .init("dismissed", .integer(day.dismissed)),
        ]
    }
}
