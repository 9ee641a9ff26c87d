internal import WardLog

/// The operations on a circle with their entries, as far as they stand.
struct CircleHistory {
    /// An entry that belongs to the circle.
    struct Entry {
        let signed: SignedEntry
        /// What it changes; `nil` if it brings a header alone.
        let record: CircleRecord?
        /// The body of the header that it brings.
        let header: [UInt8]?
    }

    /// In the order of the file, so each is after those that it knows.
    private(set) var entries: [Entry] = []

    private var operations: [(signed: SignedEntry, record: CircleRecord, header: [UInt8]?)] {
        entries.compactMap { entry in entry.record.map { (entry.signed, $0, entry.header) } }
    }

    /// Reads the operations of a log.
    ///
    /// - Throws: ``VaultError`` with `damaged` or `unavailable`.
    init(_ graph: LogGraph, _ database: VaultDatabase) throws(VaultError) {
        for position in graph.circlePositions {
            guard let row = try database.row(at: position) else {
                throw VaultError(.damaged, "The vault's file does not contain entry \(position)")
            }
            let signed = try SignedEntry(row)
            guard graph.stands(signed.hash) else { continue }
            switch signed.entry.operation {
            case .circle(let record): entries.append(Entry(signed: signed, record: record, header: row.blob))
            case .header: entries.append(Entry(signed: signed, record: nil, header: row.blob))
            case .genesis, .enrol, .revision, .purge, .content, .ignorable, .unknown: break
            }
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

    /// The proofs of a recovery key that the headers of the log have, the earliest first.
    ///
    /// The earliest one is from the device that had the key: nobody else knew its public half before. Who knows the passphrase can
    /// write another one into a later header. The header in force may also have none: if one device replaced the recovery key while
    /// another one made a vault key, it is from the other one.
    func proofs(ofRecoveryKey publicKey: [UInt8]) -> [[UInt8]] {
        entries.compactMap { entry in
            guard let body = entry.header, let header = try? VaultHeader(encoded: body) else { return nil }
            return header.circle?.recovery.first { $0.publicKey == publicKey }?.proof
        }
    }

    /// Whether a member made a key after it had heard of a removal, and of the removal of the device that made it.
    ///
    /// Its person has decided then what to do about a removal that does not count. A removal makes a key too.
    func isAnswered(_ removal: [UInt8], _ state: CircleState, _ graph: LogGraph) -> Bool {
        let others = entry(removal).flatMap { state.removed[$0.entry.device] } ?? []
        return operations.contains { later in
            switch later.record {
            case .remove, .rekey: break
            case .begin, .admit, .joinAdmitted, .joinRecovered, .recovery, .rules, .place: return false
            }
            let hash = later.signed.hash
            return state.members.contains(later.signed.entry.device) && graph.isPast(removal, of: hash)
                && others.contains { $0 == hash || graph.isPast($0, of: hash) }
        }
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

    /// The check values of the keys that operations made, each from the header that the operation names.
    ///
    /// Only somebody who breaks the rules makes two keys with one name. The first one counts.
    func commitments() -> [VaultKeys.Name: [UInt8]] {
        var found: [VaultKeys.Name: [UInt8]] = [:]
        var seen: Set<VaultKeys.Name> = []
        for operation in operations {
            guard let made = operation.record.keys, seen.insert(VaultKeys.Name(made)).inserted,
                let body = operation.header, VaultHeader.hash(body) == made.headerHash,
                let header = try? VaultHeader(encoded: body), header.keyName == VaultKeys.Name(made)
            else { continue }
            found[header.keyName] = header.keyCommitment
        }
        return found
    }
}
