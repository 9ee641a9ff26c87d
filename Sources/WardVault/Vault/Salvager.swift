internal import WardLog

/// Reads a damaged log.
///
/// Every row is read separately, and data is used only if the vault's keys confirm it.
///
/// If an item has several newest revisions, all that can be decrypted are merged without a base. So no value of them is lost.
struct Salvager {
    private let database: VaultDatabase
    private let vault: VaultID
    private let keys: VaultKeys

    private var salvage = Salvage()
    private var devices: SalvagedDevices
    private var changes: [Change] = []
    private var states: [ItemID: [Place]] = [:]
    /// The positions of the contents of attached files, by their hashes.
    private var contents: [[UInt8]: Int64] = [:]

    private var removed: Set<ItemID> = []
    /// The revisions from which each revision was made.
    private var parents: [[UInt8]: [[UInt8]]] = [:]
    /// Revisions that a revision or a removal which counts was made from, directly or not.
    private var superseded: Set<[UInt8]> = []
    /// Revisions that do not count.
    ///
    /// What they say is saved beside what counts. They take the place of each other, and of nothing else.
    private var void: Set<[UInt8]> = []
    private var supersededVoid: Set<[UInt8]> = []
    /// The titles of items, if the index has them.
    private let titles: [ItemID: String]

    /// The position of a revision of an item.
    private struct Place {
        var position: Int64
        var number: UInt64
        var hash: [UInt8]
        var time: HybridTime
        var device: DeviceID
    }

    /// A revision, or the removal of an item for good, which has no place.
    private struct Change {
        var item: ItemID
        var parents: [[UInt8]]
        var device: DeviceID
        var sequence: UInt64
        /// Whether a device of the vault wrote it.
        var isBelieved: Bool
        var place: Place?
    }

    init(_ database: VaultDatabase, _ vault: VaultID, _ keys: VaultKeys, index: IndexSnapshot?) {
        var titles: [ItemID: String] = [:]
        for slot in 0..<(index?.count ?? 0) {
            if let summary = index?.summary(slot) { titles[summary.id] = summary.title }
        }
        self.titles = titles
        self.database = database
        self.vault = vault
        self.keys = keys
        devices = SalvagedDevices(vault, keys)
    }

    /// Reads all data that can be read.
    mutating func run() -> Salvage {
        let missing = database.forEachPlace { position, row in take(position, row) }
        salvage.damagedEntries += missing
        let last = devices.lastThatCount()
        for change in changes { apply(change, counts: change.sequence <= last[change.device] ?? .max) }
        // Data that no entry refers to is known only from the index.
        for id in titles.keys where !removed.contains(id) && states[id] == nil { states[id] = [] }
        for (id, places) in states.sorted(by: { $0.key < $1.key }) { choose(id, places) }
        for index in salvage.items.indices { readAttachments(of: index) }
        return salvage
    }

    private mutating func take(_ position: Int64, _ row: VaultDatabase.Row?) {
        guard let row, let signed = try? SignedEntry(row) else {
            salvage.damagedEntries += 1
            return
        }
        let (entry, isSigned) = (signed.entry, devices.take(signed))
        switch entry.operation {
        case .revision(let record):
            guard let id = ItemID(record.item.bytes) else { return }
            let place = Place(
                position: position,
                number: record.number,
                hash: signed.hash,
                time: entry.time,
                device: entry.device
            )
            // The vault's keys seal it together with its device and with the revisions from which it was made.
            let isBelieved = isSigned || opens(row, signed, record)
            parents[signed.hash] = record.parents
            note(id, record.parents, entry, isBelieved: isBelieved, place)
        case .purge(let item, let parents):
            // A removal counts only if a device of this vault signed it.
            guard let id = ItemID(item.bytes), isSigned else { return }
            note(id, parents, entry, isBelieved: true, nil)
        case .content(let record):
            if let blob = row.blob, ItemSealing.hash(blob) == record.blobHash { contents[record.blobHash] = position }
        case .genesis, .enrol, .header, .circle, .ignorable, .unknown: break
        }
    }

    private mutating func note(
        _ id: ItemID,
        _ parents: [[UInt8]],
        _ entry: LogEntry,
        isBelieved: Bool,
        _ place: Place?
    ) {
        changes.append(
            Change(
                item: id,
                parents: parents,
                device: entry.device,
                sequence: entry.sequence,
                isBelieved: isBelieved,
                place: place
            )
        )
    }

    private mutating func apply(_ change: Change, counts: Bool) {
        guard let place = change.place else {
            // A removal counts only for revisions that its device knew.
            guard counts else { return }
            supersede(change.parents)
            guard (states[change.item] ?? []).allSatisfy({ isSuperseded($0) }) else { return }
            states[change.item] = nil
            removed.insert(change.item)
            return
        }
        removed.remove(change.item)
        if counts && change.isBelieved {
            supersede(change.parents)
        } else {
            supersededVoid.formUnion(change.parents.filter { void.contains($0) })
            void.insert(place.hash)
        }
        states[change.item, default: []].append(place)
    }

