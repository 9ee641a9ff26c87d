internal import Crypto
internal import WardText

/// The ID of a vault: the hash of the first entry of its log, so no other log has this ID.
public struct VaultID: Hashable, Sendable, CustomStringConvertible {
    /// Thirty-two bytes.
    public let bytes: [UInt8]

    /// Reads an ID that was stored, or returns `nil` if the length is wrong.
    public init?(_ bytes: [UInt8]) {
        guard bytes.count == LogEntry.hashLength else { return nil }
        self.bytes = bytes
    }

    package init(genesis payload: [UInt8]) {
        bytes = Array(SHA256.hash(data: Array("ward/v1/vault".utf8) + [0] + payload))
    }

    /// The first eight bytes in hexadecimal: enough to tell vaults apart.
    public var description: String { Hex.encode(bytes.prefix(8)) }

    /// Hashes all bytes at once: the hash of an array takes one byte after the other.
    public func hash(into hasher: inout Hasher) {
        unsafe bytes.withUnsafeBytes { bytes in unsafe hasher.combine(bytes: bytes) }
    }
}
