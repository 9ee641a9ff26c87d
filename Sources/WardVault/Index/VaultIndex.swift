internal import WardDomains
internal import WardWebAuthn
internal import WardLog

/// The index of all items of an open vault: the index on disk and the changes since then.
struct VaultIndex {
    private var base: IndexSnapshot?
    /// The slots of the index on disk whose items have changed since then.
    private var isSuperseded: [Bool] = []
    private var supersededCount = 0
    private var changed: [ItemID: IndexEntry] = [:]
    /// All items in order, outside and inside the trash.
    ///
    /// The lists are built on first use.
    private var lists: (kept: SummaryList, trashed: SummaryList)?
    private var sites: [String: Set<ItemID>] = [:]
    private var credentials: [CredentialID: Set<ItemID>] = [:]
    let suffixes: PublicSuffixList

    init(base: IndexSnapshot?, suffixes: PublicSuffixList) {
        self.base = base
        self.suffixes = suffixes
        isSuperseded = [Bool](repeating: false, count: base?.count ?? 0)
    }

    /// The number of items, including the trash.
    var count: Int { (base?.count ?? 0) - supersededCount + changed.count }
    /// The number of items that the next start must read one by one.
    var changes: Int { supersededCount + changed.count }

    /// The positions of an item's newest revisions, in the order of their hashes.
    ///
    /// The list is empty if the item does not exist.
    func heads(_ id: ItemID) -> [RevisionPlace] {
        if let entry = changed[id] { return entry.heads }
        guard let base, let slot = base.slot(id), !isSuperseded[slot] else { return [] }
        return base.heads(slot, id)
    }

    func summary(_ id: ItemID) -> ItemSummary? {
        if let entry = changed[id] { return entry.summary }
        guard let base, let slot = base.slot(id), !isSuperseded[slot] else { return nil }
        return base.summary(slot)
    }

    /// Prepares for many changes.
    ///
    /// One sort afterwards is then cheaper than inserting each item.
    mutating func prepare(forChanges count: Int) {
        if count > Self.fewSummaries { lists = nil }
    }

    /// Adds an item's latest revision.
    mutating func set(_ entry: IndexEntry) {
        let id = entry.summary.id
        remove(id)
        changed[id] = entry
        if entry.summary.isInTrash {
            lists?.trashed.insert(entry.summary)
        } else {
            lists?.kept.insert(entry.summary)
        }
        for key in entry.siteKeys { sites[key, default: []].insert(id) }
        for passkey in entry.summary.passkeys { credentials[passkey.credentialID, default: []].insert(id) }
    }

    /// Removes an item.
    mutating func remove(_ id: ItemID) {
        if lists != nil, let summary = summary(id) {
            if summary.isInTrash { lists?.trashed.remove(summary) } else { lists?.kept.remove(summary) }
        }
        if let slot = base?.slot(id), !isSuperseded[slot] {
            isSuperseded[slot] = true
            supersededCount += 1
        }
        guard let old = changed.removeValue(forKey: id) else { return }
        for key in old.siteKeys {
            sites[key]?.remove(id)
            if sites[key]?.isEmpty == true { sites[key] = nil }
        }
        for passkey in old.summary.passkeys {
            credentials[passkey.credentialID]?.remove(id)
            if credentials[passkey.credentialID]?.isEmpty == true { credentials[passkey.credentialID] = nil }
        }
    }

    /// All items in order, in the trash or outside it.
    mutating func summaries(inTrash: Bool) -> [ItemSummary] { list(inTrash: inTrash).summaries }

    /// The items whose search text has all the words, in order.
    mutating func summaries(containing words: [[UInt8]], inTrash: Bool) -> [ItemSummary] {
        guard !words.isEmpty else { return summaries(inTrash: inTrash) }
        let entries = changed.values.filter { SearchText.contains(words, in: $0.search, 0..<$0.search.count) }
        var isFound = [Bool](repeating: false, count: base?.count ?? 0)
        if let base {
            for slot in isFound.indices where !isSuperseded[slot] {
                isFound[slot] = SearchText.contains(words, in: base.bytes, base.searchRange(slot))
            }
        }
        // A few matches are sorted. Many matches are filtered from the sorted list.
        guard entries.count + isFound.count(where: { $0 }) > Self.fewSummaries else {
            let slots = isFound.indices.filter { isFound[$0] }
            let found = entries.map(\.summary) + slots.compactMap { base?.summary($0) }
            return SummaryList(found.filter { $0.isInTrash == inTrash }).summaries
        }
        return list(inTrash: inTrash).summaries(inSlots: isFound, orNamed: Set(entries.map(\.summary.id)))
    }

    private mutating func list(inTrash: Bool) -> SummaryList {
        if let lists { return inTrash ? lists.trashed : lists.kept }
        var (kept, trashed) = (SummaryList.Unsorted(), SummaryList.Unsorted())
        kept.reserveCapacity(changed.count + isSuperseded.count)
        func add(_ summary: ItemSummary, _ slot: Int?) {
            if summary.isInTrash { trashed.append(summary, slot) } else { kept.append(summary, slot) }
        }
        for entry in changed.values { add(entry.summary, nil) }
        if let base {
            for slot in isSuperseded.indices where !isSuperseded[slot] {
                if let summary = base.summary(slot) { add(summary, slot) }
            }
        }
        let sorted = (kept: SummaryList(kept), trashed: SummaryList(trashed))
        lists = sorted
        return inTrash ? sorted.trashed : sorted.kept
    }

    private static let fewSummaries = 64

    /// The items that may have a site's key.
    ///
    /// The caller must compare the keys.
    func summaries(siteKey key: String) -> [ItemSummary] {
        var found = (sites[key] ?? []).compactMap { changed[$0]?.summary }
        if let base {
            let slots = base.slots(siteHash: SiteKeys.hash(key.utf8))
            found += slots.filter { !isSuperseded[$0] }.compactMap { base.summary($0) }
        }
        return found
    }

    /// The items with a passkey.
    ///
    /// There are several if it was imported twice.
    func summaries(credentialID: CredentialID) -> [ItemSummary] {
        var found = (credentials[credentialID] ?? []).compactMap { changed[$0]?.summary }
        if let base {
            let slots = base.slots(credentialHash: SiteKeys.hash(credentialID.bytes))
            found += slots.filter { !isSuperseded[$0] }.compactMap { base.summary($0) }
                .filter { $0.passkeys.contains { $0.credentialID == credentialID } }
        }
        return found
    }

    /// The item with a passkey, outside the trash.
    func summary(credentialID: CredentialID) -> ItemSummary? {
        summaries(credentialID: credentialID).filter { !$0.isInTrash }.min { $0.id < $1.id }
    }

    /// The IDs of all items.
    func ids() -> [ItemID] {
        let old = base.map { base in (0..<base.count).filter { !isSuperseded[$0] }.compactMap { base.id($0) } } ?? []
        return old + changed.keys
    }

    /// The index in the form for the disk.
    func snapshot(_ chain: LogChain, _ removals: [Removal], _ contents: [[UInt8]: ContentPlace]) -> [UInt8] {
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
        return IndexSnapshot.build(pieces, chain, removals, contents)
    }

    /// Overwrites the block of bytes and releases the rest.
    mutating func wipe() {
        base?.wipe()
        base = nil
        changed = [:]
        sites = [:]
        credentials = [:]
        lists = nil
    }
}
