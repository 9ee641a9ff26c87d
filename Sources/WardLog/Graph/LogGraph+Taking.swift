extension LogGraph {
    /// The result of taking an entry.
    package enum Outcome: Hashable, Sendable {
        /// The entry is in the graph now.
        case taken
        /// The entry was there before.
        case known
        /// The entry is not in the graph yet, because these entries, or the first entry of the log, are missing.
        case waits([[UInt8]])
    }

    /// Checks an entry and adds it.
    ///
    /// Everything that the entry names must be in the graph. Entries may arrive in any order: offer one that waits again when
    /// the missing entries have arrived.
    ///
    /// - Parameters:
    ///   - signed: The entry.
    ///   - position: The position of the entry in the file; by default after the last one.
    ///   - checksSignature: Whether the signatures are checked. An entry with the hash of an entry that this device has checked
    ///     before needs no second check.
    ///   - isNamed: Whether an entry of another device names this one, or it was taken before. Then it is needed, however many entries
    ///     its device wrote.
    /// - Returns: Whether the entry was added.
    /// - Throws: ``LogError``; the graph does not change then.
    @discardableResult
    package mutating func take(
        _ signed: SignedEntry,
        at position: Int64? = nil,
        checksSignature: Bool = true,
        isNamed: Bool = false
    ) throws(LogError) -> Outcome {
        let entry = signed.entry
        guard places[signed.hash] == nil else { return .known }
        let missing = missing(entry)
        // Every entry needs the first entry of the log, which says who may admit a device.
        guard missing.isEmpty, genesis != nil || entry.operation.isGenesis else { return .waits(missing) }
        let checked = try check(signed, checksSignature: checksSignature, isNamed: isNamed)
        add(checked, at: position)
        return .taken
    }

    /// An entry that fits into a graph, and is not in it yet.
    package struct CheckedEntry: Sendable {
        fileprivate let signed: SignedEntry
        fileprivate let publicKey: [UInt8]
        fileprivate let past: Past
        fileprivate let isNewBranch: Bool
        fileprivate let known: Knowledge
        fileprivate let content: Content
        fileprivate let view: Int

        package var device: DeviceID { signed.entry.device }
    }

    /// Checks an entry that goes on where its device stopped and tells nothing new about the circle, and leaves it out.
    ///
    /// So the caller can store it before ``add(_:)``. Nearly all entries are such ones. They change neither who may write nor any key:
    /// ``writers``, ``authors`` and ``recoveryKeys`` stay.
    ///
    /// - Returns: The entry; `nil` if it is another kind of entry, is in the graph, or names what is not there.
    /// - Throws: ``LogError`` if it does not fit.
    package mutating func check(_ signed: SignedEntry) throws(LogError) -> CheckedEntry? {
        let entry = signed.entry
        guard places[signed.hash] == nil, missing(entry).isEmpty, isContinuing(entry) else { return nil }
        return try check(signed, checksSignature: true, isNamed: false)
    }

    /// Adds an entry that was checked; nothing may have been added since.
    package mutating func add(_ checked: CheckedEntry) { add(checked, at: nil) }

    private func isContinuing(_ entry: LogEntry) -> Bool {
        switch entry.operation {
        case .genesis, .enrol, .header, .circle, .unknown: return false
        case .revision, .purge, .content, .ignorable: break
        }
        guard let previous = entry.previous.flatMap({ places[$0] }), nodes[previous].device == entry.device,
            branches[nodes[previous].past.branch].leaf == previous
        else { return false }
        return !knowsNews(entry)
    }

    /// Checks an entry that names nothing that is not there, and adds it to the circle, if it belongs there.
    private mutating func check(
        _ signed: SignedEntry,
        checksSignature: Bool,
        isNamed: Bool
    ) throws(LogError) -> CheckedEntry {
        let entry = signed.entry
        let publicKey = try publicKey(of: signed)
        guard !checksSignature || signed.isSigned(by: publicKey, vault: nodes.isEmpty ? nil : vault, scheme) else {
            throw .refused("the signature of \(Self.name(entry)) is wrong")
        }
        let (past, isNewBranch) = try past(of: entry)
        if isNewBranch, !isNamed, chains(of: entry.device) >= LogLimits.chains {
            throw .surplus("\(Self.name(entry)) is beside too many others")
        }
        let before = Past(branch: past.branch, sequence: past.sequence - 1, others: past.others)
        let known = knowledge(before, of: entry)
        try checkMembership(of: entry, known)
        let content = try content(of: signed, known)
        let view = try takeIntoCircle(
            signed,
            known,
            checksSignature: checksSignature,
            isNamed: isNamed
        )
        return CheckedEntry(
            signed: signed,
            publicKey: publicKey,
            past: past,
            isNewBranch: isNewBranch,
            known: known,
            content: content,
            view: view
        )
    }

    private mutating func add(_ checked: CheckedEntry, at position: Int64?) {
        let entry = checked.signed.entry
        let standing = standing(of: entry, checked.known)
        add(
            Node(
                hash: checked.signed.hash,
                device: entry.device,
                time: entry.time,
                past: checked.past,
                position: position ?? Int64(nodes.count + 1),
                content: checked.content,
                view: checked.view,
                standing: standing
            ),
            publicKey: checked.publicKey,
            isNewBranch: checked.isNewBranch,
            isUnknown: isUnknown(entry.operation)
        )
        if case .genesis(_, _, let nonce, let authority) = entry.operation {
            genesis = Genesis(nonce: nonce, authority: authority)
        }
    }

    /// The entries that an entry names and that are not in the graph.
    private func missing(_ entry: LogEntry) -> [[UInt8]] {
        var named = entry.seen.map(\.hash)
        if let previous = entry.previous { named.append(previous) }
        switch entry.operation {
        case .revision(let record): named += record.parents
        case .purge(_, let parents): named += parents
        case .circle(.joinAdmitted(let admission)): named.append(admission)
        case .genesis, .enrol, .header, .circle, .content, .ignorable, .unknown: break
        }
        return named.filter { places[$0] == nil }
    }

    /// The public key of an entry's device, from the device's first entry.
    private func publicKey(of signed: SignedEntry) throws(LogError) -> [UInt8] {
        let entry = signed.entry
        switch entry.operation {
        case .genesis(let publicKey, let certificate, let nonce, let authority):
            guard nodes.isEmpty, VaultID(genesis: signed.payload) == vault else {
                throw .refused("the log begins as another vault's")
            }
            try checkAdmission(entry.device, publicKey, certificate, nonce: nonce, authority: authority)
            return publicKey
        case .enrol(let publicKey, let certificate):
            guard let genesis, entry.isFirst else {
                throw .refused("device \(entry.device) was admitted twice")
            }
            try checkAdmission(
                entry.device,
                publicKey,
                certificate,
                nonce: genesis.nonce,
                authority: genesis.authority
            )
            return publicKey
        case .circle(let record) where record.isJoin: return try publicKey(of: entry, joiningBy: record)
        case .revision, .purge, .header, .circle, .content, .ignorable, .unknown:
            guard let member = members[entry.device], entry.previous != nil else {
                throw .notAdmitted("\(Self.name(entry)) is of a device that nobody admitted")
            }
            return member.publicKey
        }
    }

    /// The vault's first key admits devices, until there is a circle of devices.
    private func checkAdmission(
        _ device: DeviceID,
        _ publicKey: [UInt8],
        _ certificate: [UInt8],
        nonce: [UInt8],
        authority: [UInt8]
    ) throws(LogError) {
        let message = LogEntry.certificateMessage(device: publicKey, nonce: nonce)
        guard DeviceID(publicKey: publicKey) == device, scheme.isValid(certificate, message, authority) else {
            throw .notAdmitted("device \(device) was not admitted by the vault's authority")
        }
    }

    /// The past of an entry, and whether the entry begins a branch.
    private func past(of entry: LogEntry) throws(LogError) -> (past: Past, isNewBranch: Bool) {
        var past = Past(branch: branches.count, sequence: entry.sequence, others: [])
        var isNewBranch = true
        if let previous = entry.previous.flatMap({ places[$0] }) {
            let node = nodes[previous]
            guard node.device == entry.device, entry.sequence > 1, entry.sequence - 1 == node.sequence,
                entry.time > node.time
            else { throw .refused("\(Self.name(entry)) does not follow the one before") }
            past.others = node.past.others
            isNewBranch = branches[node.past.branch].leaf != previous
            if isNewBranch {
                past.reach(node.past.branch, node.sequence)
            } else {
                past.branch = node.past.branch
            }
        } else {
            guard entry.isFirst else { throw .refused("\(Self.name(entry)) does not follow the one before") }
        }
        for seen in entry.seen {
            guard let place = places[seen.hash], nodes[place].device == seen.device,
                nodes[place].sequence == seen.sequence, seen.device != entry.device
            else { throw .refused("\(Self.name(entry)) names an entry with another content") }
            past.unite(with: nodes[place].past)
        }
        return (past, isNewBranch)
    }

    /// Checks the rules of each operation, which depend only on the entry's past.
    private func content(of signed: SignedEntry, _ past: Knowledge) throws(LogError) -> Content {
        let entry = signed.entry
        switch entry.operation {
        case .revision(let record):
            let heads = heads(of: record.item, in: past)
            try check(record.parents, are: heads, entry)
            let newest = heads.map { number(of: $0) }.max() ?? 0
            guard record.number == newest + 1 else { throw .refused("\(Self.name(entry)) has a wrong number") }
            guard record.epoch == past.circle?.key?.epoch ?? 0 else {
                throw .refused("\(Self.name(entry)) is sealed with a key of another epoch")
            }
            try check(record.contents, areIn: past, of: record.item, entry)
            return .revision(record, parents: record.parents.compactMap { places[$0] })
        case .purge(let item, let parents):
            let heads = heads(of: item, in: past)
            guard !heads.isEmpty else { throw .refused("\(Self.name(entry)) removes an item that is not there") }
            try check(parents, are: heads, entry)
            return .purge(item)
        case .header(let generation, let hash):
            // In a circle an operation that is not allowed is taken, and does nothing.
            let last = header(in: past)?.generation ?? 0
            guard past.circle != nil || last < .max && generation == last + 1 else {
                throw .refused("\(Self.name(entry)) has a header of a wrong generation")
            }
            return .header(generation: generation, hash: hash)
        case .content(let record):
            return .content(record)
        case .circle(let record):
            // Only one entry begins the circle. Of another one nobody checked the numbers.
            guard let keys = record.keys, past.circle != nil || signed.hash == circle?.root else { return .other }
            return .header(generation: keys.header, hash: keys.headerHash)
        case .genesis, .enrol, .ignorable, .unknown:
            return .other
        }
    }

    /// The parents must be exactly the newest revisions that the device knew, so nobody can go back to an old state.
    private func check(_ parents: [[UInt8]], are heads: [Int], _ entry: LogEntry) throws(LogError) {
        guard parents == heads.map({ nodes[$0].hash }) else {
            throw .refused("\(Self.name(entry)) is not made from the item's newest revisions")
        }
    }

    /// A revision names each content once, in order, and only contents that its item had before.
    private func check(
        _ contents: [[UInt8]],
        areIn past: Knowledge,
        of item: LogItemID,
        _ entry: LogEntry
    ) throws(LogError) {
        guard !contents.isEmpty else { return }
        let known = (attached[item] ?? []).filter { past.contains(nodes[$0]) }.compactMap { nodes[$0].contentHash }
        guard zip(contents, contents.dropFirst()).allSatisfy({ $0.lexicographicallyPrecedes($1) }),
            Set(contents).isSubset(of: known)
        else { throw .refused("\(Self.name(entry)) names an attached file that is not there") }
    }

    private mutating func add(_ node: Node, publicKey: [UInt8], isNewBranch: Bool, isUnknown: Bool) {
        let index = nodes.count
        let branch = node.past.branch
        nodes.append(node)
        places[node.hash] = index
        var member = members[node.device] ?? Member(publicKey: publicKey)
        let voidBefore = voidSequence(of: node.device)
        if isNewBranch {
            branches.append(Branch(device: node.device, first: node.sequence, leaf: index))
            member.branches.append(branch)
        } else {
            branches[branch].leaf = index
        }
        if isUnknown { member.unknown.append((branch, node.sequence)) }
        if isNewBranch || isUnknown || members[node.device] == nil { members[node.device] = member }
        if member.isSuspect { suspects.insert(node.device) }
        if case .header = node.content { headers.append(index) }
        if case .content(let record) = node.content { attached[record.item, default: []].append(index) }
        let item = node.item
        if let item {
            let isRemoval = if case .purge = node.content { true } else { false }
            items[item, default: ItemLog()].append(index, on: branch, isRemoval: isRemoval)
        }
        if voidSequence(of: node.device) != voidBefore || circle?.hasChanged == true {
            circle?.hasChanged = false
            let everything = everything
            for item in items.keys {
                let tops = maximal(of: item, in: everything)
                items[item]?.tops = tops
            }
        } else if let item, suspects.isEmpty && isCirclePlain || isEffective(node, in: everything) {
            var tops = items[item]?.tops ?? []
            tops.removeAll { node.past.contains(nodes[$0]) }
            items[item]?.tops = tops + [index]
        }
    }

    static func name(_ entry: LogEntry) -> String { "entry \(entry.sequence) of device \(entry.device)" }
}

extension LogEntry {
    var isFirst: Bool { sequence == 1 && previous == nil }
}

extension LogOperation {
    fileprivate var isGenesis: Bool { if case .genesis = self { true } else { false } }
}

extension LogGraph.Node {
    /// The item of the entry.
    var item: LogItemID? {
        switch content {
        case .revision(let record, _): record.item
        case .purge(let item): item
        case .header, .content, .other: nil
        }
    }

    /// The hash of an attached content.
    var contentHash: [UInt8]? { if case .content(let record) = content { record.blobHash } else { nil } }
}
