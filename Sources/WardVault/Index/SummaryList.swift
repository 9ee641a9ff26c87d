/// Summaries in display order: favourites first, then by title, then by item ID.
///
/// The list is sorted once and stays sorted while items change, because sorting ten thousand items takes too long.
struct SummaryList {
    private(set) var summaries: [ItemSummary]
    /// The slots in the index on disk.
    ///
    /// It is `nil` for items that have changed since.
    private var slots: [Int?]

    /// Summaries in any order.
    ///
    /// They are copied as seldom as possible: that is what the first list after unlocking takes time for.
    struct Unsorted {
        fileprivate var summaries: [ItemSummary] = []
        fileprivate var slots: [Int?] = []

        mutating func reserveCapacity(_ count: Int) {
            summaries.reserveCapacity(count)
            slots.reserveCapacity(count)
        }

        /// - Parameters:
        ///   - summary: An item.
        ///   - slot: Its slot; `nil` if it has none.
        mutating func append(_ summary: ItemSummary, _ slot: Int?) {
            summaries.append(summary)
            slots.append(slot)
        }
    }

    /// Sorts items that have no slots.
    init(_ summaries: [ItemSummary]) {
        self.init(Unsorted(summaries: summaries, slots: [Int?](repeating: nil, count: summaries.count)))
    }

    /// Sorts items.
    init(_ unsorted: Unsorted) {
        let keys = unsorted.summaries.map { Key($0) }
        let order = keys.indices.sorted { keys[$0] < keys[$1] }
        summaries = order.map { unsorted.summaries[$0] }
        slots = order.map { unsorted.slots[$0] }
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
            title = SearchText.foldedBytes(summary.title)
            id = summary.id
        }

        static func < (left: Self, right: Self) -> Bool {
            if left.isFavorite != right.isFavorite { return left.isFavorite }
            if left.title != right.title { return left.title.lexicographicallyPrecedes(right.title) }
            return left.id < right.id
        }
    }
}
