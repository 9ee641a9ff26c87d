internal import WardLog
internal import WardWebAuthn

extension OpenVault {
    /// The minimum number of revisions of an item that keep their content.
    ///
    /// Of older revisions the log may have only the entry.
    static let keptRevisions = Int(LogGraph.keptRevisions)
    private static let pruningStep: UInt64 = 16

    /// Runs a closure with a transaction, and writes its changes.
    ///
    /// - Parameters:
    ///   - step: The step that the changes belong to.
    ///   - isRehearsal: Whether nothing is written.
    ///   - body: What to change.
    /// - Returns: What the closure returned.
    /// - Throws: What `body` throws, or ``VaultError`` with `diskFull` or `unavailable`.
    func write<T>(
        as step: ItemStep? = nil,
        isRehearsal: Bool = false,
        _ body: (VaultTransaction) throws -> T
    ) throws -> T {
        let transaction = VaultTransaction(self, step)
        defer { transaction.end() }
        let result = try body(transaction)
        if !isRehearsal { try commit(transaction) }
        return result
    }

    /// A new step.
    ///
    /// - Throws: ``VaultError`` with `unavailable` if there are no random bytes.
    func step(_ kind: ItemStep.Kind) throws(VaultError) -> ItemStep {
        ItemStep(kind, id: try environment.random(ItemStep.length))
    }

    /// Runs a closure with a transaction, writes its changes, and returns the new state of an item.
    ///
    /// - Parameter body: What to change; returns the item as the transaction has it.
    /// - Returns: The item at the revision that it has now.
    /// - Throws: What `body` throws, or ``VaultError`` with `diskFull`, `unavailable` or `itemMissing`.
    func writeItem(_ body: (VaultTransaction) throws -> Item) throws -> Item {
        var item = try write(body)
        item.revision = try revision(item.id)
        return item
    }

