internal import WardCBOR
internal import WardLog
internal import WardVault

/// What this device remembers of a server.
///
/// It is a sealed record of the device.
struct ServerState: Hashable {
    private static let record = VaultLocation.syncServer
    /// The maximum number of positions that are remembered.
    private static let mostAhead = 64

    /// The address of the server; another server has another state.
    var address: String
    /// How far this device has read the server's order; `nil` if nothing was read.
    var position: RemotePosition?
    /// The number up to which the vault has everything that the server showed.
    ///
    /// A new session reads from there.
    var resume: UInt64 = 0
    /// The number of this device's last entry that is on the server.
    private(set) var written: UInt64 = 0
    /// The device whose entry that is: a vault can go on as another device, whose numbers begin anew.
    private var device: DeviceID?
    /// Whether the entry that begins the circle is on the server.
    var hasRoot = false
    /// Whether this device has compared everything on the server with what it has.
    ///
    /// Otherwise a new start goes on with that.
    var isWhole = false
    /// The number up to which positions of other devices can be compared; `nil` if all can.
    ///
    /// A server that lost entries and did not begin a new order gave the same numbers to other entries after that.
    var comparable: UInt64?
    /// What entries of other devices say about places that this device has not read yet.
    var ahead: [OrderWitness] = []
    /// The entry of another device that proved that the server showed two orders.
    var twoOrders: OrderWitness?
    /// What was in question when the whole server was read for data the last time; `nil` if data is lacking still.
    var searched: [UInt8]?

    init(address: String) { self.address = address }

    /// Remembers a position that this device cannot compare yet.
    mutating func remember(_ witness: OrderWitness) {
        guard !ahead.contains(where: { $0.position == witness.position }) else { return }
        ahead.append(witness)
        if ahead.count > Self.mostAhead { ahead.removeFirst() }
    }

    /// Begins to count this device's entries, if the number is that of another one.
    mutating func count(entriesOf device: DeviceID) {
        guard self.device != device else { return }
        (self.device, written) = (device, 0)
    }

    /// Records the number of this device's last entry that is on the server.
    mutating func note(written: UInt64) { self.written = written }

    /// Reads the state of a server; a new one if there is none.
    ///
    /// - Throws: `VaultError` with `locked` or `closed`.
    static func read(_ address: String, from vault: Vault) async throws -> ServerState {
        guard let bytes = try await vault.deviceRecord(record), let state = ServerState(encoded: bytes),
            state.address == address
        else { return ServerState(address: address) }
        return state
    }

    /// Writes the state and replaces the earlier one.
    func keep(in vault: Vault) async throws { try await vault.keepDeviceRecord(encoded, Self.record) }

    /// Removes what this device remembers of its server.
    static func remove(from vault: Vault) async throws {
        try await vault.keepDeviceRecord(nil, record)
        try await ServerOrder.remove(from: vault)
    }
}

extension ServerState {
    init?(encoded bytes: [UInt8]) {
        guard let value = try? CBORValue.decode(bytes), let address = value[1]?.textValue,
            case .unsigned(let resume) = value[3], case .unsigned(let written) = value[4],
            case .bool(let hasRoot) = value[5]
        else { return nil }
        self.address = address
        if let position = value[2] {
            guard let read = RemotePosition(position) else { return nil }
            self.position = read
        }
        self.resume = resume
        self.written = written
        self.hasRoot = hasRoot
        if case .unsigned(let number) = value[6] { comparable = number }
        ahead = (value[7]?.arrayValue ?? []).compactMap { OrderWitness($0) }
        twoOrders = value[8].flatMap { OrderWitness($0) }
        isWhole = value[9] == .bool(true)
        searched = value[12]?.bytesValue
        device = value[11]?.bytesValue.flatMap { DeviceID($0) }
    }

    var encoded: [UInt8] {
        var fields = CBORFields()
        fields.put(1, .text(address))
        fields.put(2, position?.value)
        fields.put(3, .unsigned(resume))
        fields.put(4, .unsigned(written))
        fields.put(5, .bool(hasRoot))
        fields.put(6, comparable.map { .unsigned($0) })
        fields.put(7, .array(ahead.map(\.value)))
        fields.put(8, twoOrders?.value)
        fields.put(9, .bool(isWhole))
        fields.put(11, device.map { .bytes($0.bytes) })
        fields.put(12, searched.map { .bytes($0) })
        return fields.encoded
    }
}

extension RemotePosition {
    fileprivate init?(_ value: CBORValue) {
        guard let parts = value.arrayValue, parts.count == 3, let order = parts[0].bytesValue,
            order.count == Self.orderLength, case .unsigned(let number) = parts[1], let hash = parts[2].bytesValue
        else { return nil }
        self.init(order: order, number: number, hash: hash)
    }

    fileprivate var value: CBORValue { [.bytes(order), .unsigned(number), .bytes(hash)] }
}

extension OrderWitness {
    fileprivate init?(_ value: CBORValue) {
        guard let parts = value.arrayValue, parts.count == 3, let position = RemotePosition(parts[0]),
            let device = parts[1].bytesValue.flatMap({ DeviceID($0) }), case .unsigned(let sequence) = parts[2]
        else { return nil }
        self.init(position, device: device, sequence: sequence)
    }

    fileprivate var value: CBORValue { [position.value, .bytes(device.bytes), .unsigned(sequence)] }
}
