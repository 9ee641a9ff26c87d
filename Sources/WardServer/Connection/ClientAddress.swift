package import NIOCore

/// The address that counts as one client: an IPv4 address, or the first 56 bits of an IPv6 address, which belong to one
/// customer.
package struct ClientAddress: Hashable, Sendable {
    /// 4 or 7 bytes.
    ///
    /// It is empty for all clients without an IP address.
    package let bytes: [UInt8]

    /// - Parameter address: The other end of a connection; all that have no IP address are one client.
    package init(_ address: SocketAddress?) {
        self.init(packed: address?.ipAddress.flatMap { IPAddress($0) }?.bytes ?? [])
    }

    /// - Parameter packed: 4 or 16 bytes in network order.
    package init(packed: [UInt8]) {
        let address = IPAddress(packed: packed)
        bytes = address.bytes.count == 16 ? Array(address.bytes.prefix(7)) : address.bytes
    }
}

extension ClientAddress: CustomStringConvertible {
    /// The address, or the prefix of an IPv6 address: `192.0.2.1`, `2001:db8:0:ab00::/56`.
    package var description: String {
        guard bytes.count == 7 else { return bytes.map { "\($0)" }.joined(separator: ".") }
        let padded = bytes + [0]
        let groups = stride(from: 0, to: 8, by: 2).map { index in
            String(UInt16(padded[index]) << 8 | UInt16(padded[index + 1]), radix: 16)
        }
        return groups.joined(separator: ":") + "::/56"
    }
}
