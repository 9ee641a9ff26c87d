internal import Crypto
internal import WardText

/// The ID of a vault: the hash of the log's first entry, so that another log cannot pass for this vault's.
public struct VaultID: Hashable, Sendable, CustomStringConvertible {
    /// Thirty-two bytes.
    public let bytes: [UInt8]

    init?(_ bytes: [UInt8]) {
        guard bytes.count == 32 else { return nil }
        self.bytes = bytes
    }

    init(genesis payload: [UInt8]) {
        bytes = Array(SHA256.hash(data: Array("ward/v1/vault".utf8) + [0] + payload))
    }

    /// The first eight bytes in hexadecimal, enough to distinguish vaults.
    public var description: String { Hex.encode(bytes.prefix(8)) }
}
