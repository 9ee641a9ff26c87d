import Crypto
import WardLog

extension LogRecord {
    /// A device that nobody admitted.
    static let forger = DeviceID(publicKey: [7])

    /// Entries of the forger, which name nothing, and which every vault refuses.
    ///
    /// - Parameters:
    ///   - numbers: Their sequences, from 1.
    ///   - blob: The content that each of them names.
    /// - Returns: The entries.
    static func forged(_ numbers: ClosedRange<UInt64>, blob: [UInt8]? = nil) -> [LogRecord] {
        let item = LogItemID(prefix: [1])
        var operation = LogOperation.purge(item: item, parents: [])
        if let blob {
            operation = .content(ContentEntry(item: item, blobHash: Array(SHA256.hash(data: blob))))
        }
        return numbers.map { number in
            let entry = LogEntry(
                device: forger,
                sequence: number,
                previous: nil,
                time: HybridTime(value: 1),
                seen: [],
                operation: operation
            )
            return LogRecord(entry: entry.signed(vault: nil) { _ in [UInt8](repeating: 7, count: 64) }, blob: blob)
        }
    }
}
