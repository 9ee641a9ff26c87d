import Crypto
import WardCBOR
import WardLog

/// The devices of a person, and the log that they write.
final class TestVault {
    /// A device, what it knows, and how it signs.
    final class Device {
        let id: DeviceID
        let key: Curve25519.Signing.PrivateKey
        fileprivate(set) var graph: LogGraph
        /// What the device has, in the order in which it came.
        fileprivate(set) var log: [LogRecord] = []

        fileprivate init(_ key: Curve25519.Signing.PrivateKey, _ graph: LogGraph) {
            self.key = key
            self.graph = graph
            id = DeviceID(publicKey: key.publicBytes)
        }

        var publicKey: [UInt8] { key.publicBytes }

        /// The next entry of the device; it is not taken in.
        func draft(_ operation: LogOperation) throws -> LogEntry {
            try LogChain(graph).next(operation, by: id, now: 1_700_000_000)
        }

        func signed(_ entry: LogEntry, blob: [UInt8]? = nil) throws -> LogRecord {
            LogRecord(entry: try entry.signed(vault: graph.vault) { try key.signed($0) }, blob: blob)
        }

        @discardableResult
        func write(_ operation: LogOperation, blob: [UInt8]? = nil) throws -> LogRecord {
            let record = try signed(try draft(operation), blob: blob)
            try take([record])
            return record
        }

        /// A revision of an item, made from the newest ones that the device knows.
        func revision(_ item: UInt8, blob: [UInt8]) throws -> LogOperation {
            let id = LogItemID(prefix: [item])
            let heads = graph.heads(of: id)
            return .revision(
                RevisionEntry(
                    item: id,
                    number: (heads.map(\.record.number).max() ?? 0) + 1,
                    parents: heads.map(\.hash),
                    epoch: graph.circleState?.key?.epoch ?? 0,
                    blobHash: Array(SHA256.hash(data: blob))
                )
            )
        }

        @discardableResult
        func edit(_ item: UInt8 = 1, _ content: UInt8 = 0, count: Int = 16) throws -> LogRecord {
            let blob = [UInt8](repeating: content, count: count)
            return try write(try revision(item, blob: blob), blob: blob)
        }

        /// Entries with one number, beside each other; they are not taken in.
        func fork(_ count: Int = 2) throws -> [LogRecord] {
            try (0..<count).map { try signed(try draft(.ignorable(200, [1: .unsigned(UInt64($0))]))) }
        }

        /// Takes records that are in order, as far as it does not have them.
        func take(_ records: [LogRecord]) throws {
            for record in records {
                switch try graph.take(record.entry) {
                case .taken: log.append(record)
                case .known: break
                case .waits: throw LogError.refused("an entry came before one that it names")
                }
            }
        }
    }

    private let authority = Curve25519.Signing.PrivateKey()
    private let nonce = [UInt8](repeating: 7, count: 32)
    let genesis: LogRecord
    private(set) var devices: [Device]
    private(set) var root: LogRecord?
    private var owners: [[UInt8]: Curve25519.Signing.PrivateKey] = [:]
    let paper = Curve25519.Signing.PrivateKey()
    private var headers: UInt8 = 0

    var id: VaultID { devices[0].graph.vault }

    subscript(_ index: Int) -> Device { devices[index] }

    /// A vault whose first device admits the others; all know each other.
    init(devices count: Int = 1) throws {
        let key = Curve25519.Signing.PrivateKey()
        let entry = LogEntry(
            device: DeviceID(publicKey: key.publicBytes),
            sequence: 1,
            previous: nil,
            time: HybridTime(now: 1_700_000_000, after: nil),
            seen: [],
            operation: .genesis(
                device: key.publicBytes,
                certificate: try authority.signed(LogEntry.certificateMessage(device: key.publicBytes, nonce: nonce)),
                nonce: nonce,
                authority: authority.publicBytes
            )
        )
        let signed = try entry.signed(vault: nil) { try key.signed($0) }
        genesis = LogRecord(entry: signed)
        let first = Device(key, LogGraph(VaultID(genesis: signed.payload)))
        try first.take([genesis])
        devices = [first]
        for _ in 1..<max(1, count) { try enrol() }
        try meet()
    }

