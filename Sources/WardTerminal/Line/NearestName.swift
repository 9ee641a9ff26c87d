/// The name nearest to a mistyped one.
package enum NearestName {
    /// The name that a person most likely meant, or `nil`.
    ///
    /// Upper and lower case count as the same, and so do `_` and `-`.
    package static func of(_ word: String, among names: [String]) -> String? {
        let word = folded(word)
        if word.count >= 3, let whole = names.first(where: { folded($0).hasPrefix(word) }) { return whole }
        let ranked = names.map { (name: $0, distance: distance(word, folded($0))) }.sorted { $0.distance < $1.distance }
        if let first = ranked.first, first.distance <= max(1, first.name.count / 2) { return first.name }
        return names.first { word.hasPrefix(folded($0)) }
    }

    private static func folded(_ text: String) -> String { text.prefix(64).lowercased().replacing("_", with: "-") }

    /// The number of characters to insert, remove, replace or swap with a neighbour (optimal string alignment).
    private static func distance(_ first: String, _ second: String) -> Int {
        let (first, second) = (Array(first), Array(second))
        var before: [Int] = []
        var row = Array(0...second.count)
        for (line, letter) in first.enumerated() {
            var next = [line + 1]
            for (column, other) in second.enumerated() {
                var least = min(row[column + 1], next[column]) + 1
                least = min(least, row[column] + (letter == other ? 0 : 1))
                if line > 0, column > 0, letter == second[column - 1], first[line - 1] == other {
                    least = min(least, before[column - 1] + 1)
                }
                next.append(least)
            }
            (before, row) = (row, next)
        }
        return row[second.count]
    }
}
