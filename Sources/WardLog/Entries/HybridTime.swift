/// The time of an entry: seconds since 1970 and a counter within the second.
///
/// An entry is later than the one before on the same device. Entries of different devices are ordered by what they name, never
/// by time.
package struct HybridTime: Hashable, Sendable, Comparable {
    /// Seconds times 65,536, plus the counter.
    package let value: UInt64

    /// No entry has this time or a later one.
    package static let limit: UInt64 = 1 << 63
    /// How far ahead of a writer's clock another device's time may be before the writer ignores it, in seconds.
    package static let tolerance: Int64 = 86_400

    package init(value: UInt64) { self.value = value }

    /// The first time that is neither before `now` nor at or before `last`.
    package init(now: Int64, after last: HybridTime?) {
        value = max(Self(seconds: now).value, last.map { $0.value + 1 } ?? 0)
    }

    /// The beginning of a second; a clock before 1970 or after some million years counts as the nearest second between.
    package init(seconds: Int64) { value = UInt64(min(max(0, seconds), Int64(1) << 46)) << 16 }

    /// Seconds since 1970.
    package var seconds: Int64 { Int64(value >> 16) }

    package static func < (lhs: Self, rhs: Self) -> Bool { lhs.value < rhs.value }
}
