import WardLog

extension CircleInvariants {
    /// Operation 12 counts like any other, and what a removed device wrote beyond its removal raises nothing.
    static func checkRules<Rules>(
        _ history: CircleHistory<Rules>,
        _ removals: [Int],
        _ counts: inout CircleExplorer<Rules>.Counts
    ) {
        let replacements = history.steps.indices.filter { history.steps[$0].kind == .recovery }
        var (certain, possible): (UInt64, UInt64) = (0, 0)
        for place in history.steps.indices {
            guard case .rules(let version) = history.entries[place].operation,
                history.circle.stands(history.entries[place].hash)
            else { continue }
            let rivals = removals.filter { areConcurrent(history, $0, place) }
            let by = history.state.removed[history.entries[place].device] ?? []
            let isBeyond = rivals.contains {
                by.contains(history.entries[$0].hash) && history.steps[$0].author != history.steps[place].author
            }
            if !isBeyond { possible = max(possible, version) }
            // A removal of its own device that it knew, and that was void then, may count since a witness spoke.
            if rivals.isEmpty, !isOut(history, place),
                !replacements.contains(where: { areConcurrent(history, $0, place) })
            {
                certain = max(certain, version)
            }
            counts.rules += 1
        }
        if history.state.minimumReader < certain { counts.fault("a rule does not count", describe(history)) }
        if history.state.minimumReader > possible { counts.fault("a rule of a removed device", describe(history)) }
    }

    /// Of two that remove each other, and nobody else says anything, the one with the signature of the recovery key stays.
    static func checkSignature<Rules>(
        _ history: CircleHistory<Rules>,
        _ removals: [Int],
        _ counts: inout CircleExplorer<Rules>.Counts
    ) {
        guard removals.count == 2, areConcurrent(history, removals[0], removals[1]) else { return }
        let authors = removals.map { history.steps[$0].author }
        let signed = removals.filter { history.isSignedByRecovery($0) }
        let isMutual = (0...1).allSatisfy {
            targets(history, removals[$0]) == [CircleHistory<Rules>.device(authors[1 - $0])]
        }
        let areAlone = history.steps.indices.dropFirst().allSatisfy { place in
            authors.contains(history.steps[place].author)
                && (removals.contains(place) || !history.circle.stands(history.entries[place].hash))
        }
        guard isMutual, areAlone, authors.allSatisfy({ $0 < history.first }), signed.count == 1 else { return }
        counts.signatures += 1
        let removed = history.state.removed.values.reduce(into: Set()) { $0.formUnion($1) }
        if removed != [history.entries[signed[0]].hash] || history.state.isFrozen {
            counts.fault("a signature of a recovery key does not decide", describe(history))
        }
    }
}
