public import WardLog

/// The state of an open vault.
public struct VaultStatus: Hashable, Sendable {
    /// The number of items outside the trash.
    public let items: Int
    /// The number of items in the trash.
    public let trashed: Int
    /// Items whose latest revision cannot be read.
    ///
    /// An older revision may be readable.
    public let unreadable: [ItemID]
    /// The number of log entries.
    public let entries: Int
    /// All devices that have written to the log, and which of them is this one.
    public let devices: [DeviceID]
    /// This device.
    public let device: DeviceID
    /// Whether this device could not record the last entry of the log.
    ///
    /// Then an older file might be accepted until the next write.
    public let isHeadBehind: Bool
}

/// An item whose latest revision cannot be read.
public struct DamagedItem: Hashable, Sendable, Identifiable {
    /// The summary of the latest readable revision.
    ///
    /// If there is none, it has only the ID.
    public let summary: ItemSummary
    /// Whether there is a readable revision, which can be restored.
    public let isRestorable: Bool
    /// The item ID.
    public var id: ItemID { summary.id }
}

/// The result of a check of the whole log.
public struct LogReport: Hashable, Sendable {
    /// The number of entries.
    ///
    /// Each has a valid signature and is at its position.
    public internal(set) var entries = 0
    /// The number of revisions.
    ///
    /// Each has the right hash and was decrypted, but for ``cleared`` and ``withoutKey``.
    public internal(set) var revisions = 0
    /// The number of contents of attached files.
    ///
    /// Each has the right hash. Contents that an item or its history refers to were decrypted.
    public internal(set) var attachments = 0
    /// The number of revisions whose content was removed.
    public internal(set) var cleared = 0
    /// The number of revisions that were not decrypted, because this device was not given their key.
    public internal(set) var withoutKey = 0
    /// The number of permanently removed items.
    public internal(set) var purged = 0
    /// The devices that have written to the log.
    public internal(set) var devices: [DeviceID] = []
    /// The devices with entries that do not count, each with the number of the first such entry: the device broke a rule of the
    /// log, or a later version of Ward wrote that entry.
    public internal(set) var firstVoidEntries: [DeviceID: UInt64] = [:]
}

extension Vault {
    /// Returns the state of the vault.
    ///
    /// - Throws: ``VaultError`` with `locked`.
    public func status() throws(VaultError) -> VaultStatus {
        let open = try open()
        let trashed = open.index.summaries(inTrash: true).count
        return VaultStatus(
            items: open.index.count - trashed,
            trashed: trashed,
            unreadable: open.noted.union(open.unreadable.keys).sorted(),
            entries: Int(clamping: open.chain.position),
            devices: open.chain.devices.keys.sorted(),
            device: open.device.device,
            isHeadBehind: open.isHeadBehind
        )
    }

    /// The items whose latest revision cannot be read, as far as this is known: all items that are missing in the index, and
    /// items of the index that could not be read when they were needed.
    ///
    /// - Throws: ``VaultError`` with `locked`.
    public func damagedItems() throws(VaultError) -> [DamagedItem] {
        let open = try open()
        return open.noted.union(open.unreadable.keys).sorted().map { id in
            let item = open.lastReadable(id)
            let summary = item.map { ItemSummary($0) } ?? open.index.summary(id) ?? ItemSummary(Item(title: "", id: id))
            return DamagedItem(summary: summary, isRestorable: item != nil)
        }
    }

    /// Checks the whole log: every signature, every chain, and every encrypted item.
    ///
    /// It takes about a tenth of a millisecond per entry. Other calls wait until it ends.
    ///
    /// - Throws: ``VaultError`` with `damaged` naming the first finding, or `locked`.
    public func verifyLog() throws(VaultError) -> LogReport {
        let open = try open()
        try open.database.integrityCheck()
        var check = LogCheck(open)
        try open.database.forEachRow(after: 0) { row in try check.take(row) }
        return try check.finish()
    }
}

/// The check of a log.
private struct LogCheck {
    private let open: OpenVault
    private var graph: LogGraph
    private var report = LogReport()
    private var position: Int64 = 0
    /// Revisions whose content was removed.
    private var cleared: Set<[UInt8]> = []
    /// Attached contents that were removed.
    private var clearedContents: Set<[UInt8]> = []
    /// Attachments by the hashes of their contents, with the items that they belong to.
    private var attachments: [[UInt8]: (attachment: Attachment, item: ItemID)] = [:]
    /// Revisions whose content cannot be decrypted, with the reason.
    private var damaged: [(hash: [UInt8], error: VaultError)] = []

    init(_ open: OpenVault) {
        self.open = open
        graph = LogGraph(open.vaultID, circle: open.head.circle)
    }

