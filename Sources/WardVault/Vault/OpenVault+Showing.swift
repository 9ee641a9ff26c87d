internal import WardDomains
internal import WardLog

/// Putting items into the index.
extension OpenVault {
    /// The number of items whose rows are in memory at the same time.
    private static let shownAtOnce = 1_024

    /// The newest revisions of an item.
    typealias Heads = (id: ItemID, heads: [RevisionPlace])

    /// Puts the newest revisions of items into the index, as far as they are not there.
    ///
    /// - Returns: The items that may be shown otherwise than before.
    func show(_ items: Set<LogItemID>, in graph: LogGraph) throws(VaultError) -> Set<ItemID> {
        var shown: [Heads] = []
        for item in items {
            guard let id = ItemID(item.bytes) else { continue }
            let heads = graph.heads(of: item).map { RevisionPlace($0) }
            // What several revisions are merged on may have been removed for good, while they are the same.
            guard heads.count > 1 || heads != (unreadable[id] ?? index.heads(id)) else { continue }
            shown.append((id, heads))
        }
        try show(shown)
        return Set(shown.map(\.id))
    }

    /// Tries the items again that could not be read.
    ///
    /// - Returns: Those that can be read now.
    func showUnreadable() throws(VaultError) -> Set<ItemID> {
        let before = unreadable
        try show(before.map { ($0.key, $0.value) })
        return Set(before.keys.filter { unreadable[$0] == nil })
    }

    /// Puts the newest revisions of items into the index.
    ///
    /// If one item cannot be read, the others are still shown. Most items have one newest revision, and all processors decrypt these.
    func show(_ items: [Heads]) throws(VaultError) {
        index.prepare(forChanges: items.count)
        var rest = items[...]
        while !rest.isEmpty {
            var single: [Row] = []
            for (id, heads) in rest.prefix(Self.shownAtOnce) {
                if heads.count == 1, let row = try database.row(at: heads[0].position) {
                    single.append(Row(id: id, place: heads[0], row: row))
                } else {
                    try show(id, heads)
                }
            }
            rest = rest.dropFirst(Self.shownAtOnce)
            let (revisions, suffixes) = (revisions, environment.suffixes)
            let entries = single.mapOnAllProcessors { $0.entry(revisions, suffixes) }
            for (one, entry) in zip(single, entries) { try put(entry, one.id, [one.place]) }
        }
    }

    /// A newest revision that has no other beside it, before it is decrypted.
    private struct Row: Sendable {
        let id: ItemID
        let place: RevisionPlace
        let row: VaultDatabase.Row

        func entry(_ revisions: RevisionReader, _ suffixes: PublicSuffixList) -> Result<IndexEntry, VaultError> {
            do throws(VaultError) {
                let (signed, record) = try revisions.read(row, of: id, at: place)
                var item = try revisions.open(row, signed, record)
                item.revision = RevisionID([place])
                return .success(IndexEntry(heads: [place], summary: ItemSummary(item), suffixes: suffixes))
            } catch {
                return .failure(error)
            }
        }
    }

    private func show(_ id: ItemID, _ heads: [RevisionPlace]) throws(VaultError) {
        guard !heads.isEmpty else {
            unreadable[id] = nil
            noted.remove(id)
            return index.remove(id)
        }
        let entry: Result<IndexEntry, VaultError>
        do throws(VaultError) {
            let item = try item(id, heads)
            entry = .success(IndexEntry(heads: heads, summary: ItemSummary(item), suffixes: environment.suffixes))
        } catch {
            entry = .failure(error)
        }
        try put(entry, id, heads)
    }

    private func put(
        _ entry: Result<IndexEntry, VaultError>,
        _ id: ItemID,
        _ heads: [RevisionPlace]
    ) throws(VaultError) {
        unreadable[id] = nil
        noted.remove(id)
        switch entry {
        case .success(let entry): index.set(entry)
        case .failure(let error):
            guard Self.isDamage(error) else { throw error }
            index.remove(id)
            unreadable[id] = heads
        }
    }
}
