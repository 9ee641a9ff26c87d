/// Summaries in display order: favourites first, then by title, then by item ID.
///
/// The list is sorted once and stays sorted while items change, because sorting ten thousand items takes too long.
struct SummaryList {
    private(set) var summaries: [ItemSummary]
    /// The slots in the index on disk.
    ///
    /// It is `nil` for items that have changed since.
    private var slots: [Int?]

    /// Sorts the list.
    ///
    /// - Parameters:
    ///   - summaries: The items.
    ///   - slots: Their slots; `nil` for items without one.
    init(_ summaries: [ItemSummary], slots: [Int?]? = nil) {
        let keys = summaries.map { Key($0) }
        let order = summaries.indices.sorted { keys[$0] < keys[$1] }
        self.summaries = order.map { summaries[$0] }
        self.slots = slots.map { slots in order.map { slots[$0] } } ?? summaries.map { _ in nil }
    }

    /// Inserts a summary without a slot at its position.
    mutating func insert(_ summary: ItemSummary) {
        let index = firstIndex(notBefore: Key(summary))
        summaries.insert(summary, at: index)
        slots.insert(nil, at: index)
    }

    /// The summaries with the given slots or item IDs, in order.
    func summaries(inSlots isWanted: [Bool], orNamed ids: Set<ItemID>) -> [ItemSummary] {
        summaries.indices.filter { index in
            if let slot = slots[index] { isWanted[slot] } else { ids.contains(summaries[index].id) }
        }.map { summaries[$0] }
    }

    /// Removes a summary, which must be equal to the given one.
    mutating func remove(_ summary: ItemSummary) {
        let index = firstIndex(notBefore: Key(summary))
        guard summaries.indices.contains(index), summaries[index].id == summary.id else { return }
        summaries.remove(at: index)
        slots.remove(at: index)
    }

    private func firstIndex(notBefore key: Key) -> Int {
        var (low, high) = (0, summaries.count)
        while low < high {
            let middle = (low + high) / 2
            if Key(summaries[middle]) < key { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// The sort key.
    private struct Key: Comparable {
        let isFavorite: Bool
        let title: [UInt8]
        let id: ItemID

        init(_ summary: ItemSummary) {
            isFavorite = summary.isFavorite
            title = Array(SearchText.folded(summary.title).utf8)
            id = summary.id
        }

        static func < (left: Self, right: Self) -> Bool {
            if left.isFavorite != right.isFavorite { return left.isFavorite }
            if left.title != right.title { return left.title.lexicographicallyPrecedes(right.title) }
            return left.id < right.id
        }
    }
}
