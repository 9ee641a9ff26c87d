internal import WardCBOR

/// What a log amounts to: the head of each device's chain, who may write, and which header is the latest.
///
/// Entries are taken one after the other, as they lie in the file; one that does not fit is refused with the reason.
struct LogChain: Hashable, Sendable {
    /// The latest entry of a device.
    struct Head: Hashable, Sendable {
        var publicKey: [UInt8]
        var sequence: UInt64
        var hash: [UInt8]
        var position: Int64
    }

    /// What the first entry laid down.
    private(set) var nonce: [UInt8] = []
    private(set) var authority: [UInt8] = []
    private(set) var heads: [DeviceID: Head] = [:]
    /// The heads of others that each device has named last.
    private(set) var acknowledged: [DeviceID: [DeviceID: UInt64]] = [:]
    private(set) var headerGeneration: UInt64 = 0
    private(set) var headerHash: [UInt8] = []
    private(set) var time = HybridTime(value: 0)
    /// Where the last entry lies, and its hash; 0 before the first.
    private(set) var position: Int64 = 0
    private(set) var hash: [UInt8] = []

    init() {}

    /// Takes the next entry.
    ///
    /// - Parameters:
    ///   - signed: The entry.
    ///   - position: Where it lies.
    ///   - vault: The vault that the log must be of.
    ///   - checksSignature: Whether the signature is checked; it need not be where the hash is known from elsewhere.
    /// - Throws: ``VaultError`` with `damaged`.
    mutating func append(
        _ signed: SignedEntry,
        at position: Int64,
        vault: VaultID,
        checksSignature: Bool
    ) throws(VaultError) {
        let entry = signed.entry
        guard position > self.position else { throw Self.broken("two entries at one place") }
        let isFirst = self.position == 0
        let publicKey: [UInt8]
        switch entry.operation {
        case .genesis(let device, let certificate, let nonce, let authority):
            guard isFirst, VaultID(genesis: signed.payload) == vault else { throw Self.broken("another vault's log") }
            self.nonce = nonce
            self.authority = authority
            publicKey = try admit(entry.device, device, certificate)
        case .enrol(let device, let certificate):
            guard !isFirst, heads[entry.device] == nil else { throw Self.broken("a device enrolled twice") }
            publicKey = try admit(entry.device, device, certificate)
        case .header(let generation, let hash):
            guard generation > headerGeneration else { throw Self.broken("a header older than the one before") }
            publicKey = try known(entry.device)
            headerGeneration = generation
            headerHash = hash
        case .revision, .purge, .ignorable:
            publicKey = try known(entry.device)
        }
        let last = heads[entry.device]
        guard entry.sequence == (last?.sequence ?? 0) + 1, entry.previous == last?.hash else {
            throw Self.broken("entry \(entry.sequence) of device \(entry.device) does not follow the one before")
        }
        for seen in entry.seen {
            guard let head = heads[seen.device], seen.device != entry.device, seen.sequence <= head.sequence,
                seen.sequence < head.sequence || seen.hash == head.hash
            else { throw Self.broken("an entry names another that is not there") }
            acknowledged[entry.device, default: [:]][seen.device] = seen.sequence
        }
        guard !checksSignature || signed.isSigned(by: publicKey, vault: isFirst ? nil : vault) else {
            throw Self.broken("the signature of entry \(entry.sequence) of device \(entry.device) is wrong")
        }
        heads[entry.device] = Head(
            publicKey: publicKey,
            sequence: entry.sequence,
            hash: signed.hash,
            position: position
        )
        time = max(time, entry.time)
        self.position = position
        hash = signed.hash
    }

    /// The next entry of a device, which names whatever heads it has not named yet.
    func next(_ operation: LogOperation, by device: DeviceID, now: Int64) -> LogEntry {
        let last = heads[device]
        let named = acknowledged[device] ?? [:]
        let news = heads.filter { $0.key != device && $0.value.sequence > named[$0.key] ?? 0 }
        return LogEntry(
            device: device,
            sequence: (last?.sequence ?? 0) + 1,
            previous: last?.hash,
            time: HybridTime(now: now, after: time),
            seen: news.sorted { $0.key < $1.key }.map {
                LogEntry.Seen(device: $0.key, sequence: $0.value.sequence, hash: $0.value.hash)
            },
            operation: operation
        )
    }

    private func admit(_ id: DeviceID, _ publicKey: [UInt8], _ certificate: [UInt8]) throws(VaultError) -> [UInt8] {
        let message = LogEntry.certificateMessage(device: publicKey, nonce: nonce)
        guard DeviceID(publicKey: publicKey) == id, SigningSeed.isValid(certificate, of: message, by: authority) else {
            throw Self.broken("a device that nobody admitted")
        }
        return publicKey
    }

    private func known(_ device: DeviceID) throws(VaultError) -> [UInt8] {
        guard let head = heads[device] else { throw Self.broken("an entry of a device that nobody admitted") }
        return head.publicKey
    }

    private static func broken(_ reason: String) -> VaultError { VaultError(.damaged, "the log is broken: \(reason)") }
}

/// The form in the index, which is sealed: nothing here comes from outside.
extension LogChain {
    var cbor: CBORValue {
        [
            1: .bytes(nonce), 2: .bytes(authority), 3: .unsigned(headerGeneration), 4: .bytes(headerHash),
            5: .unsigned(time.value), 6: .integer(position), 7: .bytes(hash),
            8: .array(
                heads.sorted { $0.key < $1.key }.map { device, head in
                    let named = (acknowledged[device] ?? [:]).sorted { $0.key < $1.key }
                    return [
                        .bytes(device.bytes), .bytes(head.publicKey), .unsigned(head.sequence), .bytes(head.hash),
                        .integer(head.position),
                        .array(named.map { [.bytes($0.key.bytes), .unsigned($0.value)] }),
                    ]
                }
            ),
        ]
    }

    init?(_ value: CBORValue) {
        guard let nonce = value[1]?.bytesValue, let authority = value[2]?.bytesValue,
            case .unsigned(let generation) = value[3], let headerHash = value[4]?.bytesValue,
            case .unsigned(let time) = value[5], let position = value[6]?.integerValue,
            let hash = value[7]?.bytesValue, let devices = value[8]?.arrayValue
        else { return nil }
        self.nonce = nonce
        self.authority = authority
        headerGeneration = generation
        self.headerHash = headerHash
        self.time = HybridTime(value: time)
        self.position = position
        self.hash = hash
        for device in devices {
            guard let parts = device.arrayValue, parts.count == 6, let bytes = parts[0].bytesValue,
                let id = DeviceID(bytes), let publicKey = parts[1].bytesValue, case .unsigned(let sequence) = parts[2],
                let hash = parts[3].bytesValue, let position = parts[4].integerValue,
                let named = parts[5].arrayValue
            else { return nil }
            heads[id] = Head(publicKey: publicKey, sequence: sequence, hash: hash, position: position)
            for entry in named {
                guard let pair = entry.arrayValue, pair.count == 2, let bytes = pair[0].bytesValue,
                    let other = DeviceID(bytes), case .unsigned(let sequence) = pair[1]
                else { return nil }
                acknowledged[id, default: [:]][other] = sequence
            }
        }
    }
}