    /// Notes that something that counts takes the place of revisions, and of all from which these were made.
    private mutating func supersede(_ revisions: [[UInt8]]) {
        var rest = revisions
        while let next = rest.popLast() {
            if superseded.insert(next).inserted { rest += parents[next] ?? [] }
        }
    }

    private func isSuperseded(_ place: Place) -> Bool {
        superseded.contains(place.hash) || supersededVoid.contains(place.hash)
    }

    /// Reads the contents of an item's attachments into memory.
    ///
    /// The names of unreadable ones are returned, and these are left out.
    private mutating func readAttachments(of index: Int) {
        let item = salvage.items[index]
        guard !item.attachments.isEmpty else { return }
        salvage.items[index].attachments = item.attachments.compactMap { attachment in
            guard let content = content(of: attachment, in: item.id) else {
                salvage.lostAttachments[item.id, default: []].append(attachment.name)
                return nil
            }
            var attachment = attachment
            attachment.content = .added(AttachedBytes(content))
            return attachment
        }
    }

    private func content(of attachment: Attachment, in item: ItemID) -> [UInt8]? {
        guard case .sealed(let hash, let key) = attachment.content, let position = contents[hash],
            let blob = try? database.row(at: position)?.blob,
            let content = AttachmentSealing.open(blob, key: key.revealed, attachment.id, of: item, vault),
            content.count == attachment.size
        else { return nil }
        return content
    }

    /// Uses the state that the newest revisions of an item give.
    ///
    /// If they cannot be decrypted, it uses the newest revision that can be.
    private mutating func choose(_ id: ItemID, _ places: [Place]) {
        let newestFirst = places.sorted { ($0.number, $0.position) > ($1.number, $1.position) }
        let heads = newestFirst.filter { !isSuperseded($0) }
        let readable = heads.compactMap { place in item(id, at: place.position).map { (place, $0) } }
        guard readable.isEmpty else {
            if readable.count < heads.count { salvage.outdated.append(id) }
            return save(readable)
        }
        for place in newestFirst {
            guard let item = item(id, at: place.position) else { continue }
            salvage.outdated.append(id)
            return save([(place, item)])
        }
        lose(id, titles[id])
    }

    private mutating func lose(_ id: ItemID, _ title: String?) {
        salvage.lost.append(id)
        salvage.lostTitles[id] = title
    }

    /// Saves what revisions give together, as far as it can be written.
    ///
    /// Together they can be too large for an item. Then the values that the item does not show are left out, and if that does not help, all
    /// revisions but the newest one.
    private mutating func save(_ revisions: [(Place, Item)]) {
        let sides = revisions.sorted { ($0.0.time, $0.0.device) < ($1.0.time, $1.0.device) }
        guard let newest = sides.last?.1 else { return }
        let all = sides.map { place, item in
            MergeSide(item: item, origin: MergeSide.Origin(time: place.time, device: place.device))
        }
        let joined = all.dropFirst().reduce(all[0]) { ItemMerge.join(.empty, $0, $1) }
        var item = joined.item ?? newest
        if revisions.count > 1 {
            item.revision = RevisionID(revisions.map { RevisionPlace(position: $0.0.position, hash: $0.0.hash) })
        }
        let isWhole = Self.fits(item)
        if !isWhole { item.conflicts = [] }
        if !isWhole, !Self.fits(item) {
            item = newest
            item.conflicts = []
        }
        guard Self.fits(item) else {
            salvage.outdated.removeAll { $0 == item.id }
            return lose(item.id, item.title)
        }
        if !isWhole { salvage.withoutConflicts.append(item.id) }
        salvage.items.append(item)
    }

    /// Whether an item can be written into a new vault.
    private static func fits(_ item: Item) -> Bool {
        var item = item
        item.change = .imported
        guard var bytes = try? item.encoded() else { return false }
        bytes.wipe()
        return true
    }

    private func item(_ id: ItemID, at position: Int64) -> Item? {
        guard let row = try? database.row(at: position), let signed = try? SignedEntry(row),
            case .revision(let record) = signed.entry.operation, record.item == id.logged,
            var bytes = open(row, signed, record)
        else { return nil }
        defer { bytes.wipe() }
        guard var item = try? Item(encoded: bytes), item.id == id else { return nil }
        item.revision = RevisionID(signed.hash)
        return item
    }

    private func opens(_ row: VaultDatabase.Row, _ signed: SignedEntry, _ record: RevisionEntry) -> Bool {
        guard var bytes = open(row, signed, record) else { return false }
        bytes.wipe()
        return true
    }

    private func open(_ row: VaultDatabase.Row, _ signed: SignedEntry, _ record: RevisionEntry) -> [UInt8]? {
        guard let blob = row.blob else { return nil }
        return try? ItemSealing.open(
            blob,
            for: record,
            device: signed.entry.device,
            sequence: signed.entry.sequence,
            vault: vault,
            keys: keys
        )
    }
}
