internal import WardLog

/// Reads a copy of the vault from its first entry to its last.
struct CopyCheck {
    /// What a copy holds.
    struct Finding: Sendable {
        var header: [UInt8] = []
        /// The number of entries.
        ///
        /// Each has a valid signature and is at its position.
        var entries = 0
        /// The items of which a revision that their state is made from, or an attachment of it, is missing or cannot be decrypted.
        var unreadable: [ItemID] = []
        /// The time of the last entry, in seconds since 1970.
        var lastChange: Int64 = 0
    }

    private let vault: VaultID
    private let keys: VaultKeys?
    private var graph: LogGraph
    /// The revisions that can be decrypted.
    private var readable: Set<[UInt8]> = []
    /// The hashes of the contents of attachments that are there.
    private var contents: Set<[UInt8]> = []
    private var finding = Finding()

    private init(_ vault: VaultID, _ keys: VaultKeys?, circle: [UInt8]?) {
        self.vault = vault
        self.keys = keys
        graph = LogGraph(vault, circle: circle)
    }

    /// Checks a copy like the vault itself: every signature, every chain and every hash.
    ///
    /// With keys it also decrypts every item.
    ///
    /// - Throws: ``VaultError`` with `damaged` when the copy is not whole.
    @concurrent static func run(
        _ path: String,
        of vault: VaultID,
        keys: VaultKeys?,
        device: DeviceID?,
        circle: [UInt8]?,
        _ environment: VaultEnvironment
    ) async throws(VaultError) -> Finding {
        let database = try VaultDatabase(path, environment)
        defer { try? database.close() }
        return try run(database, of: vault, keys: keys, device: device, circle: circle)
    }

    /// Checks a file that is open, in the same way.
    ///
    /// - Throws: ``VaultError`` with `damaged` when the file is not whole.
    static func run(
        _ database: VaultDatabase,
        of vault: VaultID,
        keys: VaultKeys?,
        device: DeviceID?,
        circle: [UInt8]?
    ) throws(VaultError) -> Finding {
        try database.integrityCheck()
        let encoded = try database.header()
        let header = try VaultHeader(encoded: encoded)
        guard header.vaultID == vault else { throw VaultError(.damaged, "The copy belongs to another vault") }
        let known = circle == nil ? try database.circle(header) : circle
        var check = CopyCheck(vault, keys, circle: known)
        if let keys { try header.check(keys, encoded: encoded) }
        try database.forEachRow(after: 0) { row in try check.take(row) }
        let chain = LogChain(check.graph)
        try OpenVault.check(header, encoded: encoded, chain, device, keys, database)
        check.finding.header = encoded
        check.finding.unreadable = check.unreadableItems()
        check.finding.lastChange = chain.time.seconds
        return check.finding
    }

    private mutating func take(_ row: VaultDatabase.Row) throws(VaultError) {
        let signed = try SignedEntry(row)
        try graph.take(signed, at: row.position, checksSignature: true)
        finding.entries += 1
        guard let blob = row.blob else { return }
        switch signed.entry.operation {
        case .revision(let record):
            if ItemSealing.hash(blob) == record.blobHash, opens(blob, record, signed) { readable.insert(signed.hash) }
        case .content(let record):
            if ItemSealing.hash(blob) == record.blobHash { contents.insert(record.blobHash) }
        case .purge, .genesis, .enrol, .header, .circle, .ignorable, .unknown: break
        }
    }

    private func unreadableItems() -> [ItemID] {
        let items = graph.itemIDs().filter { item in
            let heads = graph.heads(of: item)
            let state = heads.count > 1 ? graph.revisionsOfState(of: item) : heads
            return !heads.allSatisfy { contents.isSuperset(of: $0.record.contents) }
                || !state.allSatisfy { readable.contains($0.hash) }
        }
        return items.compactMap { ItemID($0.bytes) }.sorted()
    }

    private func opens(_ blob: [UInt8], _ record: RevisionEntry, _ signed: SignedEntry) -> Bool {
        guard let keys else { return true }
        guard
            var bytes = try? ItemSealing.open(
                blob,
                for: record,
                device: signed.entry.device,
                sequence: signed.entry.sequence,
                vault: vault,
                keys: keys
            )
        else { return false }
        defer { bytes.wipe() }
        return true
    }
}
