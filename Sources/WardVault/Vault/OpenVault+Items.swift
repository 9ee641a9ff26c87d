internal import Crypto
internal import WardLog

extension OpenVault {
    /// The current state of an item: its newest revision, or a merge of all its newest revisions.
    ///
    /// - Throws: ``VaultError`` with `itemMissing` or `damaged`.
    func item(_ id: ItemID) throws(VaultError) -> Item {
        let heads = try heads(id)
        do throws(VaultError) {
            return try item(id, heads)
        } catch {
            if Self.isDamage(error), unreadable[id] == nil { noted.insert(id) }
            throw error
        }
    }

    /// The state that an item's newest revisions give together.
    func item(_ id: ItemID, _ heads: [RevisionPlace]) throws(VaultError) -> Item {
        guard heads.count == 1 else { return try merged(id, heads) }
        let (row, signed, record) = try record(id, at: heads[0])
        var item = try open(row, signed, record)
        item.revision = RevisionID(heads)
        return item
    }

    /// Whether an item exists, even if it cannot be read.
    func has(_ id: ItemID) -> Bool { unreadable[id] != nil || !index.heads(id).isEmpty }

    /// The positions of an item's newest revisions, in the order of their hashes.
    ///
    /// - Throws: ``VaultError`` with `itemMissing`.
    func heads(_ id: ItemID) throws(VaultError) -> [RevisionPlace] {
        let heads = unreadable[id] ?? index.heads(id)
        guard !heads.isEmpty else { throw VaultError(.itemMissing, "There is no item \(id)") }
        return heads
    }

    /// The current revision of an item.
    func revision(_ id: ItemID) throws(VaultError) -> RevisionID { RevisionID(try heads(id)) }

    /// Whether an error is only about one item that cannot be read, and not about the vault.
    static func isDamage(_ error: VaultError) -> Bool {
        [.damaged, .malformedItem, .unknownVersion, .keyNotGiven].contains(error.code)
    }

    /// The entry at a position.
    ///
    /// It must be about the given item.
    func record(
        _ id: ItemID,
        at place: RevisionPlace
    ) throws(VaultError) -> (row: VaultDatabase.Row, signed: SignedEntry, record: RevisionEntry) {
        guard let row = try database.row(at: place.position) else {
            throw VaultError(.damaged, "The vault's file does not contain a revision of item \(id)")
        }
        let (signed, record) = try revisions.read(row, of: id, at: place)
        return (row, signed, record)
    }

    /// Decrypts the item of an entry.
    func open(
        _ row: VaultDatabase.Row,
        _ signed: SignedEntry,
        _ record: RevisionEntry
    ) throws(VaultError) -> Item {
        try revisions.open(row, signed, record)
    }

    /// Reads revisions with the keys that this device has now.
    var revisions: RevisionReader { RevisionReader(vault: vaultID, keys: keys, circle: chain.circle) }

    // MARK: Several revisions at once

    /// The whole log as a graph, with the revisions that each revision was made from.
    ///
    /// The log is read once for this. A vault that only one device writes never needs it.
    func graph() throws(VaultError) -> LogGraph {
        if let wholeLog { return wholeLog }
        let graph = try graph(circle: head.circle)
        wholeLog = graph
        return graph
    }

    /// The whole log as somebody reads it who knows this entry as the beginning of the circle.
    func graph(circle: [UInt8]?) throws(VaultError) -> LogGraph {
        let reader = LogReader(
            database: database,
            vault: vaultID,
            keys: keys,
            trusted: (device.device, head.head),
            circle: circle
        )
        return try reader.graph()
    }

    private func merged(_ id: ItemID, _ heads: [RevisionPlace]) throws(VaultError) -> Item {
        let merge = RevisionMerge<MergeSide, VaultError>(
            empty: .empty,
            read: { (revision) throws(VaultError) in
                let (row, signed, record) = try self.record(id, at: RevisionPlace(revision))
                return MergeSide(try self.open(row, signed, record), revision)
            },
            join: { (base, earlier, later) throws(VaultError) in ItemMerge.join(base, earlier, later) }
        )
        guard var item = try graph().state(of: id.logged, merge)?.item else {
            throw VaultError(.damaged, "The log has no newest revision of item \(id)")
        }
        item.revision = RevisionID(heads)
        return item
    }
}

extension RevisionID {
    /// The ID of an item's current state: the ID of its newest revision, or an ID of several newest revisions together.
    init(_ heads: [RevisionPlace]) {
        guard heads.count != 1 else {
            self.init(heads[0].hash)
            return
        }
        self.init(Array(SHA256.hash(data: heads.flatMap(\.hash))))
    }
}
