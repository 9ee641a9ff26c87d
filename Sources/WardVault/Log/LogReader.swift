internal import Crypto

/// Reads a log, or the end of one, and says what it amounts to.
struct LogReader {
    /// What was found.
    struct Result {
        var chain: LogChain
        /// Where the latest revision of each item lies that has one in the part that was read.
        var latest: [ItemID: Int64] = [:]
        /// Items that were removed for good in the part that was read.
        var purged: Set<ItemID> = []
    }

    let database: VaultDatabase
    let vault: VaultID
    let keys: VaultKeys
    /// This device and the entry it saw last.
    ///
    /// Its own entries up to there are known by the chain of hashes that ends there; the signatures of all others are
    /// checked.
    let trusted: (device: DeviceID, head: HeadFile.Head)?

    /// An index, if the log goes through the entry at which it was made.
    func usable(_ snapshot: IndexSnapshot?) throws(VaultError) -> IndexSnapshot? {
        guard let snapshot, let row = try database.row(at: snapshot.chain.position),
            Array(SHA256.hash(data: row.entry)) == snapshot.chain.hash
        else { return nil }
        return snapshot
    }

    /// Walks over the entries behind a point of the log.
    ///
    /// - Throws: ``VaultError`` with `damaged` or `unknownVersion`.
    func read(from start: LogChain) throws(VaultError) -> Result {
        var result = Result(chain: start)
        try database.forEachRow(after: start.position, withBlobs: false) { row in
            let signed = try SignedEntry(encoded: row.entry)
            let isKnown = trusted.map { row.position <= $0.head.position && signed.entry.device == $0.device } ?? false
            try result.chain.append(signed, at: row.position, vault: vault, checksSignature: !isKnown)
            switch signed.entry.operation {
            case .revision(let record):
                result.latest[record.item] = row.position
                result.purged.remove(record.item)
            case .purge(let item, _):
                result.latest[item] = nil
                result.purged.insert(item)
            case .genesis, .enrol, .header, .ignorable: break
            }
        }
        guard result.chain.position > 0 else { throw VaultError(.damaged, "The log is empty") }
        // The vault's name is the hash of the entry that names the authority: so the name stands for the first key too.
        guard try keys.authority(nonce: result.chain.nonce).publicKey == result.chain.authority else {
            throw VaultError(.damaged, "The log was begun by somebody without the vault's keys")
        }
        return result
    }
}
