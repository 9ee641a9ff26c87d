internal import Foundation

/// An IPv4 or IPv6 address.
///
/// An IPv4 address that is mapped into IPv6 is an IPv4 address (RFC 4291, section 2.5.5.2).
struct IPAddress: Hashable, Sendable {
    /// 4 or 16 bytes, in network order.
    let bytes: [UInt8]

    /// The number of bits.
    var bits: Int { bytes.count * 8 }

    /// Reads the text of an address, without a port, brackets or a zone.
    init?(_ text: String) {
        guard let bytes = Self.packed(text, AF_INET, 4) ?? Self.packed(text, AF_INET6, 16) else { return nil }
        self.init(packed: bytes)
    }

    /// - Parameter packed: 4 or 16 bytes in network order.
    init(packed: [UInt8]) {
        let mapped: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff]
        bytes = packed.count == 16 && packed.starts(with: mapped) ? Array(packed.suffix(4)) : packed
    }

    private static func packed(_ text: String, _ family: Int32, _ count: Int) -> [UInt8]? {
        // C functions would read only the text before a zero byte.
        guard !text.utf8.contains(0) else { return nil }
        var bytes = [UInt8](repeating: 0, count: count)
        return unsafe inet_pton(family, text, &bytes) == 1 ? bytes : nil
    }

    /// Whether the first bits are the same as those of another address.
    func isInside(_ prefix: IPAddress, bits: Int) -> Bool {
        guard bytes.count == prefix.bytes.count else { return false }
        return zip(bytes, prefix.bytes).enumerated().allSatisfy { index, pair in
            let left = max(0, min(8, bits - index * 8))
            return (pair.0 ^ pair.1) >> (8 - left) == 0
        }
    }
}
