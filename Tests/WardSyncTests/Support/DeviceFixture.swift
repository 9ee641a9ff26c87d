import Crypto
import Foundation
import WardLog

/// A device that signs entries, one after the other.
final class DeviceFixture {
    let vault: VaultID
    let key: Curve25519.Signing.PrivateKey
    let id: DeviceID
    private(set) var records: [LogRecord] = []

    init(_ vault: VaultID, key: Curve25519.Signing.PrivateKey = Curve25519.Signing.PrivateKey()) {
        self.vault = vault
        self.key = key
        id = DeviceID(publicKey: [UInt8](key.publicKey.rawRepresentation))
    }

    var publicKey: [UInt8] { [UInt8](key.publicKey.rawRepresentation) }

    /// The next entries.
    ///
    /// - Parameters:
    ///   - count: How many.
    ///   - size: The length of the blob of each entry; `nil` for entries without a blob.
    ///   - byte: What the blobs consist of.
    /// - Returns: The new records.
    @discardableResult
    func write(_ count: Int = 1, blob size: Int? = 40, of byte: UInt8 = 7) throws -> [LogRecord] {
        for _ in 0..<count {
            let blob = size.map { [UInt8](repeating: byte, count: $0) }
            let operation: LogOperation =
                if let blob {
                    .content(ContentEntry(item: LogItemID(prefix: [1]), blobHash: Array(SHA256.hash(data: blob))))
                } else {
                    .purge(item: LogItemID(prefix: [1]), parents: [])
                }
            records.append(LogRecord(entry: try sign(operation), blob: blob))
        }
        return Array(records.suffix(count))
    }

    /// An entry after the last one, which is not kept.
    func sign(_ operation: LogOperation, sequence: UInt64? = nil) throws -> SignedEntry {
        let last = records.last?.entry
        let entry = LogEntry(
            device: id,
            sequence: sequence ?? UInt64(records.count) + 1,
            previous: last?.hash,
            time: HybridTime(now: 1_700_000_000, after: last?.entry.time),
            seen: [],
            operation: operation
        )
        return try entry.signed(vault: vault) { try [UInt8](key.signature(for: $0)) }
    }
}
