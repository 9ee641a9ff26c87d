/// The walk over a damaged log: every row for itself, and nothing believed that the vault's keys do not show.
struct Salvager {
    private let database: VaultDatabase
    private let vault: VaultID
    private let keys: VaultKeys

    private var salvage = Salvage()
    private var states: [ItemID: [Place]] = [:]
    /// Devices that the vault's authority admitted.
    private var devices: [DeviceID: [UInt8]] = [:]
    private var nonce: [UInt8] = []

    private var removed: Set<ItemID> = []
    /// What items are called, as far as the index knows.
    private let titles: [ItemID: String]

    /// Where a state of an item lies.
    private struct Place {
        var position: Int64
        var number: UInt64
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

    /// Reads what can be read.
    mutating func run() -> Salvage {
        let missing = database.forEachPlace { position, row in take(position, row) }
        salvage.damagedEntries += missing
        // What no entry names any more is known from the index alone.
        for id in titles.keys where !removed.contains(id) && states[id] == nil { states[id] = [] }
        for (id, places) in states.sorted(by: { $0.key < $1.key }) { choose(id, places) }
        return salvage
    }

    private mutating func take(_ position: Int64, _ row: VaultDatabase.Row?) {
        guard let row, let signed = try? SignedEntry(encoded: row.entry) else {
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
            removed.remove(record.item)
            states[record.item, default: []].append(Place(position: position, number: record.number))
        case .purge(let item, _):
            // Only a removal that a device of this vault signed is believed.
            guard let key = devices[signed.entry.device], signed.isSigned(by: key, vault: vault) else { return }
            states[item] = nil
            removed.insert(item)
        case .header, .ignorable: break
        }
    }

    private mutating func admit(_ publicKey: [UInt8], _ certificate: [UInt8]) {
        let message = LogEntry.certificateMessage(device: publicKey, nonce: nonce)
        guard let authority = try? keys.authority(nonce: nonce),
            SigningSeed.isValid(certificate, of: message, by: authority.publicKey)
        else { return }
        devices[DeviceID(publicKey: publicKey)] = publicKey
    }

    /// Takes the latest state of an item that opens.
    private mutating func choose(_ id: ItemID, _ places: [Place]) {
        let latestFirst = places.sorted { ($0.number, $0.position) > ($1.number, $1.position) }
        for place in latestFirst {
            guard let item = item(id, at: place.position) else { continue }
            salvage.items.append(item)
            if place.position != latestFirst.first?.position { salvage.outdated.append(id) }
            return
        }
        salvage.lost.append(id)
        salvage.lostTitles[id] = titles[id]
    }

    private func item(_ id: ItemID, at position: Int64) -> Item? {
        guard let row = try? database.row(at: position), let signed = try? SignedEntry(encoded: row.entry),
            case .revision(let record) = signed.entry.operation, record.item == id, let blob = row.blob,
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
