extension Circle {
    /// Whether the author of an entry was allowed to write it, by the circle in the entry's past.
    func stands(_ entry: CircleEntry, _ before: CircleState, isStopped: Bool) -> Bool {
        let signers = signers(of: entry)
        switch entry.operation {
        case .other, .unknown:
            return false
        case .begin(let members, _, let keys):
            return rules.begins(entry, root) && members.contains(entry.device) && signers.contains(keys.owner)
        case .recover(let key):
            // A recovery needs no member and no owner: nobody else may be left.
            return isUnknown(entry.device, before) && before.recovery.contains(key) && signers.contains(key)
        case .admit(let device):
            return mayChange(entry, before, signers, isStopped) && isUnknown(device, before)
        case .remove(let devices, let keys):
            let rest = before.members.subtracting(devices)
            return mayChange(entry, before, signers, isStopped) && !devices.isEmpty && !rest.isEmpty
                && devices.isSubset(of: before.members) && areNext(keys, before, signers)
        case .rekey(let keys):
            return mayChange(entry, before, signers, isStopped) && areNext(keys, before, signers)
        case .recovery(let recovery, let keys):
            return mayChange(entry, before, signers, isStopped) && !recovery.isEmpty && areNext(keys, before, signers)
        case .header(let generation):
            return mayChange(entry, before, signers, isStopped) && rules.follows(generation, before.largestHeader)
        case .place:
            return mayChange(entry, before, signers, isStopped)
        case .rules(let minimumReader):
            return mayChange(entry, before, signers, isStopped) && rules.raises(minimumReader, before.minimumReader)
        }
    }

    private func mayChange(
        _ entry: CircleEntry,
        _ before: CircleState,
        _ signers: Set<CircleKey>,
        _ isStopped: Bool
    ) -> Bool {
        let standing = CircleStanding(
            isMember: before.members.contains(entry.device),
            isDisputed: before.disputed.contains(entry.device),
            isStopped: isStopped || before.stopped.contains(entry.device),
            isFrozen: before.isFrozen
        )
        return rules.mayChange(standing, answers: entry.operation.answers) && rules.isOwner(signers, before.owners)
    }

    private func areNext(_ keys: CircleKeys, _ before: CircleState, _ signers: Set<CircleKey>) -> Bool {
        rules.follows(keys.epoch, before.largestEpoch) && rules.follows(keys.header, before.largestHeader)
            && rules.isNewOwner(keys.owner, before.owners, signers: signers)
    }

    /// A device that was in the circle comes back only with a new key.
    private func isUnknown(_ device: DeviceID, _ before: CircleState) -> Bool {
        rules.isNew(
            isMember: before.members.contains(device),
            wasRemoved: before.removed[device] != nil,
            isDisputed: before.disputed.contains(device)
        )
    }
}
