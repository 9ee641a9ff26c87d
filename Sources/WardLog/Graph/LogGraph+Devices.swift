/// What a server needs to know of the devices in a log.
extension LogGraph {
    /// The devices that may write now, each with its key: the members of the circle, or all devices if there is no circle.
    ///
    /// A device whose admission is known can be among them before it has written anything.
    package var writers: [DeviceID: [UInt8]] {
        guard let state = circle?.state else { return members.mapValues(\.publicKey) }
        let allowed = state.members.union(state.disputed)
        let admitted = circle?.admitted.values.map { ($0.id, $0.publicKey) } ?? []
        var found = Dictionary(admitted.filter { allowed.contains($0.0) }) { first, _ in first }
        for (id, member) in members where allowed.contains(id) { found[id] = member.publicKey }
        return found
    }

    /// All devices that ever wrote, each with its key.
    package var authors: [DeviceID: [UInt8]] { members.mapValues(\.publicKey) }

    /// Whether a removal that counts removed the device.
    package func isRemoved(_ device: DeviceID) -> Bool { circle?.state?.removed[device] != nil }

    /// How many chains a device has: more than one if it signed two entries with the same number.
    package func chains(of device: DeviceID) -> Int { members[device]?.branches.count ?? 0 }

    /// The Ed25519 keys of the recovery keys in force.
    package var recoveryKeys: [[UInt8]] {
        (circle?.state?.recovery ?? []).map { Array($0.bytes.dropFirst()) }
    }

    /// The Ed25519 keys of the owner keys in force.
    package var ownerKeys: [[UInt8]] { (circle?.state?.owners ?? []).map { Array($0.bytes.dropFirst()) } }

    /// The entry that begins the circle, as the reader was told.
    package var circleRoot: [UInt8]? { circle?.root }

    /// Whether the circle has begun in this log.
    package var hasCircle: Bool { circle?.state != nil }
}

extension LogGraph {
    /// The entries that a device signed with a number, in order of arrival.
    package func entries(of device: DeviceID, at sequence: UInt64) -> [[UInt8]] {
        nodes.filter { $0.device == device && $0.sequence == sequence }.map(\.hash)
    }

    /// Whether a reader may lack the blob that an entry brings, by the rules for entries alone: a revision or a content that can be
    /// cleared, or a header that is not in force.
    ///
    /// The time since which a blob can be cleared is the reader's to check.
    package func mayLackBlob(_ hash: [UInt8], _ operation: LogOperation) -> Bool {
        switch operation {
        case .revision(let record): return clearableRevisions(of: record.item).contains { $0.hash == hash }
        case .content(let record):
            return clearableContents(of: record.item).contains { $0.blobHash == record.blobHash }
        case .header(_, let body): return header?.hash != body
        case .circle(let record): return record.keys.map { header?.hash != $0.headerHash } ?? true
        case .genesis, .enrol, .purge, .ignorable, .unknown: return true
        }
    }
}
