internal import Crypto
internal import WardLog

/// Reads a log or the end of a log, and computes its state.
struct LogReader {
    /// What was found.
    struct Result {
        var chain: LogChain
        /// The newest revisions of the items, in the part that was read.
        var heads: [ItemID: [RevisionPlace]] = [:]
        /// The removals, in the part that was read.
        var removals: [Removal] = []
        /// The contents of attached files by their hashes, in the part that was read.
        var contents: [[UInt8]: ContentPlace] = [:]
        /// Whether the whole log was read, so that there are no other items.
        var isWhole: Bool
    }

    let database: VaultDatabase
    let vault: VaultID
    let keys: VaultKeys
    /// This device, and the last entry that it saw.
    ///
    /// For the device's own entries up to the last one, the chain of hashes is enough. The signatures of all other entries are
    /// checked.
    let trusted: (device: DeviceID, head: HeadFile.Head)?
    /// The hash of the entry that begins the circle of devices; `nil` if this device knows of no circle.
    let circle: [UInt8]?

    /// An index, if the log contains the entry at which it was made.
    func usable(_ snapshot: IndexSnapshot?) throws(VaultError) -> IndexSnapshot? {
        guard let snapshot, let row = try database.row(at: snapshot.chain.position),
            Array(SHA256.hash(data: row.entry)) == snapshot.chain.hash,
            circle == nil || snapshot.chain.circle != nil
        else { return nil }
        return snapshot
    }

    /// Reads the log.
    ///
    /// If an index can be used, it reads only the entries after it.
    ///
    /// - Parameters:
    ///   - start: Where the index ends.
    ///   - graph: The log, if this process has just checked and written all of it.
    /// - Returns: What was found.
    /// - Throws: ``VaultError`` with `damaged`, or `unknownVersion` if a later version wrote entries of this device.
    func read(from start: LogChain? = nil, checked graph: LogGraph? = nil) throws(VaultError) -> Result {
        let result: Result
        if let start, let end = try end(behind: start) {
            result = end
        } else if let graph {
            result = try whole(graph)
        } else {
            result = try whole(self.graph())
        }
        // The vault's ID is the hash of the entry with the authority's key. So the ID also identifies the first key.
        guard try keys.authority(nonce: result.chain.nonce).publicKey == result.chain.authority else {
            throw VaultError(.damaged, "The log's first entry was signed without the vault's keys")
        }
        return result
    }

    /// The whole log as a graph, with the revisions that each revision was made from.
    func graph() throws(VaultError) -> LogGraph {
        var graph = LogGraph(vault, circle: circle)
        try database.forEachRow(after: 0, withBlobs: false) { row in
            let signed = try SignedEntry(row)
            try graph.take(signed, at: row.position, checksSignature: !isKnown(signed, at: row.position))
        }
        guard graph.count > 0 else { throw VaultError(.damaged, "The log is empty") }
        return graph
    }

    private func whole(_ graph: LogGraph) throws(VaultError) -> Result {
        // If this device wrote another entry after such an entry, it would not count, and the change would be lost.
        if let device = trusted?.device, let entry = graph.firstUnknownEntry(of: device) {
            throw VaultError(.unknownVersion, "Cannot read entry \(entry) of this device")
        }
        var result = Result(chain: LogChain(graph), isWhole: true)
        for item in graph.itemIDs() {
            guard let id = ItemID(item.bytes) else { continue }
            result.heads[id] = graph.heads(of: item).map { RevisionPlace($0) }
        }
        for content in graph.contents() {
            result.contents[content.blobHash] = ItemID(content.item.bytes).map {
                ContentPlace(item: $0, position: content.position)
            }
        }
        for removal in graph.removals() {
            // For most removals no data is left in the file.
            for revision in graph.revisions(removedAt: removal.position) {
                guard try database.hasBlob(at: revision.position), let removal = Removal(removal) else { continue }
                result.removals.append(removal)
                break
            }
        }
        return result
    }

    /// The entries after a position of the log, if only this device wrote them.
    ///
    /// It is `nil` if another device wrote one, because that device may not have known all entries before.
    private func end(behind start: LogChain) throws(VaultError) -> Result? {
        var result = Result(chain: start, isWhole: false)
        var isOwn = true
        try database.forEachRow(after: start.position, withBlobs: false) { row in
            guard isOwn else { return }
            let signed = try SignedEntry(row)
            guard signed.entry.device == trusted?.device, result.chain.append(signed, at: row.position) else {
                isOwn = false
                return
            }
            let key = result.chain.devices[signed.entry.device]?.publicKey ?? []
            guard isKnown(signed, at: row.position) || signed.isSigned(by: key, vault: vault) else {
                throw VaultError(.damaged, "The log is broken: the signature of entry \(row.position) is wrong")
            }
            switch signed.entry.operation {
            case .revision(let record):
                guard let id = ItemID(record.item.bytes) else { return }
                result.heads[id] = [RevisionPlace(position: row.position, hash: signed.hash)]
            case .purge(let item, _):
                guard let id = ItemID(item.bytes) else { return }
                result.heads[id] = []
                result.removals.append(Removal(item: id, position: row.position, time: signed.entry.time.seconds))
            case .content(let record):
                result.contents[record.blobHash] = ItemID(record.item.bytes).map {
                    ContentPlace(item: $0, position: row.position)
                }
            case .genesis, .enrol, .header, .circle, .ignorable, .unknown: break
            }
        }
        return isOwn ? result : nil
    }

    private func isKnown(_ signed: SignedEntry, at position: Int64) -> Bool {
        trusted.map { position <= $0.head.position && signed.entry.device == $0.device } ?? false
    }
}