    /// Writes the steps of a transaction in one transaction of the database.
    ///
    /// Only then does it update its own memory.
    private func commit(_ transaction: VaultTransaction) throws(VaultError) {
        guard !transaction.order.isEmpty else { return }
        try checkMayWrite()
        var batch = Batch(chain, remotePosition)
        for id in transaction.order {
            switch transaction.steps[id] {
            case .write(let item, let encoding):
                try add(transaction.contents[id] ?? [], of: item, to: &batch)
                try add(item, encoding, to: &batch)
            case .purge: try addPurge(id, to: &batch)
            case nil: continue
            }
        }
        guard !batch.rows.isEmpty else { return }
        try database.append(batch.rows, clearingBlobs: batch.cleared)
        remember(batch)
        // What lacks data is looked for again.
        if !batch.cleared.isEmpty || !batch.purged.isEmpty { lacking = nil }
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

    /// Appends an entry that is not about an item, together with a new header.
    func record(_ operation: LogOperation, header: [UInt8]? = nil) throws(VaultError) {
        try checkMayWrite()
        var batch = Batch(chain, remotePosition)
        try append(operation, previous: 0, blob: nil, to: &batch)
        try database.append(batch.rows, header: header)
        remember(batch)
        rememberHead()
    }

    private func remember(_ batch: Batch) {
        chain = batch.chain
        remotePosition = batch.remotePosition
        removals += batch.removals
        contents.merge(batch.contents) { _, new in new }
        guard var graph = wholeLog else { return }
        wholeLog = nil
        for (signed, row) in zip(batch.signed, batch.rows) {
            guard (try? graph.take(signed, at: row.position, checksSignature: false)) != nil else { return }
        }
        wholeLog = graph
    }

    /// The entries and contents that will be written.
    private struct Batch {
        var chain: LogChain
        var rows: [VaultDatabase.Row] = []
        var signed: [SignedEntry] = []
        var removals: [Removal] = []
        var contents: [[UInt8]: ContentPlace] = [:]
        var cleared: [Int64] = []
        var entries: [IndexEntry] = []
        var purged: [ItemID] = []

        /// What the first entry carries.
        var remotePosition: RemotePosition?

        init(_ chain: LogChain, _ remotePosition: RemotePosition?) {
            self.chain = chain
            self.remotePosition = remotePosition
        }
    }

    @discardableResult
    private func append(
        _ operation: LogOperation,
        previous: Int64,
        blob: ((LogEntry) throws(VaultError) -> (LogOperation, [UInt8]))?,
        to batch: inout Batch
    ) throws(VaultError) -> SignedEntry {
        try nameOthers(in: &batch)
        var entry = try batch.chain.next(operation, device.device, now: environment.effects.now())
        if let position = batch.remotePosition {
            entry.positions = [position]
            batch.remotePosition = nil
        }
        var sealed: [UInt8]?
        if let blob { (entry.operation, sealed) = try blob(entry) }
        let signed = try entry.signed(vault: vaultID, by: device.key.sign)
        // An entry that nobody can read would make the whole vault unreadable. It names all devices that ever wrote.
        guard (try? SignedEntry(encoded: signed.encoded)) != nil else {
            throw VaultError(
                .conflict,
                "Too many devices have written this vault, so nothing can be written here. See: ward devices"
            )
        }
        let position = batch.chain.position + 1
        if batch.chain.circle != nil, !signed.entry.seen.isEmpty {
            // What this device has seen can decide a question of the circle.
            var graph = try graph()
            try graph.take(signed, at: position, checksSignature: false)
            batch.chain = LogChain(graph)
        } else {
            try batch.chain.advance(by: signed, to: position)
        }
        batch.signed.append(signed)
        batch.rows.append(
            VaultDatabase.Row(position: position, previous: previous, entry: signed.encoded, blob: sealed)
        )
        return signed
    }

    private func nameOthers(in batch: inout Batch) throws(VaultError) {
        // Where nothing is new, nothing of the log is read.
        guard !batch.chain.news(for: device.device).isEmpty else { return }
        var graph = try graph()
        let written = try graph.nameOthers(by: device, after: &batch.chain, now: environment.effects.now())
        batch.signed += written.map(\.entry)
        batch.rows += written.map(\.row)
    }

    private func add(_ item: Item, _ encoding: VaultTransaction.Encoding, to batch: inout Batch) throws(VaultError) {
        // The new revision is made from all newest revisions, so that there is one newest revision again.
        let heads = unreadable[item.id] ?? index.heads(item.id)
        var number: UInt64 = 1
        for head in heads { number = max(number, try record(item.id, at: head).record.number + 1) }
        let draft = RevisionEntry(
            item: item.id.logged,
            number: number,
            parents: heads.map(\.hash),
            epoch: keys.epoch,
            blobHash: [],
            contents: Set(item.attachments.compactMap(\.hash)).sorted { $0.lexicographicallyPrecedes($1) }
        )
        let signed = try append(
            .revision(draft),
            previous: heads.first?.position ?? 0,
            blob: { (entry) throws(VaultError) in
                let blob = try ItemSealing.seal(
                    encoding.bytes,
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
                heads: [RevisionPlace(position: batch.chain.position, hash: signed.hash)],
                summary: ItemSummary(item),
                suffixes: environment.suffixes
            )
        )
        if number > UInt64(Self.keptRevisions), number % Self.pruningStep == 0 {
            batch.cleared += try surplus(item.id)
        }
    }

    /// Writes the contents that are now attached to an item.
    ///
    /// A content that was attached and removed again is left out.
    private func add(_ sealed: [SealedContent], of item: Item, to batch: inout Batch) throws(VaultError) {
        let named = Set(item.attachments.compactMap(\.hash))
        for content in sealed where named.contains(content.hash) {
            let record = ContentEntry(item: item.id.logged, blobHash: content.hash)
            try append(
                .content(record),
                previous: 0,
                blob: { (_) throws(VaultError) in (.content(record), content.blob) },
                to: &batch
            )
            batch.contents[content.hash] = ContentPlace(item: item.id, position: batch.chain.position)
        }
    }

    /// Removes an item for good.
    ///
    /// The item's revisions stay in the file for some time, because the removal may turn out not to count.
    private func addPurge(_ id: ItemID, to batch: inout Batch) throws(VaultError) {
        let heads = try heads(id)
        let signed = try append(
            .purge(item: id.logged, parents: heads.map(\.hash)),
            previous: heads.first?.position ?? 0,
            blob: nil,
            to: &batch
        )
        batch.removals.append(
            Removal(item: id, position: batch.chain.position, time: signed.entry.time.seconds)
        )
        batch.purged.append(id)
    }
}
