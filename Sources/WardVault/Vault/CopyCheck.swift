internal import WardLog

/// The walk over a copy of the vault, from its first entry to its last.
struct CopyCheck {
    /// What a copy holds.
    struct Finding: Sendable {
        var header: [UInt8] = []
        /// How many entries there are, each signed and in its place.
        var entries = 0
        /// Items whose latest revision does not open.
        var unreadable: [ItemID] = []
        /// When the last entry was made, in seconds since 1970.
        var lastChange: Int64 = 0
    }

    private let vault: VaultID
    private let keys: VaultKeys?
    private var graph: LogGraph
    /// Revisions that do not open.
    private var unreadable: Set<[UInt8]> = []
    private var finding = Finding()

    private init(_ vault: VaultID, _ keys: VaultKeys?) {
        self.vault = vault
        self.keys = keys
        graph = LogGraph(vault)
    }

    /// Opens a copy as if it were the vault: every signature, every chain, every hash; with keys also every sealed item.
    ///
    /// - Throws: ``VaultError`` with `damaged` when the copy is not whole.
    @concurrent static func run(
        _ path: String,
        of vault: VaultID,
        keys: VaultKeys?,
        _ environment: VaultEnvironment
    ) async throws(VaultError) -> Finding {
        let database = try VaultDatabase(path, environment)
        defer { try? database.close() }
        try database.integrityCheck()
        var check = CopyCheck(vault, keys)
        let encoded = try database.header()
        let header = try VaultHeader(encoded: encoded)
        guard header.vaultID == vault else { throw VaultError(.damaged, "The copy is of another vault") }
        if let keys { try header.check(keys, encoded: encoded) }
        try database.forEachRow(after: 0) { row in try check.take(row) }
        let chain = LogChain(check.graph)
        try OpenVault.check(header, encoded: encoded, chain)
        check.finding.header = encoded
        check.finding.unreadable = check.unreadableItems()
        check.finding.lastChange = chain.time.seconds
        return check.finding
    }

    private mutating func take(_ row: VaultDatabase.Row) throws(VaultError) {
        let signed = try SignedEntry(row)
        try graph.take(signed, at: row.position, checksSignature: true)
        finding.entries += 1
        guard case .revision(let record) = signed.entry.operation, let blob = row.blob else { return }
        if ItemSealing.hash(blob) != record.blobHash || !opens(blob, record, signed) { unreadable.insert(signed.hash) }
    }

    /// The items of which a newest revision does not open.
    private func unreadableItems() -> [ItemID] {
        guard !unreadable.isEmpty else { return [] }
        let items = graph.itemIDs().filter { item in graph.heads(of: item).contains { unreadable.contains($0.hash) } }
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