    /// Another device, admitted as a vault without a circle does it.
    @discardableResult
    func enrol() throws -> Device {
        let device = Device(Curve25519.Signing.PrivateKey(), LogGraph(id))
        try device.take(devices[0].log)
        let message = LogEntry.certificateMessage(device: device.publicKey, nonce: nonce)
        try device.write(.enrol(device: device.publicKey, certificate: try authority.signed(message)))
        devices.append(device)
        return device
    }

    /// The first entry of another device, which is not kept here.
    func enrolAlone() throws -> [LogRecord] {
        let device = Device(Curve25519.Signing.PrivateKey(), LogGraph(id))
        try device.take([genesis])
        let message = LogEntry.certificateMessage(device: device.publicKey, nonce: nonce)
        return [try device.write(.enrol(device: device.publicKey, certificate: try authority.signed(message)))]
    }

    /// All devices get what the others have.
    func meet() throws {
        for one in devices {
            for other in devices where other !== one { try one.take(other.log) }
        }
    }

    // MARK: The circle

    /// The first device begins the circle, with an epoch and a generation that it chooses.
    @discardableResult
    func beginCircle(epoch: UInt64 = 1, header generation: UInt64 = 1) throws -> LogRecord {
        let first = devices[0]
        let (keys, header) = keys(for: devices.map(\.id), epoch: epoch, header: generation)
        let members = devices.map { CircleDevice(publicKey: $0.publicKey, suite: 2, sealingKey: [1]) }
        let recovery = CircleRecoveryKey(
            kind: 1,
            version: 1,
            publicKey: paper.publicBytes,
            suite: 2,
            sealingKey: [2]
        )
        let operation = LogOperation.circle(
            .begin(
                members: members.sorted { $0.publicKey.lexicographicallyPrecedes($1.publicKey) },
                recovery: [recovery],
                keys
            )
        )
        let record = try first.signed(try approved(try first.draft(operation), by: first, keys.owner), blob: header)
        root = record
        for device in devices {
            let log = device.log
            (device.graph, device.log) = (LogGraph(id, circle: record.entry.hash), [])
            try device.take(log)
        }
        try first.take([record])
        try meet()
        return record
    }

    /// An operation of the circle with the signatures of all owner keys in force; it is taken in.
    @discardableResult
    func write(
        _ record: CircleRecord,
        by device: Device,
        blob: [UInt8]? = nil,
        withRecoveryKey hasRecoveryKey: Bool = false
    ) throws -> LogRecord {
        let draft = try device.draft(.circle(record))
        let entry = try approved(draft, by: device, record.keys?.owner, hasRecoveryKey ? paper : nil)
        let signed = try device.signed(entry, blob: blob)
        try device.take([signed])
        return signed
    }

    @discardableResult
    func remove(_ removed: [Device], by device: Device, withRecoveryKey hasRecoveryKey: Bool = false) throws
        -> LogRecord
    {
        let state = device.graph.circleState ?? CircleState()
        let ids = removed.map(\.id).sorted()
        let (keys, header) = keys(
            for: state.members.subtracting(ids).sorted(),
            epoch: state.largestEpoch + 1,
            header: state.largestHeader + 1
        )
        return try write(.remove(ids, keys), by: device, blob: header, withRecoveryKey: hasRecoveryKey)
    }

    /// A member admits a new device, which has not begun.
    func admit(by device: Device) throws -> (device: Device, admission: LogRecord) {
        let newcomer = Device(Curve25519.Signing.PrivateKey(), LogGraph(id, circle: root?.entry.hash))
        let record = CircleDevice(publicKey: newcomer.publicKey, suite: 2, sealingKey: [1])
        let admission = try write(.admit(record, name: [1]), by: device)
        try newcomer.take(device.log)
        devices.append(newcomer)
        return (newcomer, admission)
    }

