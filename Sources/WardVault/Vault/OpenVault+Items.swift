internal import Crypto

extension OpenVault {
    /// One state of an item as it lies in the file.
    struct State {
        var item: Item
        var signed: SignedEntry
        var record: ItemRevisionRecord
        /// Where the state before lies, as the file says.
        var previous: Int64
    }

    /// The latest state of an item.
    ///
    /// - Throws: ``VaultError`` with `itemMissing` or `damaged`.
    func state(_ id: ItemID) throws(VaultError) -> State {
        let place = try place(id)
        do throws(VaultError) {
            return try state(id, at: place.position, hash: place.hash.isEmpty ? nil : place.hash)
        } catch {
            if Self.isDamage(error), unreadable[id] == nil { noted.insert(id) }
            throw error
        }
    }

    /// Whether an error is about one item that cannot be read, and not about the vault.
    static func isDamage(_ error: VaultError) -> Bool {
        [.damaged, .malformedItem, .unknownVersion].contains(error.code)
    }

    func place(_ id: ItemID) throws(VaultError) -> (position: Int64, hash: [UInt8]) {
        guard let place = unreadable[id] ?? index.place(id) else {
            throw VaultError(.itemMissing, "there is no item \(id)")
        }
        return place
    }

    /// What the log says at a place, which must be about the item.
    func record(
        _ id: ItemID,
        at position: Int64,
        hash: [UInt8]?
    ) throws(VaultError) -> (row: VaultDatabase.Row, signed: SignedEntry, record: ItemRevisionRecord) {
        guard let row = try database.row(at: position) else {
            throw VaultError(.damaged, "the file lacks a revision of item \(id)")
        }
        let signed = try SignedEntry(encoded: row.entry)
        guard case .revision(let record) = signed.entry.operation, record.item == id,
            hash.map({ $0 == signed.hash }) ?? true
        else { throw VaultError(.damaged, "the file has something else in place of a revision of item \(id)") }
        return (row, signed, record)
    }

    /// The state of an item at a place.
    func state(_ id: ItemID, at position: Int64, hash: [UInt8]?) throws(VaultError) -> State {
        let (row, signed, record) = try record(id, at: position, hash: hash)
        var item = try open(row, signed, record)
        item.revision = RevisionID(signed.hash)
        return State(item: item, signed: signed, record: record, previous: row.previous)
    }

    /// Opens the sealed item of an entry.
    func open(
        _ row: VaultDatabase.Row,
        _ signed: SignedEntry,
        _ record: ItemRevisionRecord
    ) throws(VaultError) -> Item {
        guard let blob = row.blob else {
            throw VaultError(.damaged, "item \(record.item), revision \(record.number), is no longer kept")
        }
        guard ItemSealing.hash(blob) == record.blobHash else {
            throw VaultError(.damaged, "item \(record.item), revision \(record.number), was changed")
        }
        var bytes = try ItemSealing.open(
            blob,
            for: record,
            device: signed.entry.device,
            sequence: signed.entry.sequence,
            vault: vaultID,
            keys: keys
        )
        defer { bytes.wipe() }
        let item = try Item(encoded: bytes)
        guard item.id == record.item else { throw VaultError(.damaged, "a revision holds another item") }
        return item
    }

    /// Walks back over the states of an item, latest first, until `body` answers `false`.
    func forEachRevision(
        _ id: ItemID,
        _ body: (Int64, VaultDatabase.Row, SignedEntry, ItemRevisionRecord) throws(VaultError) -> Bool
    ) throws(VaultError) {
        let place = try place(id)
        var position = place.position
        var expected: [[UInt8]]? = place.hash.isEmpty ? nil : [place.hash]
        while true {
            let (row, signed, record) = try record(id, at: position, hash: nil)
            guard expected.map({ $0.contains(signed.hash) }) ?? true else {
                throw VaultError(.damaged, "the history of item \(id) does not hang together")
            }
            guard try body(position, row, signed, record), !record.parents.isEmpty else { return }
            // The hint leads backwards only, so a crafted file cannot make this go round.
            guard row.previous > 0, row.previous < position else {
                throw VaultError(.damaged, "the history of item \(id) is cut")
            }
            expected = record.parents
            position = row.previous
        }
    }

    /// The states of an item, latest first.
    func history(_ id: ItemID) throws(VaultError) -> [ItemRevision] {
        var revisions: [ItemRevision] = []
        try forEachReachableRevision(id) { row, signed, record in
            let item = row.blob == nil ? nil : try? open(row, signed, record)
            revisions.append(
                ItemRevision(
                    id: RevisionID(signed.hash),
                    number: Int(clamping: record.number),
                    time: signed.entry.time.seconds,
                    device: signed.entry.device,
                    change: item?.change,
                    title: item?.title
                )
            )
            return true
        }
        return revisions
    }

    /// One state of an item by its name.
    func item(_ id: ItemID, revision: RevisionID) throws(VaultError) -> Item {
        var found: (row: VaultDatabase.Row, signed: SignedEntry, record: ItemRevisionRecord)?
        try forEachReachableRevision(id) { row, signed, record in
            guard signed.hash == revision.bytes else { return true }
            found = (row, signed, record)
            return false
        }
        guard let found else { throw VaultError(.itemMissing, "item \(id) has no such revision") }
        var item = try open(found.row, found.signed, found.record)
        item.revision = revision
        return item
    }

    /// Walks back over the revisions of an item, latest first, also past those whose entries are damaged.
    ///
    /// Where the chain breaks the whole log is looked through, for entries that this vault's devices signed.
    private func forEachReachableRevision(
        _ id: ItemID,
        _ body: (VaultDatabase.Row, SignedEntry, ItemRevisionRecord) -> Bool
    ) throws(VaultError) {
        var reached = Int64.max
        do throws(VaultError) {
            return try forEachRevision(id) { position, row, signed, record in
                reached = position
                return body(row, signed, record)
            }
        } catch {
            guard error.code == .damaged else { throw error }
        }
        var places: [Int64] = []
        _ = database.forEachPlace { position, row in
            if position < reached, let row, revision(of: id, in: row) != nil { places.append(position) }
        }
        for position in places.reversed() {
            guard let row = try? database.row(at: position), let (signed, record) = revision(of: id, in: row) else {
                continue
            }
            guard body(row, signed, record) else { return }
        }
    }

    /// What a row says about an item, if a device of this vault signed it.
    private func revision(of id: ItemID, in row: VaultDatabase.Row) -> (SignedEntry, ItemRevisionRecord)? {
        guard let signed = try? SignedEntry(encoded: row.entry), case .revision(let record) = signed.entry.operation,
            record.item == id, let head = chain.heads[signed.entry.device],
            signed.isSigned(by: head.publicKey, vault: vaultID)
        else { return nil }
        return (signed, record)
    }

    /// The latest revision of an item that can be read, when the very latest cannot.
    func lastReadable(_ id: ItemID) -> Item? {
        var found: Item?
        try? forEachReachableRevision(id) { row, signed, record in
            guard row.blob != nil, let item = try? open(row, signed, record) else { return true }
            found = item
            return false
        }
        return found
    }
}
