internal import Crypto
internal import WardText

/// The name of a device in a vault's log: the first half of the hash of its public key.
public struct DeviceID: Hashable, Sendable, Comparable, CustomStringConvertible {
    /// Sixteen bytes.
    public let bytes: [UInt8]

    init?(_ bytes: [UInt8]) {
        guard bytes.count == 16 else { return nil }
        self.bytes = bytes
    }

    init(publicKey: [UInt8]) {
        bytes = Array(SHA256.hash(data: Array("ward/v1/device-id".utf8) + [0] + publicKey).prefix(16))
    }

    /// The first four bytes in hexadecimal: enough to tell one's devices apart.
    public var description: String { Hex.encode(bytes.prefix(4)) }

    /// Orders by bytes.
    public static func < (lhs: Self, rhs: Self) -> Bool { lhs.bytes.lexicographicallyPrecedes(rhs.bytes) }
}

/// A time that never runs backwards, whatever clocks do: seconds since 1970 and a counter within the second.
///
/// Every entry has a later one than all entries its device had seen.
struct HybridTime: Hashable, Sendable, Comparable {
    /// Seconds times 65,536, plus the counter.
    let value: UInt64

    init(value: UInt64) { self.value = value }

    /// The first time that is neither before `now` nor at or before `last`.
    init(now: Int64, after last: HybridTime?) {
        let clock = UInt64(min(max(0, now), Int64(1) << 46)) << 16
        value = max(clock, (last?.value ?? 0) &+ 1)
    }

    /// Seconds since 1970.
    var seconds: Int64 { Int64(value >> 16) }

    static func < (lhs: Self, rhs: Self) -> Bool { lhs.value < rhs.value }
}
