package import WardLog
internal import WardWebAuthn

/// The circle of devices of a vault, for people.
package struct CircleOverview: Sendable {
    /// Whether a device may write.
    package enum Status: String, Hashable, Sendable {
        case member
        /// It and another device removed each other, and nothing shows which was first.
        case disputed
        case removed
        /// It was admitted and has not begun yet.
        case waiting
    }

    /// One device.
    package struct Device: Sendable {
        package var id: DeviceID
        /// The name that it gave itself; foreign text.
        package var name: String?
        package var isThisDevice: Bool
        package var status: Status
        /// Whether it signed two entries beside each other, or wrote an unknown operation.
        package var hasBrokenRules: Bool
        /// Two entries that it signed with the same number, if it did.
        package var proof: DeviceProof?
        /// Whether it was not given the vault key in force.
        package var lacksKey: Bool
        /// The time of its newest entry that is here, by its own clock, in seconds since 1970.
        package var lastHeard: Int64?
        /// By how many seconds that time is ahead of this device's clock, if it is more than a day.
        package var clockAhead: Int64?
        package var admittedAt: Int64?
        package var removedAt: Int64?
        /// Whether this device itself admitted it, or removed it if it is out.
        package var isOwnAct = false
        /// If it was removed, the number of its revisions that do not count, such as those that its removal does not know.
        package var lateRevisions = 0
    }

    /// What proves that a device broke the rules, or that a copy of it exists: it signed both entries.
    package struct DeviceProof: Hashable, Sendable {
        package var sequence: UInt64
        /// The hashes of the entries, which are in the log of every device that has heard of them.
        package var entries: [[UInt8]]
    }

    /// This device first, then members by name, then removed devices.
    package var devices: [Device]
    /// Whether devices removed each other, and the person must say which of them stays.
    package var isFrozen: Bool
    /// Whether no removed device has the vault key in force.
    ///
    /// If not, the next change of the circle must be a new key.
    package var isKeyClean: Bool
    /// Whether a recovery key in force does not open the vault key in force, because one device replaced the recovery key while another
    /// one made the vault key.
    ///
    /// The next new vault key is sealed to it.
    package var recoveryLacksKey = false
    /// Whether a change of the passphrase is not in force, because another device changed the header beside it.
    package var needsPassphraseAgain: Bool
    /// The number of removals of members that do not count, because their device was removed, and after which no member made a key.
    package var droppedRemovals: Int
    /// Whether this device may write.
    package var isMember: Bool
    /// The revisions of this device that do not count, because its removal does not know them.
    ///
    /// Only `ward salvage` shows them.
    package var lateRevisions = 0
    /// Whether this device waits for entries that it had before its vault was restored from an older copy.
    ///
    /// It does not write until then.
    package var isIncomplete = false
    /// The newest moves to another server: several if devices moved the vault at the same time.
    package var moves: [VaultMove] = []
}

