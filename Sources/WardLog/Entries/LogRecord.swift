internal import Crypto

/// A signed entry as devices exchange it, with the blob that it names.
package struct LogRecord: Hashable, Sendable {
    package var entry: SignedEntry
    /// The sealed item of a revision, the sealed content of an attached file, or the header that an operation brings.
    ///
    /// It is `nil` if the entry names none, or if its device no longer keeps it.
    package var blob: [UInt8]?

    package init(entry: SignedEntry, blob: [UInt8]? = nil) {
        self.entry = entry
        self.blob = blob
    }

    /// The number of the entry on its device.
    package var sequence: UInt64 { entry.entry.sequence }

    /// How many bytes the entry and its blob have.
    package var size: Int { entry.encoded.count + (blob?.count ?? 0) }

    /// SHA-256 of the blob that the entry names; `nil` if it names none.
    package var blobHash: [UInt8]? {
        switch entry.entry.operation {
        case .revision(let record): record.blobHash
        case .content(let record): record.blobHash
        case .header(_, let hash): hash
        case .circle(let record): record.keys?.headerHash
        case .genesis, .enrol, .purge, .ignorable, .unknown: nil
        }
    }

    /// Whether the blob is the one that the entry names.
    ///
    /// A missing blob fits every entry. Nobody can check what comes beside an operation of a later version, so it is no reason to
    /// refuse the entry; see ``withoutUnnamedBlob``.
    package var isBlobRight: Bool {
        guard let blob else { return true }
        switch entry.entry.operation {
        case .ignorable, .unknown: return true
        case .genesis, .enrol, .revision, .purge, .header, .content, .circle:
            return Array(SHA256.hash(data: blob)) == blobHash
        }
    }

    /// The record without a blob that its entry does not name.
    ///
    /// No signature covers such a blob, so anybody who carries the entry can put one beside it. No reader keeps it, and no server takes it.
    package var withoutUnnamedBlob: LogRecord { blobHash == nil ? LogRecord(entry: entry) : self }
}