    mutating func take(_ row: VaultDatabase.Row) throws(VaultError) {
        let signed = try SignedEntry(row)
        guard row.position == position + 1 else {
            throw broken("an entry of the log is missing before \(row.position)")
        }
        position = row.position
        try graph.take(signed, at: row.position, checksSignature: true)
        report.entries += 1
        switch signed.entry.operation {
        case .revision(let record):
            guard row.previous == record.parents.first.flatMap({ graph.position(of: $0) }) ?? 0 else {
                throw broken("the hint of entry \(row.position) leads elsewhere")
            }
            report.revisions += 1
            if row.blob == nil {
                report.cleared += 1
                cleared.insert(signed.hash)
            } else {
                do throws(VaultError) {
                    try check(try open.open(row, signed, record), record)
                } catch {
                    if error.code == .keyNotGiven {
                        report.withoutKey += 1
                    } else {
                        damaged.append((signed.hash, error))
                    }
                }
            }
        case .content(let record):
            guard row.previous == 0 else { throw broken("the hint of entry \(row.position) leads elsewhere") }
            report.attachments += 1
            guard let blob = row.blob else {
                clearedContents.insert(record.blobHash)
                return
            }
            guard ItemSealing.hash(blob) == record.blobHash else {
                throw broken("the content of an attached file was changed in entry \(row.position)")
            }
        case .header, .circle:
            // In a circle of devices each header is kept with the entry that names it.
            guard row.blob == nil || LogRecord(entry: signed, blob: row.blob).isBlobRight else {
                throw broken("entry \(row.position) came with another header than it names")
            }
        case .purge, .genesis, .enrol:
            guard row.blob == nil else { throw broken("an entry has encrypted data that it must not have") }
        case .ignorable, .unknown:
            // No reader uses what stands beside it. Anybody who carried the entry can have put it there.
            break
        }
    }

    /// A revision refers to the contents of its attachments.
    private mutating func check(_ item: Item, _ record: RevisionEntry) throws(VaultError) {
        guard Set(item.attachments.compactMap(\.hash)) == Set(record.contents) else {
            throw broken("revision \(record.number) of item \(record.itemText) lists other attached files than it has")
        }
        for attachment in item.attachments {
            if let hash = attachment.hash { attachments[hash] = (attachment, item.id) }
        }
    }

    /// Every attached content in the file must be decrypted.
    ///
    /// A content may be missing only if the rules allow its removal.
    private func checkContents() throws(VaultError) {
        if !clearedContents.isEmpty {
            let clearable = Set(graph.allItemIDs.flatMap { graph.clearableContents(of: $0) }.map(\.blobHash))
            guard clearedContents.isSubset(of: clearable) else {
                throw broken("the content of an attached file is missing")
            }
        }
        for (hash, named) in attachments where !clearedContents.contains(hash) {
            var content = try open.content(of: named.attachment, in: named.item)
            content.wipe()
        }
    }

    func finish() throws(VaultError) -> LogReport {
        guard LogChain(graph) == open.chain else {
            throw broken("another program changed the file while the vault was open")
        }
        // Only Ward removes the content of revisions, and only of old ones. It no longer matters whether they can be read.
        var clearable: Set<[UInt8]> = []
        if !cleared.isEmpty || !damaged.isEmpty {
            for item in graph.allItemIDs { clearable.formUnion(graph.clearableRevisions(of: item).map(\.hash)) }
        }
        try checkContents()
        // What a removed device wrote does not count, and may have a key that nobody else was given.
        if let first = damaged.first(where: { !clearable.contains($0.hash) && graph.isEffective($0.hash) }) {
            throw first.error
        }
        guard let missing = cleared.subtracting(clearable).first.flatMap({ graph.revision($0) }) else {
            return try compareIndex()
        }
        throw broken("revision \(missing.record.number) of item \(missing.record.itemText) is missing")
    }

    private func compareIndex() throws(VaultError) -> LogReport {
        let items = graph.itemIDs().compactMap { ItemID($0.bytes) }
        let known = Set(open.index.ids()).union(open.unreadable.keys)
        guard known == Set(items) else { throw broken("the index has other items than the log") }
        for id in items where open.unreadable[id] == nil {
            guard open.index.heads(id) == graph.heads(of: id.logged).map({ RevisionPlace($0) }) else {
                throw broken("the index has another revision of item \(id) than the log")
            }
        }
        var report = report
        report.purged = graph.removedItemIDs().count
        report.devices = LogChain(graph).devices.keys.sorted()
        for device in report.devices { report.firstVoidEntries[device] = graph.voidSequence(of: device) }
        return report
    }

    private func broken(_ reason: String) -> VaultError { VaultError(.damaged, "The log is broken: \(reason)") }
}
