internal import WardWebAuthn

extension OpenVault {
    /// How many states of an item are kept; of older ones the log keeps the entry alone.
    static let keptRevisions = 100
    private static let pruningStep: UInt64 = 16

    /// The hash of the entry of an item's latest state.
    func currentHash(_ id: ItemID) throws(VaultError) -> [UInt8] {
        let place = try place(id)
        return place.hash.isEmpty ? try record(id, at: place.position, hash: nil).signed.hash : place.hash
    }

    /// Runs a closure over a transaction and writes what it changed.
    func write<T>(_ body: (VaultTransaction) throws -> T) throws -> T {
        let transaction = VaultTransaction(self)
        defer { transaction.end() }
        let result = try body(transaction)
        try commit(transaction)
        return result
    }

    /// Writes the steps of a transaction in one transaction of the database; then, and only then, remembers them.
    private func commit(_ transaction: VaultTransaction) throws(VaultError) {
        var batch = Batch(chain)
        for id in transaction.order {
            switch transaction.steps[id] {
            case .write(let item, _): try add(item, to: &batch)
            case .purge: try addPurge(id, to: &batch)
            case nil: continue
            }
        }
        guard !batch.rows.isEmpty else { return }
        try database.append(batch.rows, clearingBlobs: batch.cleared)
        chain = batch.chain
        index.prepare(forChanges: batch.entries.count + batch.purged.count)
        for entry in batch.entries {
            unreadable[entry.summary.id] = nil
            noted.remove(entry.summary.id)
            index.set(entry)
        }
        for id in batch.purged {
            unreadable[id] = nil
            noted.remove(id)
            index.remove(id)
        }
        rememberHead()
    }

    /// Appends an entry that is about no item, and another header with it.
    func record(_ operation: LogOperation, header: [UInt8]? = nil) throws(VaultError) {
        var batch = Batch(chain)
        try append(operation, previous: 0, blob: nil, to: &batch)
        try database.append(batch.rows, header: header)
        chain = batch.chain
        rememberHead()
    }

    /// What is about to be written.
    private struct Batch {
        var chain: LogChain
        var rows: [VaultDatabase.Row] = []
        var cleared: [Int64] = []
        var entries: [IndexEntry] = []
        var purged: [ItemID] = []

        init(_ chain: LogChain) { self.chain = chain }
    }

    @discardableResult
    private func append(
        _ operation: LogOperation,
        previous: Int64,
        blob: ((LogEntry) throws(VaultError) -> (LogOperation, [UInt8]))?,
        to batch: inout Batch
    ) throws(VaultError) -> SignedEntry {
        var entry = batch.chain.next(operation, by: device.device, now: environment.effects.now())
        var sealed: [UInt8]?
        if let blob { (entry.operation, sealed) = try blob(entry) }
        let signed = try entry.signed(by: device.key, vault: vaultID)
        let position = batch.chain.position + 1
        try batch.chain.append(signed, at: position, vault: vaultID, checksSignature: false)
        batch.rows.append(
            VaultDatabase.Row(position: position, previous: previous, entry: signed.encoded, blob: sealed)
        )
        return signed
    }

    private func add(_ item: Item, to batch: inout Batch) throws(VaultError) {
        var number: UInt64 = 1
        var parents: [[UInt8]] = []
        var previous: Int64 = 0
        if let place = unreadable[item.id] ?? index.place(item.id) {
            let current = try record(item.id, at: place.position, hash: place.hash.isEmpty ? nil : place.hash)
            number = current.record.number + 1
            parents = [current.signed.hash]
            previous = place.position
        }
        var bytes = try item.encoded()
        defer { bytes.wipe() }
        let draft = ItemRevisionRecord(
            item: item.id,
            number: number,
            parents: parents,
            epoch: keys.current,
            blobHash: []
        )
        let signed = try append(
            .revision(draft),
            previous: previous,
            blob: { (entry) throws(VaultError) in
                let blob = try ItemSealing.seal(
                    bytes,
                    for: draft,
                    device: entry.device,
                    sequence: entry.sequence,
                    vault: self.vaultID,
                    keys: self.keys,
                    self.environment
                )
                var record = draft
                record.blobHash = ItemSealing.hash(blob)
                return (.revision(record), blob)
            },
            to: &batch
        )
        batch.entries.append(
            IndexEntry(
                position: batch.chain.position,
                hash: signed.hash,
                summary: ItemSummary(item),
                suffixes: environment.suffixes
            )
        )
        if number > UInt64(Self.keptRevisions), number % Self.pruningStep == 0 {
            batch.cleared += try surplus(item.id)
        }
    }

    private func addPurge(_ id: ItemID, to batch: inout Batch) throws(VaultError) {
        var positions: [Int64] = []
        do {
            try forEachRevision(id) { (position, row, _, _) throws(VaultError) in
                if row.blob != nil { positions.append(position) }
                return true
            }
        } catch {
            // A damaged history must not keep an item from being removed: what can be reached goes.
            guard error.code == .damaged else { throw error }
        }
        try append(.purge(item: id, parents: [currentHash(id)]), previous: place(id).position, blob: nil, to: &batch)
        batch.cleared += positions
        batch.purged.append(id)
    }

    /// The states of an item that are older than those kept.
    private func surplus(_ id: ItemID) throws(VaultError) -> [Int64] {
        var seen = 1
        var positions: [Int64] = []
        try forEachRevision(id) { (position, row, _, _) throws(VaultError) in
            seen += 1
            guard seen > Self.keptRevisions else { return true }
            guard row.blob != nil else { return false }
            positions.append(position)
            return true
        }
        return positions
    }
}
