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
    private var states: [ItemID: [Place]] = [:]
    /// The positions of the contents of attached files, by their hashes.
    private var contents: [[UInt8]: Int64] = [:]
    /// Devices that the vault's authority admitted.
    private var devices: [DeviceID: [UInt8]] = [:]
    private var nonce: [UInt8] = []

    private var removed: Set<ItemID> = []
    /// Revisions from which other revisions were made.
    private var superseded: Set<[UInt8]> = []
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

    init(_ database: VaultDatabase, _ vault: VaultID, _ keys: VaultKeys, index: IndexSnapshot?) {
        var titles: [ItemID: String] = [:]
        for slot in 0..<(index?.count ?? 0) {
            if let summary = index?.summary(slot) { titles[summary.id] = summary.title }
        }
        self.titles = titles
        self.database = database
        self.vault = vault
        self.keys = keys
    }

    /// Reads all data that can be read.
    mutating func run() -> Salvage {
        let missing = database.forEachPlace { position, row in take(position, row) }
        salvage.damagedEntries += missing
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
        switch signed.entry.operation {
        case .genesis(let publicKey, let certificate, let nonce, _):
            self.nonce = nonce
            admit(publicKey, certificate)
        case .enrol(let publicKey, let certificate):
            admit(publicKey, certificate)
        case .revision(let record):
            guard let id = ItemID(record.item.bytes) else { return }
            removed.remove(id)
            if isBelieved(signed) { superseded.formUnion(record.parents) }
            states[id, default: []].append(
                Place(
                    position: position,
                    number: record.number,
                    hash: signed.hash,
                    time: signed.entry.time,
                    device: signed.entry.device
                )
            )
        case .purge(let item, let parents):
            // A removal counts only if a device of this vault signed it, and only for revisions that this device knew.
            guard let id = ItemID(item.bytes), isBelieved(signed) else { return }
            superseded.formUnion(parents)
            guard (states[id] ?? []).allSatisfy({ superseded.contains($0.hash) }) else { return }
            states[id] = nil
            removed.insert(id)
        case .content(let record):
            if let blob = row.blob, ItemSealing.hash(blob) == record.blobHash { contents[record.blobHash] = position }
        case .header, .circle, .ignorable, .unknown: break
        }
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
            let blob = try? database.row(at: position)?.blob
        else { return nil }
        return AttachmentSealing.open(blob, key: key.revealed, attachment.id, of: item, vault)
    }

    private func isBelieved(_ signed: SignedEntry) -> Bool {
        devices[signed.entry.device].map { signed.isSigned(by: $0, vault: vault) } ?? false
    }

    private mutating func admit(_ publicKey: [UInt8], _ certificate: [UInt8]) {
        let message = LogEntry.certificateMessage(device: publicKey, nonce: nonce)
        guard let authority = try? keys.authority(nonce: nonce),
            SignatureScheme.inForce.isValid(certificate, message, authority.publicKey)
        else { return }
        devices[DeviceID(publicKey: publicKey)] = publicKey
    }

    /// Uses the state that the newest revisions of an item give.
    ///
    /// If they cannot be decrypted, it uses the newest revision that can be.
    private mutating func choose(_ id: ItemID, _ places: [Place]) {
        let newestFirst = places.sorted { ($0.number, $0.position) > ($1.number, $1.position) }
        let heads = newestFirst.filter { !superseded.contains($0.hash) }
        let readable = heads.compactMap { place in item(id, at: place.position).map { (place, $0) } }
        if !heads.isEmpty, readable.count == heads.count {
            salvage.items.append(joined(readable))
            return
        }
        salvage.outdated.append(id)
        if !readable.isEmpty {
            salvage.items.append(joined(readable))
            return
        }
        for place in newestFirst {
            guard let item = item(id, at: place.position) else { continue }
            salvage.items.append(item)
            return
        }
        salvage.outdated.removeLast()
        salvage.lost.append(id)
        salvage.lostTitles[id] = titles[id]
    }

    private func joined(_ revisions: [(Place, Item)]) -> Item {
        let sides = revisions.sorted { ($0.0.time, $0.0.device) < ($1.0.time, $1.0.device) }
        let all = sides.map { place, item in
            MergeSide(item: item, origin: MergeSide.Origin(time: place.time, device: place.device))
        }
        let joined = all.dropFirst().reduce(all[0]) { ItemMerge.join(.empty, $0, $1) }
        var item = joined.item ?? revisions[0].1
        if revisions.count > 1 {
            item.revision = RevisionID(revisions.map { RevisionPlace(position: $0.0.position, hash: $0.0.hash) })
        }
        return item
    }

    private func item(_ id: ItemID, at position: Int64) -> Item? {
        guard let row = try? database.row(at: position), let signed = try? SignedEntry(row),
            case .revision(let record) = signed.entry.operation, record.item == id.logged, let blob = row.blob,
            var bytes = try? ItemSealing.open(
                blob,
                for: record,
                device: signed.entry.device,
                sequence: signed.entry.sequence,
                vault: vault,
                keys: keys
            )
        else { return nil }
        defer { bytes.wipe() }
        guard var item = try? Item(encoded: bytes), item.id == id else { return nil }
        item.revision = RevisionID(signed.hash)
        return item
    }
}
