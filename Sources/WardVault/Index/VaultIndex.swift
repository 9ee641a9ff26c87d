internal import WardWebAuthn

/// What an open vault knows of all its items without opening any: what was on the disk, and what changed since.
struct VaultIndex {
    private var base: IndexSnapshot?
    /// Slots of the base that changed since.
    private var isSuperseded: [Bool] = []
    private var supersededCount = 0
    private var changed: [ItemID: IndexEntry] = [:]
    private var sites: [String: Set<ItemID>] = [:]
    private var credentials: [[UInt8]: ItemID] = [:]
    let suffixes: PublicSuffixList

    init(base: IndexSnapshot?, suffixes: PublicSuffixList) {
        self.base = base
        self.suffixes = suffixes
        isSuperseded = [Bool](repeating: false, count: base?.count ?? 0)
    }

    /// How many items there are, those in the trash too.
    var count: Int { (base?.count ?? 0) - supersededCount + changed.count }
    /// How many items a next start would have to read one by one.
    var changes: Int { supersededCount + changed.count }

    /// Where an item's latest revision lies, and the hash of its entry.
    func place(_ id: ItemID) -> (position: Int64, hash: [UInt8])? {
        if let entry = changed[id] { return (entry.position, entry.hash) }
        guard let base, let slot = base.slot(id), !isSuperseded[slot] else { return nil }
        return (base.position(slot), base.hash(slot))
    }

    func summary(_ id: ItemID) -> ItemSummary? {
        if let entry = changed[id] { return entry.summary }
        guard let base, let slot = base.slot(id), !isSuperseded[slot] else { return nil }
        return base.summary(slot)
    }

    /// Puts an item's latest revision in.
    mutating func set(_ entry: IndexEntry) {
        let id = entry.summary.id
        remove(id)
        changed[id] = entry
        for key in entry.siteKeys { sites[key, default: []].insert(id) }
        for passkey in entry.summary.passkeys { credentials[passkey.credentialID] = id }
    }

    /// Takes an item out.
    mutating func remove(_ id: ItemID) {
        if let slot = base?.slot(id), !isSuperseded[slot] {
            isSuperseded[slot] = true
            supersededCount += 1
        }
        guard let old = changed.removeValue(forKey: id) else { return }
        for key in old.siteKeys {
            sites[key]?.remove(id)
            if sites[key]?.isEmpty == true { sites[key] = nil }
        }
        for passkey in old.summary.passkeys where credentials[passkey.credentialID] == id {
            credentials[passkey.credentialID] = nil
        }
    }

    /// All items whose search text has all the words; all items when there are none.
    func summaries(containing words: [[UInt8]]) -> [ItemSummary] {
        var found: [ItemSummary] = []
        if words.isEmpty { found.reserveCapacity(count) }
        if let base {
            for slot in 0..<base.count where !isSuperseded[slot] {
                guard words.isEmpty || SearchText.contains(words, in: base.bytes, base.searchRange(slot)) else {
                    continue
                }
                if let summary = base.summary(slot) { found.append(summary) }
            }
        }
        for entry in changed.values where SearchText.contains(words, in: entry.search, 0..<entry.search.count) {
            found.append(entry.summary)
        }
        return found
    }

    /// The items that a place's key leads to; the caller compares in full.
    func summaries(siteKey key: String) -> [ItemSummary] {
        var found = (sites[key] ?? []).compactMap { changed[$0]?.summary }
        if let base {
            let slots = base.slots(siteHash: SiteKeys.hash(key.utf8))
            found += slots.filter { !isSuperseded[$0] }.compactMap { base.summary($0) }
        }
        return found
    }

    /// The item that has a passkey.
    func summary(credentialID: [UInt8]) -> ItemSummary? {
        if let id = credentials[credentialID] { return changed[id]?.summary }
        guard let base else { return nil }
        return base.slots(credentialHash: SiteKeys.hash(credentialID)).lazy
            .filter { !isSuperseded[$0] }.compactMap { base.summary($0) }
            .first { $0.passkeys.contains { $0.credentialID == credentialID } }
    }

    /// The names of all items.
    func ids() -> [ItemID] {
        let old = base.map { base in (0..<base.count).filter { !isSuperseded[$0] }.compactMap { base.id($0) } } ?? []
        return old + changed.keys
    }

    /// The index as it shall lie on the disk.
    func snapshot(_ chain: LogChain) -> [UInt8] {
        var pieces = changed.values.map { IndexSnapshot.Piece($0) }
        if let base {
            let keys = base.keys()
            var siteHashes = [[UInt64]](repeating: [], count: base.count)
            var credentialHashes = siteHashes
            for key in keys.sites where key.slot < base.count { siteHashes[key.slot].append(key.hash) }
            for key in keys.credentials where key.slot < base.count { credentialHashes[key.slot].append(key.hash) }
            for slot in 0..<base.count where !isSuperseded[slot] {
                let piece = IndexSnapshot.Piece(
                    base,
                    slot: slot,
                    sites: siteHashes[slot],
                    credentials: credentialHashes[slot]
                )
                if let piece { pieces.append(piece) }
            }
        }
        return IndexSnapshot.build(pieces, chain)
    }

    /// Overwrites what is in one piece and drops the rest.
    mutating func wipe() {
        base?.wipe()
        base = nil
        changed = [:]
        sites = [:]
        credentials = [:]
    }
}
