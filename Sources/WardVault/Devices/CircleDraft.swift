internal import WardLog

/// Entries on the circle of devices before they are written, checked as other devices will check them.
struct CircleDraft {
    private(set) var graph: LogGraph
    private(set) var chain: LogChain
    private(set) var rows: [VaultDatabase.Row] = []
    private let vault: VaultID
    private let now: Int64

    /// Begins with a log.
    init(_ graph: LogGraph, _ vault: VaultID, now: Int64) {
        self.graph = graph
        chain = LogChain(graph)
        self.vault = vault
        self.now = now
    }

    /// The circle after the entries so far.
    ///
    /// - Throws: ``VaultError`` with `noCircle`.
    func state() throws(VaultError) -> CircleState {
        guard let state = graph.circleState else { throw VaultError.withoutCircle }
        return state
    }

    /// Adds an entry.
    ///
    /// - Parameters:
    ///   - operation: What the entry records.
    ///   - header: The header that the entry names.
    ///   - device: Who writes it.
    ///   - owners: The owner keys that sign it too.
    ///   - recovery: A recovery key that signs it too.
    /// - Returns: The entry.
    /// - Throws: ``VaultError`` with `conflict` if the circle does not allow the operation, or with `damaged` or
    ///   `unavailable`.
    @discardableResult
    mutating func add(
        _ operation: LogOperation,
        header: [UInt8]? = nil,
        by device: DeviceFile,
        owners: [OwnerKey] = [],
        recovery: RecoveryKey? = nil
    ) throws(VaultError) -> SignedEntry {
        rows += try graph.nameOthers(by: device, after: &chain, now: now).map(\.row)
        let signed = try signed(operation, by: device, owners: owners, recovery: recovery)
        guard signed.encoded.count <= LogEntry.maximumLength else {
            throw VaultError(.unavailable, "The circle of devices has too many members for one entry")
        }
        try append(signed, header)
        guard !operation.mustStand || graph.stands(signed.hash) else {
            throw VaultError(
                .conflict,
                "The circle of devices does not allow this change now. Look at it: ward devices"
            )
        }
        return signed
    }

    private mutating func append(_ signed: SignedEntry, _ header: [UInt8]?) throws(VaultError) {
        let position = chain.position + 1
        try graph.take(signed, at: position, checksSignature: true)
        chain = LogChain(graph)
        rows.append(VaultDatabase.Row(position: position, previous: 0, entry: signed.encoded, blob: header))
    }

    /// An entry with the hash that it would have, which begins a circle.
    ///
    /// The log must know this hash before it takes the entry.
    func signed(
        _ operation: LogOperation,
        by device: DeviceFile,
        owners: [OwnerKey] = [],
        recovery: RecoveryKey? = nil
    ) throws(VaultError) -> SignedEntry {
        do {
            let named = graph.named(byFirst: operation, of: device.device, after: chain)
            let entry = try chain.next(operation, device.device, now: now, naming: named).approved(
                vault: vault,
                owners: owners.map(\.signer),
                recovery: recovery.map { (key) throws(VaultError) in try key.signer() }
            )
            return try entry.signed(vault: vault, by: device.key.sign)
        } catch let error as VaultError {
            throw error
        } catch let error as LogError {
            throw VaultError(error)
        } catch {
            throw VaultError(.unavailable, "An entry cannot be signed")
        }
    }

    /// Adds an entry that was signed before.
    mutating func add(_ signed: SignedEntry, header: [UInt8]?) throws(VaultError) { try append(signed, header) }
}

extension LogOperation {
    /// Whether an entry with this operation must stand to be of any use.
    fileprivate var mustStand: Bool {
        switch self {
        case .header, .circle(.begin), .circle(.admit), .circle(.joinRecovered), .circle(.remove), .circle(.rekey),
            .circle(.recovery), .circle(.rules), .circle(.place):
            true
        case .circle(.joinAdmitted), .genesis, .enrol, .revision, .purge, .content, .ignorable, .unknown: false
        }
    }
}

extension VaultError {
    static var headerChanged: VaultError {
        VaultError(.conflict, "Another device changed the vault's header meanwhile. Try again")
    }

    static var withoutCircle: VaultError {
        VaultError(.noCircle, "This vault has no circle of devices. To begin one: ward sync on PLACE")
    }
}
