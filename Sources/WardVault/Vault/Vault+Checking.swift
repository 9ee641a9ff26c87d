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
    /// Each has the right hash and was decrypted, but for ``cleared``, ``withoutKey`` and ``unreadable``.
    public internal(set) var revisions = 0
    /// The number of contents of attached files.
    ///
    /// Each has the right hash. Contents that an item or its history refers to were decrypted, but for those of ``unreadable``.
    public internal(set) var attachments = 0
    /// The number of revisions whose content was removed.
    public internal(set) var cleared = 0
    /// The number of revisions that were not decrypted, because this device was not given their key.
    public internal(set) var withoutKey = 0
    /// The number of earlier revisions that nobody can read.
    ///
    /// Nothing in the file was changed: a device wrote them so, or their data was cleared under a removal that does not count any more. No
    /// item is made from them.
    public internal(set) var unreadable = 0
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
    /// It takes about a tenth of a millisecond per entry. Other calls wait until it ends. Earlier revisions that their device wrote so that
    /// nobody can read them are counted, and are no error.
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
    /// The hashes of attached contents that were removed, by their positions.
    private var clearedContents: [Int64: [UInt8]] = [:]
    /// Attached files, with the revisions that have them.
    private var attachments: [AttachedFile: [[UInt8]]] = [:]
    /// Revisions whose content is another one than they name, with the reason: the file was changed.
    private var damaged: [(hash: [UInt8], error: VaultError)] = []
    /// Revisions that cannot be read although their content is the one that they name, with the reason: their device wrote them so.
    private var unreadable: [[UInt8]: VaultError] = [:]

    /// An attached file as a revision has it.
    private struct AttachedFile: Hashable {
        let attachment: Attachment
        let item: ItemID
    }

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
            guard let blob = row.blob else {
                report.cleared += 1
                cleared.insert(signed.hash)
                return
            }
            do throws(VaultError) {
                try check(try open.open(row, signed, record), record, of: signed.hash)
            } catch {
                if error.code == .keyNotGiven {
                    report.withoutKey += 1
                } else if ItemSealing.hash(blob) == record.blobHash {
                    unreadable[signed.hash] = error
                } else {
                    damaged.append((signed.hash, error))
                }
            }
        case .content(let record):
            guard row.previous == 0 else { throw broken("the hint of entry \(row.position) leads elsewhere") }
            report.attachments += 1
            guard let blob = row.blob else {
                clearedContents[row.position] = record.blobHash
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
    private mutating func check(_ item: Item, _ record: RevisionEntry, of hash: [UInt8]) throws(VaultError) {
        guard Set(item.attachments.compactMap(\.hash)) == Set(record.contents) else {
            throw broken("revision \(record.number) of item \(record.itemText) lists other attached files than it has")
        }
        for attachment in item.attachments {
            attachments[AttachedFile(attachment: attachment, item: item.id), default: []].append(hash)
        }
    }

    /// Every attached content in the file is decrypted.
    private mutating func openContents() throws(VaultError) {
        let cleared = Set(clearedContents.values)
        for (file, revisions) in attachments {
            if let hash = file.attachment.hash, cleared.contains(hash) { continue }
            do throws(VaultError) {
                var content = try open.content(of: file.attachment, in: file.item)
                content.wipe()
            } catch {
                guard OpenVault.isDamage(error) else { throw error }
                for revision in revisions { unreadable[revision] = error }
            }
        }
    }

    mutating func finish() throws(VaultError) -> LogReport {
        guard LogChain(graph) == open.chain else {
            throw broken("another program changed the file while the vault was open")
        }
        try openContents()
        // Only Ward removes the content of revisions, and only of old ones. It no longer matters whether they can be read.
        var clearable: Set<[UInt8]> = []
        if !(cleared.isEmpty && clearedContents.isEmpty && damaged.isEmpty && unreadable.isEmpty) {
            for item in graph.allItemIDs { clearable.formUnion(graph.clearableRevisions(of: item).map(\.hash)) }
        }
        if let first = damaged.first(where: { isKept($0.hash, clearable) }) { throw first.error }
        try checkUnreadable(clearable)
        guard clearedContents.isEmpty || !graph.contents().contains(where: { isMissing($0, clearable) }) else {
            throw broken("the content of an attached file is missing")
        }
        try checkMissing(clearable)
        return try compareIndex()
    }

    /// Data must be there that is needed.
    ///
    /// It can be nowhere if a removal for good allowed clearing it, and does not count any more. Once the person has repaired the item,
    /// this is only counted.
    private mutating func checkMissing(_ clearable: Set<[UInt8]>) throws(VaultError) {
        let missing = cleared.filter { isKept($0, clearable) }.compactMap { graph.revision($0) }
        for (item, revisions) in Dictionary(grouping: missing, by: \.record.item) {
            let perhaps = graph.perhapsCleared(of: item)
            let shown = Set(graph.revisionsOfState(of: item).map(\.hash))
            for revision in revisions where perhaps[revision.hash] == nil || shown.contains(revision.hash) {
                throw broken("revision \(revision.record.number) of item \(revision.record.itemText) is missing")
            }
            report.unreadable += revisions.count
            report.cleared -= revisions.count
        }
    }

    /// Whether the data of a revision must be kept.
    ///
    /// What a removed device wrote does not count, and may have a key that nobody else was given.
    private func isKept(_ hash: [UInt8], _ clearable: Set<[UInt8]>) -> Bool {
        !clearable.contains(hash) && graph.isEffective(hash)
    }

    /// Whether a content was removed that must be kept.
    ///
    /// One that no revision names stays, because the revision may be on its way.
    private func isMissing(_ content: LoggedContent, _ clearable: Set<[UInt8]>) -> Bool {
        guard clearedContents[content.position] != nil else { return false }
        let kept = content.revisions.filter { isKept($0.hash, clearable) }
        guard let item = kept.first?.record.item else { return content.revisions.isEmpty }
        let perhaps = graph.perhapsCleared(of: item)
        let shown = Set(graph.revisionsOfState(of: item).map(\.hash))
        return kept.contains { shown.contains($0.hash) } || !content.revisions.contains { perhaps[$0.hash] != nil }
    }

    /// Items must be readable as they are now.
    ///
    /// A stolen device can write a revision that nobody can read, and the others take it. Once the person has repaired the item, it is only
    /// counted: nothing could take it out of the log, and no check would succeed any more.
    private mutating func checkUnreadable(_ clearable: Set<[UInt8]>) throws(VaultError) {
        guard !unreadable.isEmpty else { return }
        let items = Set(unreadable.keys.compactMap { graph.revision($0)?.record.item })
        for item in items {
            for revision in graph.revisionsOfState(of: item) {
                if let error = unreadable[revision.hash] { throw error }
            }
        }
        report.unreadable = unreadable.keys.count { isKept($0, clearable) }
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
