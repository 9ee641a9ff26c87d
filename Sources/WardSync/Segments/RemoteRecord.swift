internal import Crypto
package import WardLog

/// A signed entry as other devices get it, with the sealed blob that it names.
package struct RemoteRecord: Hashable, Sendable {
    package var entry: SignedEntry
    /// The blob; `nil` if the entry names none, or if its device has cleared it.
    package var blob: [UInt8]?

    package init(entry: SignedEntry, blob: [UInt8]? = nil) {
        self.entry = entry
        self.blob = blob
    }
}

extension RemoteRecord {
    /// The number of the entry on its device.
    var sequence: UInt64 { entry.entry.sequence }

    /// Whether the blob is the one that the entry names.
    ///
    /// A missing blob fits every entry. Nobody can check the blob of an operation of a later version, so it fits too.
    var isBlobRight: Bool {
        guard let blob else { return true }
        let named: [UInt8]
        switch entry.entry.operation {
        case .revision(let record): named = record.blobHash
        case .content(let record): named = record.blobHash
        case .header(_, let hash): named = hash
        case .genesis, .enrol, .purge: return false
        case .ignorable, .unknown: return true
        }
        return Array(SHA256.hash(data: blob)) == named
    }
}
