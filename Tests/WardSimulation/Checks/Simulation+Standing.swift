import WardLog

/// What the rules say about the circle, told in a plain way where it is plain.
extension Simulation {
    /// Which entries count, by the members and the removals that count alone.
    func checkCounting(_ past: Ancestry, _ graph: LogGraph, _ state: CircleState) {
        var root: [UInt8]?
        for signed in past.entries {
            if case .circle(.begin) = signed.entry.operation, root == nil { root = signed.hash }
        }
        for signed in past.entries where graph.voidSequence(of: signed.entry.device) == nil {
            let device = signed.entry.device
            var counts = state.members.contains(device)
            if let removals = state.removed[device] {
                counts = removals.allSatisfy { past.isPast(signed.hash, of: $0) || $0 == signed.hash }
            }
            if let root, past.isPast(signed.hash, of: root) { counts = true }
            if graph.isEffective(signed.hash) != counts {
                find("entry \(signed.entry.sequence) of device \(device) \(counts ? "does not count" : "counts")")
            }
        }
    }

    /// The members, told from the operations alone where each knows all before it.
    func checkMembers(_ past: Ancestry, _ graph: LogGraph, _ state: CircleState) {
        let operations = past.entries.compactMap { signed -> (hash: [UInt8], record: CircleRecord)? in
            guard case .circle(let record) = signed.entry.operation, graph.stands(signed.hash) else { return nil }
            return (signed.hash, record)
        }
        let removals = operations.filter { if case .remove = $0.record { true } else { false } }
        for removal in removals {
            guard case .remove(let devices, _) = removal.record else { continue }
            let isAlone = operations.allSatisfy { other in
                other.hash == removal.hash || past.isPast(other.hash, of: removal.hash)
                    || past.isPast(removal.hash, of: other.hash)
            }
            // What others saw can say later that an earlier removal of its author was first.
            let author = past.entries.first { $0.hash == removal.hash }?.entry.device
            let isOvertaken =
                author.flatMap { state.removed[$0] }?.contains { !past.isPast(removal.hash, of: $0) } ?? false
            if isAlone, !isOvertaken, !state.members.isDisjoint(with: devices) {
                find("a removal beside which nothing is does not count")
            }
        }
        let isRow = zip(operations, operations.dropFirst()).allSatisfy { past.isPast($0.hash, of: $1.hash) }
        guard isRow else { return }
        var members: Set<DeviceID> = []
        for (_, record) in operations {
            switch record {
            case .begin(let devices, _, _): members.formUnion(devices.map(\.id))
            case .admit(let device, _): members.insert(device.id)
            case .joinRecovered(let device): members.insert(device.id)
            case .remove(let devices, _): members.subtract(devices)
            case .joinAdmitted, .rekey, .recovery, .rules, .place: break
            }
        }
        if members != state.members { find("the members are not those that were admitted and not removed") }
        if state.isFrozen { find("there is a question, although each operation knows those before it") }
    }

    /// Whether the key in force was given to members alone, and to all of them.
    func checkKey(_ past: Ancestry, _ state: CircleState) {
        guard let key = state.key, let made = past.entries.first(where: { $0.hash == key.entry }) else {
            return find("no entry made the key in force")
        }
        guard case .circle(let record) = made.entry.operation, let keys = record.keys else {
            return find("the entry that made the key in force makes no key")
        }
        let given = Set(keys.sealed.map(\.recipient))
        for device in state.removed.keys where given.contains(device.bytes) && state.isClean {
            find("device \(device), which was removed, has the key in force")
        }
        let outside = past.entries.map(\.entry.device).filter { !state.members.contains($0) }
        for device in outside where given.contains(device.bytes) && state.isClean {
            find("device \(device), which is not in the circle, has the key in force")
        }
    }
}
