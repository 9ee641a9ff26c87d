internal import WardLog
internal import WardText

/// Who has the vault keys of a circle, as far as this device can know it.
///
/// A device or a recovery key has a key that an operation sealed to it. A new device has those of who admitted it, or of the recovery
/// key with which it came back. Whoever has the vault key of a header has the keys in the header.
struct KeyHolders {
    private typealias Name = VaultKeys.Name

    /// What an entry gives to everybody who has a key.
    private struct Gift {
        let to: Name
        /// What is beside that key in the header; `nil` if this device cannot open it.
        ///
        /// Then it is taken to have all keys of the device that wrote it.
        let keys: Set<Name>?
    }

    private let graph: LogGraph
    private let gifts: [[UInt8]: Gift]
    /// For each key that an operation made, the IDs of devices and the public keys of recovery keys that have it, each with the
    /// first entry that gives it to them.
    private var holders: [Name: [[UInt8]: [UInt8]]] = [:]

    /// - Parameters:
    ///   - history: The operations of the circle.
    ///   - graph: The log.
    ///   - keys: The keys of this device.
    ///   - vault: The vault.
    ///   - opened: The headers that were opened before; those that are opened now are added.
    init(
        _ history: CircleHistory,
        _ graph: LogGraph,
        _ keys: VaultKeys,
        _ vault: VaultID,
        _ opened: inout OpenedHeaders
    ) {
        self.graph = graph
        var commitments: [Name: [UInt8]] = [:]
        for entry in history.entries {
            if let header = entry.header { opened.open(header, of: entry.signed.hash, keys, vault) }
        }
        for entry in history.entries {
            guard let made = entry.record?.keys else { continue }
            let name = Name(epoch: made.epoch, owner: made.owner)
            let recipients = made.sealed.map { ($0.recipient, entry.signed.hash) }
            holders[name] = Dictionary(recipients) { one, _ in one }
            commitments[name] = opened.header(of: entry.signed.hash)?.commitment
        }
        gifts = history.entries.reduce(into: [:]) { gifts, entry in
            gifts[entry.signed.hash] = opened.header(of: entry.signed.hash).map { Self.gift($0, commitments) }
        }
        while history.entries.reduce(false, { isNew, entry in follow(entry) || isNew }) {}
    }

    private static func gift(_ header: OpenedHeaders.Header, _ commitments: [Name: [UInt8]]) -> Gift {
        // Nobody takes another key for the one that an operation made.
        let right = header.others?.filter { name, own in
            commitments[name].map { isEqualInConstantTime(own, $0) } ?? false
        }
        return Gift(to: header.name, keys: right.map { Set($0.keys) })
    }

    /// Notes who has a key because of an entry.
    ///
    /// - Returns: Whether somebody is new.
    private mutating func follow(_ entry: CircleHistory.Entry) -> Bool {
        var isNew = false
        for name in holders.keys {
            for one in receivers(of: name, by: entry) where holders[name]?[one] == nil {
                holders[name]?[one] = entry.signed.hash
                isNew = true
            }
        }
        return isNew
    }

    private func receivers(of name: Name, by entry: CircleHistory.Entry) -> [[UInt8]] {
        let author = entry.signed.entry.device.bytes
        var found: [[UInt8]] = []
        switch entry.record {
        case .admit(let device, _) where has(author, name, before: entry): found.append(device.id.bytes)
        case .joinRecovered(let device):
            let key = entry.signed.entry.recoveryApproval?.publicKey
            if let key, has(key, name, before: entry) { found.append(device.id.bytes) }
        case .begin, .admit, .joinAdmitted, .remove, .rekey, .recovery, .rules, .place, nil: break
        }
        guard let gift = gifts[entry.signed.hash] else { return found }
        if gift.keys?.contains(name) ?? has(author, name, before: entry) {
            found += (holders[gift.to] ?? [:]).keys
        }
        return found
    }

    private func has(_ one: [UInt8], _ name: Name, before entry: CircleHistory.Entry) -> Bool {
        guard let giver = holders[name]?[one] else { return false }
        return giver == entry.signed.hash || graph.isPast(giver, of: entry.signed.hash)
    }

    /// The members that lack a key which another one has, and those that lack the key in force.
    ///
    /// No member can hand over a key that only removed devices have, and none wrote with it.
    ///
    /// - Parameters:
    ///   - members: The members.
    ///   - current: The key in force.
    ///   - device: This device, which knows what it has.
    ///   - keys: The keys of this device.
    /// - Returns: These members.
    func lacking(
        among members: Set<DeviceID>,
        _ current: VaultKeys.Name?,
        _ device: DeviceID,
        _ keys: VaultKeys
    ) -> Set<DeviceID> {
        holders.reduce(into: []) { lacking, one in
            let (name, holders) = one
            let without = members.filter { member in
                member == device ? !keys.has(name) : holders[member.bytes] == nil
            }
            if without.count < members.count || name == current { lacking.formUnion(without) }
        }
    }
}
