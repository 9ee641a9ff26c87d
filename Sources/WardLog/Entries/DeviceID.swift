internal import Crypto
internal import WardText

/// The ID of a device in a vault's log: the first half of the hash of its public key.
public struct DeviceID: Hashable, Sendable, Comparable, CustomStringConvertible {
    /// Sixteen bytes.
    public let bytes: [UInt8]

    package static let length = 16

    /// Reads an ID that was stored, or returns `nil` if the length is wrong.
    public init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.length else { return nil }
        self.bytes = bytes
    }

    package init(publicKey: [UInt8]) {
        bytes = Array(SHA256.hash(data: Array("ward/v1/device-id".utf8) + [0] + publicKey).prefix(Self.length))
    }

    /// The first four bytes in hexadecimal: enough to tell a person's devices apart.
    public var description: String { Hex.encode(bytes.prefix(4)) }

    /// Hashes all bytes at once: the hash of an array takes one byte after the other, and circles have many sets of devices.
    public func hash(into hasher: inout Hasher) {
        unsafe bytes.withUnsafeBytes { bytes in unsafe hasher.combine(bytes: bytes) }
    }

    /// Orders by bytes.
    public static func < (lhs: Self, rhs: Self) -> Bool { lhs.bytes.lexicographicallyPrecedes(rhs.bytes) }
}
