internal import WardLog

/// The operations on a circle with their entries, as far as they stand.
struct CircleHistory {
    private struct Operation {
        let signed: SignedEntry
        let record: CircleRecord
        let header: [UInt8]?
    }

    private var operations: [Operation] = []

    /// Reads the operations of a log.
    ///
    /// - Throws: ``VaultError`` with `damaged` or `unavailable`.
    init(_ graph: LogGraph, _ database: VaultDatabase) throws(VaultError) {
        for position in graph.circlePositions {
            guard let row = try database.row(at: position) else {
                throw VaultError(.damaged, "The vault's file does not contain entry \(position)")
            }
            let signed = try SignedEntry(row)
            guard case .circle(let record) = signed.entry.operation, graph.stands(signed.hash) else { continue }
            operations.append(Operation(signed: signed, record: record, header: row.blob))
        }
    }

    /// A device with the key to which others seal.
    func device(_ id: DeviceID) -> CircleDevice? {
        operations.lazy.compactMap { operation -> CircleDevice? in
            switch operation.record {
            case .begin(let members, _, _): members.first { $0.id == id }
            case .admit(let device, _): device.id == id ? device : nil
            case .joinRecovered(let device): device.id == id ? device : nil
            case .joinAdmitted, .remove, .rekey, .recovery, .rules, .place: nil
            }
        }.first
    }

    /// The proof of a recovery key, from the newest header of the log that has it.
    ///
    /// If one device replaced the recovery key while another one made a vault key, the header in force may be from the other one, and
    /// have no proof of the new recovery key.
    func proof(ofRecoveryKey publicKey: [UInt8]) -> [UInt8]? {
        let headers = operations.reversed().lazy.compactMap(\.header).compactMap { try? VaultHeader(encoded: $0) }
        return headers.compactMap { header in
            header.circle?.recovery.first { $0.publicKey == publicKey && $0.proof != nil }?.proof
        }.first
    }

    /// All devices that were ever admitted.
    var devices: [DeviceID] {
        operations.flatMap { operation -> [DeviceID] in
            switch operation.record {
            case .begin(let members, _, _): members.map(\.id)
            case .admit(let device, _), .joinRecovered(let device): [device.id]
            case .joinAdmitted, .remove, .rekey, .recovery, .rules, .place: []
            }
        }
    }

    /// When a device was admitted, and by which entry.
    func admission(of id: DeviceID) -> SignedEntry? {
        operations.first { operation in
            switch operation.record {
            case .begin(let members, _, _): members.contains { $0.id == id }
            case .admit(let device, _), .joinRecovered(let device): device.id == id
            case .joinAdmitted, .remove, .rekey, .recovery, .rules, .place: false
            }
        }?.signed
    }

    /// A recovery key by its Ed25519 key.
    func recoveryKey(_ publicKey: [UInt8]) -> CircleRecoveryKey? { recoveryKeys.first { $0.publicKey == publicKey } }

    /// All recovery keys that there ever were.
    var recoveryKeys: [CircleRecoveryKey] {
        operations.flatMap { operation -> [CircleRecoveryKey] in
            switch operation.record {
            case .begin(_, let keys, _), .recovery(let keys, _): keys
            case .admit, .joinAdmitted, .joinRecovered, .remove, .rekey, .rules, .place: []
            }
        }
    }

    /// The keys that all operations brought.
    var keys: [CircleKeysRecord] { operations.compactMap(\.record.keys) }

    /// The members that were given not all vault keys, because they were admitted beside a new one.
    ///
    /// A later header has all keys that its device has, for everybody with its own. A key that only removed devices have is
    /// left out: no member can hand it over, and none wrote with it.
    ///
    /// - Parameters:
    ///   - members: The members.
    ///   - graph: The log.
    ///   - device: This device, which knows what it has.
    ///   - keys: The keys of this device.
    /// - Returns: Those that lack a key that another member has.
    func lacking(
        among members: Set<DeviceID>,
        _ graph: LogGraph,
        _ device: DeviceID,
        _ keys: VaultKeys
    ) -> Set<DeviceID> {
        operations.reduce(into: []) { lacking, made in
            guard let record = made.record.keys else { return }
            var holders = holders(of: made, graph)
            if keys.has(VaultKeys.Name(epoch: record.epoch, owner: record.owner)) {
                holders.insert(device.bytes)
            } else {
                holders.remove(device.bytes)
            }
            let lackingThis = members.filter { !holders.contains($0.bytes) }
            if lackingThis.count < members.count { lacking.formUnion(lackingThis) }
        }
    }

    /// Who has the vault key of an operation: the IDs of devices, and the public keys of recovery keys.
    private func holders(of made: Operation, _ graph: LogGraph) -> Set<[UInt8]> {
        var holders = Set(made.record.keys?.sealed.map(\.recipient) ?? [])
        // An operation comes after everything that it knows.
        for operation in operations where graph.isPast(made.signed.hash, of: operation.signed.hash) {
            let entry = operation.signed.entry
            if case .joinRecovered(let device) = operation.record, let key = entry.recoveryApproval?.publicKey,
                holders.contains(key)
            {
                holders.insert(device.id.bytes)
            }
            guard holders.contains(entry.device.bytes) else { continue }
            if case .admit(let device, _) = operation.record { holders.insert(device.id.bytes) }
            holders.formUnion(operation.record.keys?.sealed.map(\.recipient) ?? [])
        }
        return holders
    }

    /// Whether a vault key was sealed to each of some recovery keys, as far as this program can seal to them.
    func isSealed(_ key: CircleState.Key, toAll recoveryKeys: [[UInt8]]) -> Bool {
        guard let made = operations.first(where: { $0.signed.hash == key.entry })?.record.keys else { return true }
        let recipients = Set(made.sealed.map(\.recipient))
        return recoveryKeys.allSatisfy { publicKey in
            let suite = recoveryKey(publicKey).flatMap { CircleSuite(rawValue: $0.suite) }
            return suite == nil || recipients.contains(publicKey)
        }
    }

    /// The sealed names that operations 7 give to devices.
    var sealedNames: [DeviceID: [UInt8]] {
        operations.reduce(into: [:]) { names, operation in
            if case .admit(let device, let name) = operation.record { names[device.id] = name }
        }
    }

    /// An entry by its hash.
    func entry(_ hash: [UInt8]) -> SignedEntry? { operations.first { $0.signed.hash == hash }?.signed }

    /// The header that came with an owner key, and the keys that were sealed with it.
    func header(bringing owner: [UInt8]) -> (header: [UInt8]?, keys: CircleKeysRecord)? {
        operations.lazy.compactMap { operation in
            guard let keys = operation.record.keys, keys.owner == owner else { return nil }
            return (operation.header, keys)
        }.first
    }
}
