internal import WardLog

/// Checks the signatures of many entries before a log takes them.
///
/// A log takes one entry after the other. A signature is what costs most, and depends on no other entry.
enum SignatureCheck {
    /// The hashes of the entries with a right signature, of those that have no other signatures in them.
    static func right(_ entries: [SignedEntry], in graph: LogGraph) -> Set<[UInt8]> {
        let simple = entries.filter(\.hasOneSignature)
        guard simple.count > 1 else { return [] }
        let (keys, vault, scheme) = (keys(entries, graph), graph.vault, graph.scheme)
        let isRight = simple.mapOnAllProcessors { entry in
            keys[entry.entry.device].map { entry.isSigned(by: $0, vault: vault, scheme) } ?? false
        }
        return Set(zip(simple, isRight).filter(\.1).map(\.0.hash))
    }

    /// The hashes of the entries that a device of the vault signed, or one that such a device or a recovery key in force lets join.
    static func signed(
        _ entries: [SignedEntry],
        in graph: LogGraph,
        _ admitted: [DeviceID: [UInt8]]
    ) -> Set<[UInt8]> {
        var keys = graph.authors.merging(graph.writers) { known, _ in known }.merging(admitted) { known, _ in known }
        let recoveryKeys = Set(graph.recoveryKeys)
        for entry in entries {
            guard case .circle(let record) = entry.entry.operation else { continue }
            switch record {
            case .admit(let device, _):
                guard let key = keys[entry.entry.device], entry.isSigned(by: key, vault: graph.vault, graph.scheme)
                else {
                    continue
                }
                keys[device.id] = device.publicKey
            case .joinRecovered:
                guard let joining = RecoveredDevice(entry), recoveryKeys.contains(joining.recoveryKey),
                    joining.isSigned(vault: graph.vault, graph.scheme)
                else { continue }
                keys[joining.device.id] = joining.device.publicKey
            case .begin, .joinAdmitted, .remove, .rekey, .recovery, .rules, .place: continue
            }
        }
        let (vault, scheme, known) = (graph.vault, graph.scheme, keys)
        let isSigned = entries.mapOnAllProcessors { entry in
            known[entry.entry.device].map { entry.isSigned(by: $0, vault: vault, scheme) } ?? false
        }
        return Set(zip(entries, isSigned).filter(\.1).map(\.0.hash))
    }

    /// The keys of devices.
    ///
    /// The name of a device is made from its key. So anybody may say which key it is.
    private static func keys(_ entries: [SignedEntry], _ graph: LogGraph) -> [DeviceID: [UInt8]] {
        var keys = graph.authors
        for key in entries.flatMap(\.entry.operation.deviceKeys) { keys[DeviceID(publicKey: key)] = key }
        return keys
    }
}

extension SignedEntry {
    /// Whether the signature of its device is the only one, so that the log has nothing else to check with a key.
    fileprivate var hasOneSignature: Bool {
        switch entry.operation {
        case .revision, .purge, .content: true
        case .genesis, .enrol, .header, .circle, .ignorable, .unknown: false
        }
    }
}

extension LogOperation {
    /// The keys of the devices that an operation names.
    fileprivate var deviceKeys: [[UInt8]] {
        switch self {
        case .genesis(let key, _, _, _), .enrol(let key, _): [key]
        case .circle(.begin(let members, _, _)): members.map(\.publicKey)
        case .circle(.admit(let device, _)), .circle(.joinRecovered(let device)): [device.publicKey]
        case .circle, .revision, .purge, .header, .content, .ignorable, .unknown: []
        }
    }
}
