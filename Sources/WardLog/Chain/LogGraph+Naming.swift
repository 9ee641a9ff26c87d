/// What a device names with its next entry.
extension LogGraph {
    /// Whether a device that has written must first name entries by themselves.
    ///
    /// Otherwise its next entry would name more than ``LogLimits/names`` entries, or would know as many entries of the circle that are
    /// beside each other.
    package func mustNameFirst(_ device: DeviceID, after chain: LogChain) -> Bool {
        guard chain.leaf(of: device) != nil else { return false }
        let news = chain.news(for: device)
        return news.count > LogLimits.names || circleHeads(of: device, naming: news) > LogLimits.names
    }

    /// The entries that an entry names which does nothing else: as many of those that its device has not named as one entry can.
    package func named(alone device: DeviceID) -> [LogEntry.Seen] {
        fitting(unnamed(by: device), by: device, CircleLimits.names)
    }

    /// The entries that the first entry of a device names; `nil` if it names all.
    ///
    /// Nothing can come before it. So it names as many as it can, first of those that know its admission.
    package func named(byFirst operation: LogOperation, of device: DeviceID, after chain: LogChain) -> [LogEntry.Seen]?
    {
        guard members[device] == nil else { return nil }
        let news = chain.news(for: device)
        guard news.count > LogLimits.names || circleHeads(of: device, naming: news) > LogLimits.names else {
            return nil
        }
        let admission: Int? = if case .circle(.joinAdmitted(let hash)) = operation { places[hash] } else { nil }
        func knowsAdmission(_ seen: LogEntry.Seen) -> Bool {
            guard let admission, let place = places[seen.hash] else { return false }
            return nodes[place].past.contains(nodes[admission])
        }
        let leaves = branches.map { nodes[$0.leaf] }.filter { $0.device != device }.sorted { $0.position > $1.position }
            .map { LogEntry.Seen(device: $0.device, sequence: $0.sequence, hash: $0.hash) }
        let ordered = leaves.filter(knowsAdmission) + leaves.filter { !knowsAdmission($0) }
        return fitting(ordered, by: device, LogLimits.names).sorted {
            ($0.device, $0.sequence) < ($1.device, $1.sequence)
        }
    }

    /// The last entries of other devices that the last entry of a device does not know, by device and hash.
    func unnamed(by device: DeviceID) -> [LogEntry.Seen] {
        guard let own = members[device]?.branches, own.count == 1 else { return [] }
        let past = nodes[branches[own[0]].leaf].past
        return branches.filter { $0.device != device }.map { nodes[$0.leaf] }.filter { !past.contains($0) }
            .map { LogEntry.Seen(device: $0.device, sequence: $0.sequence, hash: $0.hash) }
            .sorted { one, other in
                guard one.device == other.device else { return one.device < other.device }
                return one.hash.lexicographicallyPrecedes(other.hash)
            }
    }

    /// As many of some entries as one entry can name, and at least one.
    private func fitting(_ seen: [LogEntry.Seen], by device: DeviceID, _ heads: Int) -> [LogEntry.Seen] {
        var found: [LogEntry.Seen] = []
        for one in seen where found.count < LogLimits.names {
            guard found.isEmpty || circleHeads(of: device, naming: found + [one]) <= heads else { continue }
            found.append(one)
        }
        return found
    }

    /// How many entries of the circle an entry of a device would name.
    private func circleHeads(of device: DeviceID, naming seen: [LogEntry.Seen]) -> Int {
        guard let circle else { return 0 }
        let own = members[device]?.branches.first.map { circle.views[nodes[branches[$0].leaf].view] } ?? Bits()
        let view = seen.compactMap { places[$0.hash] }.reduce(into: own) { $0.formUnion(circle.views[nodes[$1].view]) }
        return circle.newest(in: view).count
    }
}