    /// A new device that the recovery key lets join, with what the first one knows; nobody else has its first entry.
    func comeBack() throws -> (device: Device, join: LogRecord) {
        let newcomer = Device(Curve25519.Signing.PrivateKey(), LogGraph(id, circle: root?.entry.hash))
        try newcomer.take(devices[0].log)
        let join = try join(newcomer)
        try newcomer.take([join])
        return (newcomer, join)
    }

    /// The first entry of a device that a recovery key lets join; it is not taken in.
    ///
    /// - Parameters:
    ///   - device: The device.
    ///   - vault: The vault for which everything is signed; `nil` for this one.
    ///   - recoveryKey: The recovery key; `nil` for the one of this vault.
    ///   - publicKey: The key in the entry; `nil` for the one of the device.
    func join(
        _ device: Device,
        in vault: VaultID? = nil,
        with recoveryKey: Curve25519.Signing.PrivateKey? = nil,
        as publicKey: [UInt8]? = nil
    ) throws -> LogRecord {
        let (vault, recoveryKey) = (vault ?? id, recoveryKey ?? paper)
        let circle = CircleDevice(publicKey: publicKey ?? device.publicKey, suite: 2, sealingKey: [1])
        let entry = try LogChain(devices[0].graph).next(
            .circle(.joinRecovered(circle)),
            by: device.id,
            now: 1_700_000_000
        )
        let signer = ApprovalSigner<any Error>(publicKey: recoveryKey.publicBytes) { try recoveryKey.signed($0) }
        let approved = try entry.approved(vault: vault, owners: [], recovery: signer)
        return LogRecord(entry: try approved.signed(vault: vault) { try device.key.signed($0) })
    }

    /// A member replaces the recovery key.
    func replaceRecoveryKey(by device: Device) throws -> LogRecord {
        let state = device.graph.circleState ?? CircleState()
        let (keys, header) = keys(
            for: state.members.sorted(),
            epoch: state.largestEpoch + 1,
            header: state.largestHeader + 1
        )
        let new = CircleRecoveryKey(
            kind: 1,
            version: 2,
            publicKey: Curve25519.Signing.PrivateKey().publicBytes,
            suite: 2,
            sealingKey: [2]
        )
        return try write(.recovery([new], keys), by: device, blob: header)
    }

    /// The signatures of all owner keys in force on a statement.
    func approvals(_ message: [UInt8], by device: Device) throws -> [LogApproval] {
        try device.graph.ownerKeys.map { key in
            LogApproval(publicKey: key, signature: try owners[key]?.signed(message) ?? [])
        }
    }

    private func approved(
        _ entry: LogEntry,
        by device: Device,
        _ new: [UInt8]?,
        _ recovery: Curve25519.Signing.PrivateKey? = nil
    ) throws -> LogEntry {
        let keys = device.graph.ownerKeys + (new.map { [$0] } ?? [])
        func signer(_ key: Curve25519.Signing.PrivateKey) -> ApprovalSigner<any Error> {
            ApprovalSigner(publicKey: key.publicBytes) { try key.signed($0) }
        }
        let found = keys.compactMap { owners[$0] }
        return try entry.approved(vault: id, owners: found.map(signer), recovery: recovery.map(signer))
    }

    private func keys(for devices: [DeviceID], epoch: UInt64, header: UInt64) -> (CircleKeysRecord, header: [UInt8]) {
        let owner = Curve25519.Signing.PrivateKey()
        owners[owner.publicBytes] = owner
        headers += 1
        let body = [UInt8](repeating: headers, count: 40)
        let record = CircleKeysRecord(
            epoch: epoch,
            owner: owner.publicBytes,
            header: header,
            headerHash: Array(SHA256.hash(data: body)),
            sealed: devices.sorted().map {
                CircleSealedKey(recipient: $0.bytes, suite: 2, encapsulation: [1], ciphertext: [2])
            }
        )
        return (record, body)
    }
}

extension Curve25519.Signing.PrivateKey {
    var publicBytes: [UInt8] { [UInt8](publicKey.rawRepresentation) }

    func signed(_ message: [UInt8]) throws -> [UInt8] { [UInt8](try signature(for: message)) }
}
