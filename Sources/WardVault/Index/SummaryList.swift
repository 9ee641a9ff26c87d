/// Summaries in the order in which people see them: favourites first, then by title, then by name.
///
/// Made once and kept in order while items change, because sorting ten thousand takes longer than anybody should wait.
struct SummaryList {
    private(set) var summaries: [ItemSummary]
    /// Where each comes from in the index on the disk; `nil` for what changed since.
    private var slots: [Int?]

    /// Sorts.
    ///
    /// - Parameters:
    ///   - summaries: What is to be listed.
    ///   - slots: Where each comes from; `nil` for what is in no index.
    init(_ summaries: [ItemSummary], slots: [Int?]? = nil) {
        let keys = summaries.map { Key($0) }
        let order = summaries.indices.sorted { keys[$0] < keys[$1] }
        self.summaries = order.map { summaries[$0] }
        self.slots = slots.map { slots in order.map { slots[$0] } } ?? summaries.map { _ in nil }
    }

    /// Puts a summary into its place that is in no index.
    mutating func insert(_ summary: ItemSummary) {
        let index = firstIndex(notBefore: Key(summary))
        summaries.insert(summary, at: index)
        slots.insert(nil, at: index)
    }

    /// Those that come from the given slots, or have one of the given names, in order.
    func summaries(inSlots isWanted: [Bool], orNamed ids: Set<ItemID>) -> [ItemSummary] {
        summaries.indices.filter { index in
            if let slot = slots[index] { isWanted[slot] } else { ids.contains(summaries[index].id) }
        }.map { summaries[$0] }
    }

    /// Takes a summary out that is there exactly as it is given.
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

    /// What decides the place.
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
