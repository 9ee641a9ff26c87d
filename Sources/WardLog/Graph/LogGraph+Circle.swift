extension LogGraph {
    /// The circle of devices; `nil` if there is none, or if its first entry is not there.
    package var circleState: CircleState? {
        guard var state = circle?.state else { return nil }
        state.stopped.formUnion(state.members.filter { voidSequence(of: $0) != nil })
        return state
    }

    /// How many steps it took to compute the circle, again and again, with what stays in memory about each two operations.
    package var circleSteps: Int { circle?.circle.work.steps ?? 0 }

    /// The positions of the entries that the circle consists of, in the order of the file.
    package var circlePositions: [Int64] {
        (circle?.circle.nodes ?? []).compactMap { position(of: $0.entry.hash) }.sorted()
    }

    /// Whether an operation on the circle could take another one away, so that who has only a part of them may let others write.
    package var isDisputable: Bool { circle?.circle.canTakeAway ?? false }

    /// Whether somebody lets a device write who has a part of the log.
    ///
    /// - Parameters:
    ///   - device: The device.
    ///   - positions: Where the entries are that are lacking, with what is built on them.
    ///   - left: What is lacking too, with what is built on it.
    /// - Returns: Whether the device may write; `true` if there is no circle, or if its beginning is lacking too.
    package func mayWrite(_ device: DeviceID, lacking positions: Set<Int64>, without left: Set<[UInt8]>) -> Bool {
        guard var circle = circle?.circle else { return true }
        var (lacking, names): (Bits, [[UInt8]]) = (Bits(), [])
        for (place, node) in circle.nodes.enumerated() {
            let hash = node.entry.hash
            let isLacking = left.contains(hash) || position(of: hash).map(positions.contains) ?? false
            if isLacking || lacking.contains(anyOf: node.past, and: node.past, butNotOf: Bits()) {
                lacking.insert(place)
            } else {
                names.append(hash)
            }
        }
        // Without the entry that begins it there is no circle.
        return names.isEmpty || circle.state(knowing: names).mayWrite(device)
    }

    /// The devices whose removals of a device count.
    package func removers(of device: DeviceID) -> Set<DeviceID> {
        guard let circle, let removals = circle.state?.removed[device] else { return [] }
        return Set(circle.circle.nodes.lazy.map(\.entry).filter { removals.contains($0.hash) }.map(\.device))
    }

    /// Whether an operation on the circle was allowed, by what its entry knows.
    package func stands(_ hash: [UInt8]) -> Bool { circle?.circle.stands(hash) ?? false }

    /// Whether nothing that a device wrote can be void because of the circle.
    var isCirclePlain: Bool { circle?.isPlain ?? true }

    /// Whether the circle lets an entry count: its device is a member, or every removal of the device that counts knows the entry.
    ///
    /// While a question puts the admission of a device in doubt, its entries count. Otherwise others would write revisions that know
    /// these entries and leave their values out, and an answer that lets the device stay could not bring the values back.
    func isAllowed(_ node: Node, in known: Knowledge) -> Bool {
        guard let circle, !circle.isPlain, let state = known.circle else { return true }
        return isAllowed(node, removals: state.removed[node.device], isWriter: state.mayWrite(node.device))
    }

    private func isAllowed(_ node: Node, removals: Set<[UInt8]>?, isWriter: Bool) -> Bool {
        // What was written before the circle began is in the past of the entry that begins it.
        if let root = circle.flatMap({ places[$0.root] }), nodes[root].past.contains(node) { return true }
        guard let removals else { return isWriter }
        return removals.allSatisfy { hash in places[hash].map { nodes[$0].past.contains(node) } ?? false }
    }

    /// Whether a revision or a removal takes the place of an entry of its item.
    ///
    /// A removal does if it knows the entry. A revision does if the entry also counted for its author, so that its values are in it:
    /// an entry of a device that was out then, and is back by an answer to a question, stands beside the revision.
    func supersedes(_ other: Int, _ index: Int) -> Bool {
        let node = nodes[index]
        guard nodes[other].past.contains(node) else { return false }
        guard let standing = nodes[other].standing.map({ standings[$0] }) else { return true }
        return isAllowed(
            node,
            removals: standing.removed[node.device],
            isWriter: standing.writers.contains(node.device)
        )
    }

    /// What the author of an entry knew of which revisions count; `nil` if all of them did, or if the entry is no revision.
    mutating func standing(of entry: LogEntry, _ known: Knowledge) -> Int? {
        guard case .revision = entry.operation, !isCirclePlain, let state = known.circle else { return nil }
        return index(of: Standing(state))
    }

    /// Whether an operation ends what counts of its device, because this reader does not know what it does.
    func isUnknown(_ operation: LogOperation) -> Bool {
        switch operation {
        case .unknown: true
        case .circle: circle == nil
        case .genesis, .enrol, .revision, .purge, .header, .content, .ignorable: false
        }
    }
}

// MARK: - Taking entries

