extension Circle {
    /// Finds the keys, the header and the rules in force.
    func findKeys(
        _ standing: [Int],
        _ labels: [CircleLabel?],
        _ reaches: [CircleReach],
        _ found: inout CircleEvaluation
    ) {
        let overtaken = overtaken(reaches, labels)
        // Of a removal by a device that is removed beside it, only the removal itself counts.
        let counting = standing.filter { place in
            labels[place] == .counts && (rules.keysOutliveTheirAuthor || !overtaken.contains(place))
        }
        let changes = counting.filter { nodes[$0].entry.operation.keys != nil }
        found.state.owners = Set(newest(changes).compactMap { nodes[$0].entry.operation.keys?.owner })
        let recoveries = counting.filter { recoveryKeys(of: $0) != nil }
        found.state.recovery = newest(recoveries).reduce(into: Set()) { $0.formUnion(recoveryKeys(of: $1) ?? []) }
        for place in standing {
            let operation = nodes[place].entry.operation
            found.state.largestEpoch = max(found.state.largestEpoch, operation.keys?.epoch ?? 0)
            found.state.largestHeader = max(found.state.largestHeader, operation.headerGeneration ?? 0)
        }
        for place in counting {
            guard case .rules(let minimum) = nodes[place].entry.operation else { continue }
            found.state.minimumReader = max(found.state.minimumReader, minimum)
        }
        let moves = counting.filter { nodes[$0].entry.operation == .place }
        found.state.places = Set(newest(moves).map { nodes[$0].entry.hash })
        findVaultKey(changes, counting, standing, &found.state)
    }

    private func recoveryKeys(of place: Int) -> Set<CircleKey>? {
        switch nodes[place].entry.operation {
        case .begin(_, let keys, _), .recovery(let keys, _): keys
        case .admit, .recover, .remove, .rekey, .header, .rules, .place, .other, .unknown: nil
        }
    }

    /// Those that are in the past of no other.
    func newest(_ places: [Int]) -> [Int] {
        places.filter { one in !places.contains { nodes[$0].past.contains(one) } }
    }

    /// The devices that have the vault key of an operation.
    ///
    /// Each header has all earlier keys. So they are also the devices that got a later key from somebody who knew the operation, and
    /// those that such a device admitted.
    private func holders(of place: Int, _ standing: [Int]) -> Set<DeviceID> {
        standing.reduce(into: nodes[place].recipients) { holders, later in
            guard nodes[later].past.contains(place) else { return }
            holders.formUnion(nodes[later].recipients)
            holders.formUnion(admitted(by: later))
        }
    }

    private func findVaultKey(_ changes: [Int], _ counting: [Int], _ standing: [Int], _ state: inout CircleState) {
        let insiders = state.writers
        let clean = Set(
            changes.filter { rules.isClean(outsiders: holders(of: $0, standing).subtracting(insiders)) }
        )
        func isClean(_ place: Int) -> Bool { clean.contains(place) }
        func isLess(_ one: Int, _ other: Int) -> Bool {
            let (mine, theirs) = (nodes[one].entry, nodes[other].entry)
            if isClean(one) != isClean(other) { return isClean(other) }
            let epochs = (mine.operation.keys?.epoch ?? 0, theirs.operation.keys?.epoch ?? 0)
            if epochs.0 != epochs.1 { return epochs.0 < epochs.1 }
            return mine.hash.lexicographicallyPrecedes(theirs.hash)
        }
        guard let current = changes.max(by: isLess) else { return }
        state.key = CircleState.Key(
            epoch: nodes[current].entry.operation.keys?.epoch ?? 0,
            entry: nodes[current].entry.hash
        )
        state.isClean = isClean(current)
        // A device that was admitted by somebody who had the key got it then.
        let admittedLater = counting.filter { nodes[$0].past.contains(current) }.reduce(into: Set<DeviceID>()) {
            switch nodes[$1].entry.operation {
            case .admit(let device): $0.insert(device)
            case .recover: $0.insert(nodes[$1].entry.device)
            case .begin, .remove, .rekey, .recovery, .header, .rules, .place, .other, .unknown: break
            }
        }
        state.lacking = state.members.subtracting(nodes[current].recipients).subtracting(admittedLater)
        findHeader(counting, current, &state)
    }

    private func findHeader(_ counting: [Int], _ key: Int, _ state: inout CircleState) {
        let places = counting.filter { nodes[$0].entry.operation.headerGeneration != nil }
        func header(_ place: Int) -> CircleHeader {
            CircleHeader(
                entry: nodes[place].entry.hash,
                generation: nodes[place].entry.operation.headerGeneration ?? 0,
                knowsKey: place == key || nodes[place].past.contains(key)
            )
        }
        guard let best = places.max(by: { rules.isPreferred(header($1), to: header($0)) }) else { return }
        state.header = header(best)
        for place in places where place != best && !nodes[best].past.contains(place) {
            // The header of a new key has the passphrase that was there before.
            guard case .header = nodes[place].entry.operation else { continue }
            state.pendingHeaders.insert(nodes[place].entry.hash)
        }
    }
}