extension OpenVault {
    /// The circle of devices; `nil` if there is none.
    func circleOverview() throws(VaultError) -> CircleOverview? {
        let graph = try graph()
        guard let state = graph.circleState else { return nil }
        let history = try CircleHistory(graph, database)
        let names = try deviceNames(history, graph)
        var ids = Set(history.devices).union(state.members).union(state.removed.keys)
        ids.formUnion(state.disputed)
        let current = chain.circle?.key.map(VaultKeys.Name.init)
        let lacking = KeyHolders(history, graph, keys, vaultID, &openedHeaders)
            .lacking(among: state.members, current, device.device, keys)
        let heard = chain.devices.mapValues { $0.leaves.map(\.time.seconds).max() }
        let removed = ids.filter { status(of: $0, state, hasBegun: heard[$0] != nil) == .removed }
        let late = graph.voidRevisions(by: removed)
        let devices = ids.map { id in
            let hasBegun = heard[id] != nil
            let removals = (state.removed[id] ?? []).compactMap { history.entry($0)?.entry }
            let admission = history.admission(of: id)?.entry
            let status = status(of: id, state, hasBegun: hasBegun)
            let acts = status == .removed ? removals.map(\.device) : [admission?.device].compactMap(\.self)
            return CircleOverview.Device(
                id: id,
                name: names[id].flatMap { DeviceName.open($0, of: id, vaultID, keys) },
                isThisDevice: id == device.device,
                status: status,
                hasBrokenRules: state.stopped.contains(id),
                proof: graph.proof(against: id).map { .init(sequence: $0.sequence, entries: $0.hashes) },
                lacksKey: lacking.contains(id),
                lastHeard: heard[id] ?? nil,
                clockAhead: clockAhead(heard[id] ?? nil),
                admittedAt: admission?.time.seconds,
                removedAt: removals.map(\.time.seconds).min(),
                isOwnAct: acts.contains(device.device),
                lateRevisions: late[id] ?? 0
            )
        }
        let isMember = chain.circle?.mayWrite(device.device) ?? false
        return CircleOverview(
            devices: devices.sorted { $0.order < $1.order },
            isFrozen: state.isFrozen,
            isKeyClean: state.isClean,
            recoveryLacksKey: state.key.map { !history.isSealed($0, toAll: graph.recoveryKeys) } ?? false,
            needsPassphraseAgain: !state.pendingHeaders.isEmpty,
            droppedRemovals: state.dropped.count { !history.isAnswered($0, state, graph) },
            isMember: isMember,
            lateRevisions: isMember ? 0 : late[device.device] ?? 0,
            isIncomplete: awaited != nil,
            moves: moves(state, history)
        )
    }

    /// The names of all devices that ever were in the circle, as far as this device can read them.
    func readableDeviceNames() throws(VaultError) -> [DeviceID: String] {
        guard chain.circle != nil else { return [:] }
        var names: [DeviceID: String] = [:]
        let graph = try graph()
        for (id, sealed) in try deviceNames(CircleHistory(graph, database), graph) {
            names[id] = DeviceName.open(sealed, of: id, vaultID, keys)
        }
        return names
    }

    /// By how many seconds the clock of another device is ahead, if no writer takes such a time over.
    private func clockAhead(_ time: Int64?) -> Int64? {
        guard let time else { return nil }
        let (ahead, isTooLarge) = time.subtractingReportingOverflow(environment.effects.now())
        return isTooLarge || ahead <= HybridTime.tolerance ? nil : ahead
    }

    /// A device whose admission does not count is out, like one that was removed.
    private func status(of id: DeviceID, _ state: CircleState, hasBegun: Bool) -> CircleOverview.Status {
        if state.removed[id] != nil { return .removed }
        if state.disputed.contains(id) { return .disputed }
        guard state.members.contains(id) else { return .removed }
        return hasBegun ? .member : .waiting
    }

    /// The sealed names of devices: the latest that counts of those that each gave itself, or the one of its admission.
    private func deviceNames(
        _ history: CircleHistory,
        _ graph: LogGraph
    ) throws(VaultError) -> [DeviceID: [UInt8]] {
        var names = history.sealedNames
        try givenNames.read(database, DeviceName.sealed(in:))
        for note in givenNames.notes where graph.isEffective(note.entry) { names[note.device] = note.sealed }
        return names
    }

    /// The name of a device; `nil` if it has none.
    func name(of id: DeviceID) throws(VaultError) -> String? {
        let graph = try graph()
        let names = try deviceNames(CircleHistory(graph, database), graph)
        return names[id].flatMap { DeviceName.open($0, of: id, vaultID, keys) }
    }
}

extension CircleOverview.Device {
    fileprivate var order: (Int, String, DeviceID) {
        let rank = isThisDevice ? 0 : status == .removed ? 2 : 1
        return (rank, name ?? "", id)
    }
}
