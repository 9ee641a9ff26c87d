internal import Foundation
package import NIOCore

/// What counts as one client: an IPv4 address, or the first 56 bits of an IPv6 address, which one customer gets.
package struct ClientAddress: Hashable, Sendable {
    private let bytes: [UInt8]

    /// - Parameter address: The other end of a connection; all that have no IP address are one client.
    package init(_ address: SocketAddress?) {
        let text = address?.ipAddress ?? ""
        self.init(packed: Self.packed(text, AF_INET, 4) ?? Self.packed(text, AF_INET6, 16) ?? [])
    }

    private static func packed(_ text: String, _ family: Int32, _ count: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        return unsafe inet_pton(family, text, &bytes) == 1 ? bytes : nil
    }

    /// - Parameter packed: 4 or 16 bytes in network order.
    package init(packed: [UInt8]) {
        // RFC 4291, section 2.5.5.2: an IPv4 client of a socket that listens on IPv6.
        let mapped: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff]
        if packed.count == 16, !packed.starts(with: mapped) {
            bytes = Array(packed.prefix(7))
        } else {
            bytes = Array(packed.suffix(4))
        }
    }
}