extension LogGraph {
    /// What the author of an entry knew.
    mutating func knowledge(_ past: Past, of entry: LogEntry) -> Knowledge {
        guard circle != nil else { return Knowledge(past: past, circle: nil) }
        let view = view(of: entry)
        return Knowledge(past: past, circle: circle?.state(view))
    }

    /// The entries of the circle that an entry knows.
    private func view(of entry: LogEntry) -> Bits {
        guard let circle else { return Bits() }
        let named = entry.seen.compactMap { places[$0.hash] }.map { circle.views[nodes[$0].view] }
        return named.reduce(into: previousView(of: entry)) { $0.formUnion($1) }
    }

    private func previousView(of entry: LogEntry) -> Bits {
        guard let circle, let previous = entry.previous.flatMap({ places[$0] }) else { return Bits() }
        return circle.views[nodes[previous].view]
    }

    /// Whether an entry knows more of the circle than the one before it on its device.
    func knowsNews(_ entry: LogEntry) -> Bool { circle != nil && view(of: entry) != previousView(of: entry) }

    /// The key of a device that joins the circle.
    func publicKey(of entry: LogEntry, joiningBy record: CircleRecord) throws(LogError) -> [UInt8] {
        let device: CircleDevice?
        switch record {
        case .joinAdmitted(let admission):
            // Membership is checked with what the entry knows, so the admission is in its past.
            device = circle?.admitted[admission]
        case .joinRecovered(let joining): device = circle == nil ? nil : joining
        case .begin, .admit, .remove, .rekey, .recovery, .rules, .place: device = nil
        }
        guard let device, device.id == entry.device, entry.isFirst else {
            throw .notAdmitted("\(Self.name(entry)) is of a device that nobody admitted")
        }
        return device.publicKey
    }

    /// Once the circle has begun, only its members write.
    ///
    /// An entry of a device that is not a member by what the entry itself knows is refused, so that nobody can fill the log.
    func checkMembership(of entry: LogEntry, _ known: Knowledge) throws(LogError) {
        guard let state = known.circle else {
            guard case .circle(let record) = entry.operation, circle != nil else { return }
            if case .begin = record { return }
            throw .refused("\(Self.name(entry)) changes a circle of devices that it does not know")
        }
        if case .circle(.joinRecovered) = entry.operation { return }
        if case .enrol = entry.operation {
            throw .notAdmitted("\(Self.name(entry)) begins a device without the circle")
        }
        guard state.mayWrite(entry.device) else {
            throw .notAdmitted("\(Self.name(entry)) is of a device that is not in the circle")
        }
    }

    /// Adds an entry to the circle, if it changes the circle or tells something new about it.
    ///
    /// - Returns: The index of what the entry knows of the circle.
    mutating func takeIntoCircle(
        _ signed: SignedEntry,
        _ known: Knowledge,
        checksSignature: Bool,
        isNamed: Bool
    ) throws(LogError) -> Int {
        guard circle != nil else { return 0 }
        let entry = signed.entry
        let (view, previous) = (view(of: entry), previousView(of: entry))
        guard known.circle != nil || signed.hash == circle?.root else {
            circle?.note(entry.device)
            return 0
        }
        // Only news of operations. If each statement were worth another one, two devices would go on for ever. An entry that knows many
        // entries beside each other stands for them all, so that the next one names few.
        let hasNews =
            view != previous
            && (circle?.hasOperations(in: view, butNotIn: previous) == true
                || (circle?.newest(in: view).count ?? 0) > LogLimits.names)
        guard let operation = try circleOperation(entry) ?? (hasNews ? .other : nil) else {
            return leaveOut(entry, view)
        }
        let new = try circleEntry(signed, operation, view, checksSignature: checksSignature)
        do { try new.checkLimits() } catch { throw .refused("\(Self.name(entry)): \(error)") }
        if case .recover = operation {
            guard let state = known.circle, circle?.wouldStand(new, after: state) == true else {
                throw .notAdmitted("\(Self.name(entry)) is of a device that no recovery key admitted")
            }
        }
        let isStopped = voidSequence(of: entry.device, in: known.past) != nil
        // What does not stand does nothing, and without news it says nothing: the entry before has said it. Otherwise the circle of a
        // device without the owner key would grow without end.
        if !hasNews, operation != .other, let state = known.circle,
            circle?.wouldStand(new, after: state, isStopped: isStopped) == false
        {
            return leaveOut(entry, view)
        }
        do {
            // Nothing else may refer to the circle now, or the whole of it would be copied.
            let index = try circle?.take(
                new,
                knowing: view,
                admits: entry.operation.admitted,
                isNamed: isNamed,
                isStopped: isStopped
            )
            circle?.note(entry.device)
            return index ?? 0
        } catch {
            guard error.step == .entriesOfDevice else { throw .refused("\(Self.name(entry)): \(error)") }
            throw .surplus("\(Self.name(entry)): \(error)")
        }
    }

