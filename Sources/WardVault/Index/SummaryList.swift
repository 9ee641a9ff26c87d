/// Summaries in the order in which people see them: favourites first, then by title, then by name.
///
/// Made once and kept in order while items change, because sorting ten thousand takes longer than anybody should wait.
struct SummaryList {
    private(set) var summaries: [ItemSummary]

    /// Sorts.
    init(_ summaries: [ItemSummary]) {
        let keyed = summaries.map { (key: Key($0), summary: $0) }
        self.summaries = keyed.sorted { $0.key < $1.key }.map(\.summary)
    }

    /// Puts a summary into its place.
    mutating func insert(_ summary: ItemSummary) {
        summaries.insert(summary, at: firstIndex(notBefore: Key(summary)))
    }

    /// Takes a summary out that is there exactly as it is given.
    mutating func remove(_ summary: ItemSummary) {
        let index = firstIndex(notBefore: Key(summary))
        if summaries.indices.contains(index), summaries[index].id == summary.id { summaries.remove(at: index) }
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
