import WardLog

/// Devices of a circle that write one log, with real entries.
final class CircleFixture {
    typealias Device = LogFixture.Device
    typealias Signer = ApprovalSigner<Never>

    let base: LogFixture
    let root: SignedEntry
    private(set) var devices: [Device]
    /// The owner keys that were ever made, by their public keys.
    private var owners: [[UInt8]: Signer] = [:]
    private var nextKey: UInt8 = 100
    /// Keys of recovery keys.
    static let paper: UInt8 = 50

    var vault: VaultID { devices[0].graph.vault }

    /// The devices begin a vault, and the first one begins the circle.
    init(devices count: Int, _ scheme: SignatureScheme = .keyedHash) throws {
        base = try LogFixture(devices: count, scheme)
        devices = base.devices
        let first = base[0]
        let owner = Self.signer(99, base.scheme)
        let record = CircleRecord.begin(
            members: Self.sorted(devices.map(Self.device)),
            recovery: [Self.recoveryKey(Self.paper, base.scheme)],
            CircleKeysRecord(
                epoch: 1,
                owner: owner.publicKey,
                header: 1,
                headerHash: [UInt8](repeating: 1, count: 32),
                sealed: Self.sealed(to: devices.map(\.id))
            )
        )
        let entry = try first.draft(.circle(record)).approved(vault: first.graph.vault, owners: [owner])
        root = first.signed(entry)
        owners[owner.publicKey] = owner
        devices = try base.devices.map { try Self.reader($0, base, root) }
        try devices[0].take(root)
    }

    subscript(_ number: Int) -> Device { devices[number] }

    /// A device that knows the circle.
    private static func reader(_ device: Device, _ base: LogFixture, _ root: SignedEntry) throws -> Device {
        let graph = LogGraph(device.graph.vault, base.scheme, circle: root.hash)
        let reader = Device(publicKey: device.publicKey, sign: device.sign, graph)
        try reader.take(device.log)
        return reader
    }

    /// A reader that knows the circle and has nothing yet.
    func empty() throws -> Device {
        let device = try base.empty()
        return Device(
            publicKey: device.publicKey,
            sign: device.sign,
            LogGraph(device.graph.vault, base.scheme, circle: root.hash)
        )
    }

    func meet() throws {
        for one in devices { for other in devices where other !== one { try one.take(other.log) } }
    }

    // MARK: - Writing

    /// Writes an operation with the signatures of all owner keys in force.
    @discardableResult
    func write(_ record: CircleRecord, by device: Device, recovery: UInt8? = nil) throws -> SignedEntry {
        let signed = device.signed(try draft(record, by: device, recovery: recovery))
        guard try device.take(signed) == .taken else {
            throw LogError.refused("the device does not take its own entry")
        }
        return signed
    }

    func draft(_ record: CircleRecord, by device: Device, recovery: UInt8? = nil) throws -> LogEntry {
        try approved(try device.draft(.circle(record)), by: device, recovery: recovery)
    }

    /// Replaces the header, with the signature of the owner.
    @discardableResult
    func replaceHeader(by device: Device) throws -> SignedEntry {
        let generation = (device.graph.circleState?.largestHeader ?? 0) + 1
        let operation = LogOperation.header(generation: generation, hash: [UInt8](repeating: 7, count: 32))
        let signed = device.signed(try approved(try device.draft(operation), by: device))
        try device.take(signed)
        return signed
    }

    func approved(_ entry: LogEntry, by device: Device, recovery: UInt8? = nil) throws -> LogEntry {
        var keys = (device.graph.circleState?.owners ?? []).map { Array($0.bytes.dropFirst()) }
        if case .circle(let record) = entry.operation, let new = record.keys?.owner { keys.append(new) }
        return try entry.approved(
            vault: vault,
            owners: keys.compactMap { owners[$0] },
            recovery: recovery.map { Self.signer($0, base.scheme) }
        )
    }

    /// Keys for the next operation of a device, with a new owner key.
    func keys(by device: Device, without removed: [DeviceID] = []) -> CircleKeysRecord {
        let state = device.graph.circleState ?? CircleState()
        let owner = Self.signer(nextKey, base.scheme)
        owners[owner.publicKey] = owner
        nextKey &+= 1
        return CircleKeysRecord(
            epoch: state.largestEpoch + 1,
            owner: owner.publicKey,
            header: state.largestHeader + 1,
            headerHash: [UInt8](repeating: nextKey, count: 32),
            sealed: Self.sealed(to: state.members.subtracting(removed).sorted())
        )
    }

    @discardableResult
    func remove(_ removed: [Device], by device: Device, recovery: UInt8? = nil) throws -> SignedEntry {
        let ids = removed.map(\.id).sorted()
        return try write(.remove(ids, keys(by: device, without: ids)), by: device, recovery: recovery)
    }

    /// A device that was never in the vault, with what another one has.
    func stranger(_ number: UInt8, like device: Device) throws -> Device {
        let (publicKey, sign) = LogFixture.keys(number, isKeyed: base.scheme.isReal == false)
        let stranger = Device(publicKey: publicKey, sign: sign, LogGraph(vault, base.scheme, circle: root.hash))
        try stranger.take(device.log)
        return stranger
    }

    /// A member admits a device, which begins.
    @discardableResult
    func admit(_ number: UInt8, by sponsor: Device) throws -> Device {
        let newcomer = try stranger(number, like: sponsor)
        let admission = try write(.admit(Self.device(newcomer), name: [1]), by: sponsor)
        try newcomer.take(admission)
        try newcomer.write(.circle(.joinAdmitted(admission.hash)))
        devices.append(newcomer)
        return newcomer
    }

    // MARK: - Values

    static func device(_ device: Device) -> CircleDevice {
        CircleDevice(publicKey: device.publicKey, suite: 2, sealingKey: [UInt8](repeating: 3, count: 32))
    }

    static func recoveryKey(_ number: UInt8, _ scheme: SignatureScheme) -> CircleRecoveryKey {
        CircleRecoveryKey(
            kind: 1,
            version: UInt64(number),
            publicKey: signer(number, scheme).publicKey,
            suite: 2,
            sealingKey: [UInt8](repeating: 4, count: 32)
        )
    }

    static func signer(_ number: UInt8, _ scheme: SignatureScheme) -> Signer {
        let (publicKey, sign) = LogFixture.keys(number, isKeyed: !scheme.isReal)
        return Signer(publicKey: publicKey, sign: sign)
    }

    static func sealed(to devices: [DeviceID]) -> [CircleSealedKey] {
        devices.sorted().map {
            CircleSealedKey(recipient: $0.bytes, suite: 2, encapsulation: [1], ciphertext: [2])
        }
    }

    static func sorted(_ devices: [CircleDevice]) -> [CircleDevice] {
        devices.sorted { $0.publicKey.lexicographicallyPrecedes($1.publicKey) }
    }
}
