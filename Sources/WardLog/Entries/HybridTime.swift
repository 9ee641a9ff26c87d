/// The time of an entry: seconds since 1970, and a counter for the entries of the same second.
///
/// On one device, each entry has a later time than the entry before it. The order of entries from different devices comes from
/// their references to each other, never from their times.
package struct HybridTime: Hashable, Sendable, Comparable {
    /// Seconds times 65,536, plus the counter.
    package let value: UInt64

    /// The limit of all times: every entry has an earlier time.
    package static let limit: UInt64 = 1 << 63
    /// How far ahead of a writer's clock another device's time may be before the writer ignores it, in seconds.
    package static let tolerance: Int64 = 86_400

    package init(value: UInt64) { self.value = value }

    /// The earliest time that is not before `now` and is after `last`.
    package init(now: Int64, after last: HybridTime?) {
        value = max(Self(seconds: now).value, last.map { $0.value + 1 } ?? 0)
    }

    /// The beginning of a second; a second outside the range counts as the nearest second inside.
    package init(seconds: Int64) { value = UInt64(min(max(0, seconds), Int64(1) << 46)) << 16 }

    /// Seconds since 1970.
    package var seconds: Int64 { Int64(value >> 16) }

    package static func < (lhs: Self, rhs: Self) -> Bool { lhs.value < rhs.value }
}