    /// Notes an entry that the circle does not need.
    ///
    /// - Returns: The index of what the entry knows of the circle.
    private mutating func leaveOut(_ entry: LogEntry, _ view: Bits) -> Int {
        let near = entry.previous.flatMap { places[$0] }.map { nodes[$0].view } ?? 0
        circle?.note(entry.device)
        return circle?.index(of: view, near: near) ?? 0
    }

    /// An entry as the circle takes it, with its signatures checked.
    private func circleEntry(
        _ signed: SignedEntry,
        _ operation: CircleOperation,
        _ view: Bits,
        checksSignature: Bool
    ) throws(LogError) -> CircleEntry {
        let content = operation.isApproved ? try LogEntry.approvedContent(signed.payload) : []
        return CircleEntry(
            hash: signed.hash,
            content: content,
            device: signed.entry.device,
            names: circle?.newest(in: view) ?? [],
            operation: operation,
            approvals: operation.isApproved ? try approvals(of: signed.entry, content, checked: !checksSignature) : []
        )
    }

    /// The operation on the circle; `nil` if an entry has none.
    private func circleOperation(_ entry: LogEntry) throws(LogError) -> CircleOperation? {
        switch entry.operation {
        case .header(let generation, _): return .header(generation)
        case .unknown: return .unknown
        case .circle(let record):
            if case .joinRecovered = record {
                guard let approval = entry.recoveryApproval else {
                    throw .refused("\(Self.name(entry)) has no signature of a recovery key")
                }
                return .recover(.recovery(approval.publicKey))
            }
            return CircleOperation(record)
        case .genesis, .enrol, .revision, .purge, .content, .ignorable: return nil
        }
    }

    /// The signatures of owner keys and of a recovery key.
    private func approvals(
        of entry: LogEntry,
        _ content: [UInt8],
        checked: Bool
    ) throws(LogError) -> [CircleApproval] {
        let owner = LogEntry.ownerMessage(content, vault: vault)
        let recovery = LogEntry.recoveryMessage(content, vault: vault)
        let isRight =
            checked
            || entry.approvals.allSatisfy { scheme.isValid($0.signature, owner, $0.publicKey) }
                && (entry.recoveryApproval.map { scheme.isValid($0.signature, recovery, $0.publicKey) } ?? true)
        guard isRight else {
            throw .refused("a signature of an owner key or a recovery key on \(Self.name(entry)) is wrong")
        }
        let keys =
            entry.approvals.map { CircleKey.owner($0.publicKey) }
            + (entry.recoveryApproval.map { [CircleKey.recovery($0.publicKey)] } ?? [])
        return keys.map { CircleApproval($0, content: content) }
    }
}

extension CircleKey {
    /// An owner key.
    ///
    /// A key serves one purpose, so the two kinds are never equal.
    package static func owner(_ publicKey: [UInt8]) -> Self { Self([1] + publicKey) }

    /// A recovery key.
    package static func recovery(_ publicKey: [UInt8]) -> Self { Self([2] + publicKey) }

    /// The public key, if this is an owner key.
    package var owner: [UInt8]? { bytes.first == 1 ? Array(bytes.dropFirst()) : nil }

    /// The public key, if this is a recovery key.
    package var recovery: [UInt8]? { bytes.first == 2 ? Array(bytes.dropFirst()) : nil }
}

extension CircleOperation {
    /// What an entry records, for all but an operation 8, which needs the entry's signature of a recovery key.
    fileprivate init(_ record: CircleRecord) {
        switch record {
        case .begin(let members, let recovery, let keys):
            self = .begin(members: Set(members.map(\.id)), recovery: Self.keys(recovery), CircleKeys(keys))
        case .admit(let device, _): self = .admit(device.id)
        case .joinAdmitted, .joinRecovered: self = .other
        case .remove(let devices, let keys): self = .remove(Set(devices), CircleKeys(keys))
        case .rekey(let keys): self = .rekey(CircleKeys(keys))
        case .recovery(let recovery, let keys): self = .recovery(Self.keys(recovery), CircleKeys(keys))
        case .rules(let minimumReader): self = .rules(minimumReader: minimumReader)
        case .place: self = .place
        }
    }

    private static func keys(_ recovery: [CircleRecoveryKey]) -> Set<CircleKey> {
        Set(recovery.map { .recovery($0.publicKey) })
    }

    /// Whether signatures of owner keys or recovery keys matter.
    fileprivate var isApproved: Bool {
        switch self {
        case .other, .unknown: false
        case .begin, .admit, .recover, .remove, .rekey, .recovery, .header, .rules, .place: true
        }
    }
}

extension CircleKeys {
    fileprivate init(_ record: CircleKeysRecord) {
        self.init(
            epoch: record.epoch,
            owner: .owner(record.owner),
            header: record.header,
            recipients: record.recipients
        )
    }
}

extension LogOperation {
    /// The device that an operation 7 admits.
    fileprivate var admitted: CircleDevice? { if case .circle(.admit(let device, _)) = self { device } else { nil } }
}
