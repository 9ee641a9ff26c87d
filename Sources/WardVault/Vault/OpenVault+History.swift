internal import WardLog

extension OpenVault {
    /// The revisions of an item, newest first.
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

    /// One revision of an item.
    ///
    /// - Throws: ``VaultError`` with `itemMissing` or `damaged`.
    func item(_ id: ItemID, revision: RevisionID) throws(VaultError) -> Item {
        var found: (row: VaultDatabase.Row, signed: SignedEntry, record: RevisionEntry)?
        try forEachReachableRevision(id) { row, signed, record in
            guard signed.hash == revision.bytes else { return true }
            found = (row, signed, record)
            return false
        }
        guard let found else { throw VaultError(.itemMissing, "Item \(id) has no such revision") }
        var item = try open(found.row, found.signed, found.record)
        item.revision = revision
        return item
    }

    /// The newest readable revision of an item, if its latest revision cannot be read.
    func lastReadable(_ id: ItemID) -> Item? {
        var found: Item?
        try? forEachReachableRevision(id) { row, signed, record in
            guard row.blob != nil, let item = try? open(row, signed, record) else { return true }
            found = item
            return false
        }
        return found
    }

    /// Reads the revisions of an item backwards, newest first, until `body` returns `false`.
    ///
    /// While each revision was made from exactly one other, the hints in the file lead from one to the next. If a revision was
    /// made from several others, the whole log is needed to find them.
    func forEachRevision(
        _ id: ItemID,
        _ body: (Int64, VaultDatabase.Row, SignedEntry, RevisionEntry) throws(VaultError) -> Bool
    ) throws(VaultError) {
        let heads = try heads(id)
        var places: [RevisionPlace] = heads
        var visited: Set<Int64> = []
        while places.count == 1 {
            let place = places[0]
            let (row, signed, record) = try record(id, at: place)
            guard try body(place.position, row, signed, record), !record.parents.isEmpty else { return }
            visited.insert(place.position)
            guard record.parents.count == 1 else { break }
            // A hint may lead only backwards, so a crafted file cannot cause an endless loop.
            guard row.previous > 0, row.previous < place.position else {
                throw VaultError(.damaged, "The history of item \(id) is incomplete")
            }
            places = [RevisionPlace(position: row.previous, hash: record.parents[0])]
        }
        for revision in try graph().history(of: id.logged) where !visited.contains(revision.position) {
            let (row, signed, record) = try record(id, at: RevisionPlace(revision))
            guard try body(revision.position, row, signed, record) else { return }
        }
    }

    /// Reads the revisions of an item backwards, newest first.
    ///
    /// It continues after entries that are damaged.
    ///
    /// If the chain of hints is broken, the whole log is searched for entries that the vault's devices signed.
    private func forEachReachableRevision(
        _ id: ItemID,
        _ body: (VaultDatabase.Row, SignedEntry, RevisionEntry) -> Bool
    ) throws(VaultError) {
        var visited: Set<Int64> = []
        do throws(VaultError) {
            return try forEachRevision(id) { position, row, signed, record in
                visited.insert(position)
                return body(row, signed, record)
            }
        } catch {
            guard error.code == .damaged else { throw error }
        }
        let reached = visited.min() ?? .max
        var places: [Int64] = []
        _ = database.forEachPlace { position, row in
            if position < reached, let row, revision(of: id, in: row) != nil { places.append(position) }
        }
        for position in places.reversed() where !visited.contains(position) {
            guard let row = try? database.row(at: position), let (signed, record) = revision(of: id, in: row) else {
                continue
            }
            guard body(row, signed, record) else { return }
        }
    }

    /// The revision of an item in a row, if a device of this vault signed it.
    private func revision(of id: ItemID, in row: VaultDatabase.Row) -> (SignedEntry, RevisionEntry)? {
        guard let signed = try? SignedEntry(row), case .revision(let record) = signed.entry.operation,
            record.item == id.logged, let device = chain.devices[signed.entry.device],
            signed.isSigned(by: device.publicKey, vault: vaultID)
        else { return nil }
        return (signed, record)
    }
}
