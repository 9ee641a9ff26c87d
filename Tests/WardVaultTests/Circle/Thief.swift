import Crypto
import WardLog
import WardWebAuthn

@testable import WardVault

/// Somebody who has an open device: its keys and its log, and no passphrase unless they were given owner keys.
///
/// They sign what no program of Ward would write.
struct Thief: Sendable {
    let device: DeviceFile
    let vault: VaultID
    var keys: VaultKeys
    var graph: LogGraph
    let environment: VaultEnvironment
    /// The owner keys that they opened.
    var owners: [OwnerKey] = []

    var id: DeviceID { device.device }

    /// Signs an entry with what the thief has, and does not take it.
    func draft(_ operation: LogOperation, recovery: RecoveryKey? = nil) throws -> LogEntry {
        try LogChain(graph).next(operation, by: id, now: environment.effects.now())
            .approved(vault: vault, owners: owners.map(\.signer), recovery: recovery?.signer())
    }

    func signed(_ entry: LogEntry, blob: [UInt8]? = nil) throws -> LogRecord {
        LogRecord(entry: try entry.signed(vault: vault, by: device.key.sign), blob: blob)
    }

    /// Writes an entry, and goes on after it.
    mutating func write(_ operation: LogOperation, blob: [UInt8]? = nil) throws -> LogRecord {
        let record = try signed(try draft(operation), blob: blob)
        try graph.take(record.entry)
        return record
    }

    /// A revision that says what the thief likes, made from the newest revisions.
    mutating func edit(_ item: Item, naming contents: [[UInt8]] = []) throws -> LogRecord {
        var record = revision(of: item.id, naming: contents)
        let place = try LogChain(graph).next(.revision(record), by: id, now: environment.effects.now())
        let blob = try ItemSealing.seal(
            item.encoded(),
            for: record,
            device: id,
            sequence: place.sequence,
            vault: vault,
            keys: keys,
            environment
        )
        record.blobHash = ItemSealing.hash(blob)
        return try write(.revision(record), blob: blob)
    }

    /// A revision with data that nobody can open.
    mutating func spoil(_ item: ItemID, naming contents: [[UInt8]] = []) throws -> LogRecord {
        var record = revision(of: item, naming: contents)
        let blob = [UInt8](repeating: 1, count: 500)
        record.blobHash = ItemSealing.hash(blob)
        return try write(.revision(record), blob: blob)
    }

    /// The next revision of an item, without its data.
    private func revision(of item: ItemID, naming contents: [[UInt8]]) -> RevisionEntry {
        let heads = graph.heads(of: item.logged)
        return RevisionEntry(
            item: item.logged,
            number: (heads.map(\.record.number).max() ?? 0) + 1,
            parents: heads.map(\.hash),
            epoch: graph.circleState?.key?.epoch ?? 0,
            blobHash: [],
            contents: contents
        )
    }

    /// Another device of the thief's, which takes everything that this one knows.
    func stranger() throws -> Thief {
        var device = try DeviceFile(environment)
        device.circleKeys = try DeviceKeys(environment)
        return Thief(device: device, vault: vault, keys: keys, graph: graph, environment: environment, owners: owners)
    }
}

extension Vault {
    /// What a thief has who took this device while it was open.
    func stolen() throws -> Thief {
        let open = try open()
        return Thief(
            device: open.device,
            vault: id,
            keys: open.keys,
            graph: try open.graph(),
            environment: environment
        )
    }

    /// The same, for a thief who also knows the passphrase.
    func stolen(knowing words: String) async throws -> Thief {
        let owners = try await ownerAct(VaultFixture.passphrase(words)).owners
        var thief = try stolen()
        thief.owners = owners
        return thief
    }

    /// The header in the file.
    func currentHeader() throws -> VaultHeader { header }
}

extension CircleWorld {
    /// Devices that have all that the others have.
    static func met(_ count: Int, items: Int = 1) async throws -> CircleWorld {
        let world = try await CircleWorld(devices: count, items: items)
        try await world.meet()
        return world
    }

    /// What another member knows of a device's state: items, members, header and keys.
    func view(_ number: Int) async throws -> CircleWorldView {
        let circle = try await vaults[number].circle()
        var items: [ItemID: String] = [:]
        for summary in try await vaults[number].summaries() {
            items[summary.id] = try await vaults[number].item(summary.id).title
        }
        return CircleWorldView(
            items: items,
            members: circle?.devices.filter { $0.status == .member }.map(\.id).sorted() ?? [],
            isFrozen: circle?.isFrozen ?? false,
            header: try await vaults[number].currentHeader(),
            recoveryKeys: try await vaults[number].stolen().graph.recoveryKeys.sorted {
                $0.lexicographicallyPrecedes($1)
            }
        )
    }
}

/// What a person sees of a vault in a circle.
struct CircleWorldView: Equatable {
    var items: [ItemID: String]
    var members: [DeviceID]
    var isFrozen: Bool
    var header: VaultHeader
    var recoveryKeys: [[UInt8]]
}
