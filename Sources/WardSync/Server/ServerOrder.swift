internal import WardLog
internal import WardVault

/// The order of entries that a server showed to this device.
///
/// The hash after each number is in sealed records of the device, 1,000 in each, after the name of the order. So a position in
/// somebody's entry can be compared however old it is, and only the records that are needed are read. A record of another order counts
/// as absent: a vault that moves to another server, or a program that ended between two records, leaves such records behind.
final class ServerOrder {
    private let vault: Vault
    private(set) var position: RemotePosition
    /// Hashes, one after the other; the first block begins with that of number 1.
    private var blocks: [UInt64: [UInt8]] = [:]
    private var changed: Set<UInt64> = []

    private static let blockLength: UInt64 = 1_000
    private static let hashLength = 32

    /// Begins before the first entry.
    init(beginning order: [UInt8], in vault: Vault) {
        self.vault = vault
        position = RemotePosition(beginning: order)
    }

    /// Goes on at a position that was kept.
    ///
    /// - Returns: `nil` if the record of the last hashes does not belong to it.
    /// - Throws: `VaultError` with `locked` or `closed`.
    init?(at position: RemotePosition, in vault: Vault) async throws {
        self.vault = vault
        self.position = position
        guard try await hash(at: position.number) == position.hash else { return nil }
        // An earlier program may have ended after it wrote the hashes and before it wrote how many there are.
        guard position.number > 0 else { return }
        let (block, index) = Self.place(of: position.number)
        blocks[block] = blocks[block].map { Array($0.prefix((index + 1) * Self.hashLength)) }
    }

    /// Adds the next entry that the server showed.
    func append(_ entry: [UInt8]) {
        position = position.next(entry)
        let (block, _) = Self.place(of: position.number)
        blocks[block, default: []] += position.hash
        changed.insert(block)
    }

    /// The hash after a number of entries; `nil` if this device has not read as far, or has lost the record.
    func hash(at number: UInt64) async throws -> [UInt8]? {
        guard number <= position.number else { return nil }
        guard number > 0 else { return RemotePosition(beginning: position.order).hash }
        let (block, index) = Self.place(of: number)
        if blocks[block] == nil { blocks[block] = try await read(block) }
        let start = index * Self.hashLength
        guard let hashes = blocks[block], hashes.count >= start + Self.hashLength else { return nil }
        return Array(hashes[start..<(start + Self.hashLength)])
    }

    /// Whether an entry is the one that the server showed with a number; `nil` if this device does not know it any more.
    func has(_ entry: [UInt8], at number: UInt64) async throws -> Bool? {
        guard number > 0, let before = try await hash(at: number - 1), let after = try await hash(at: number) else {
            return nil
        }
        return RemotePosition(order: position.order, number: number - 1, hash: before).next(entry).hash == after
    }

    /// Compares a position in an entry of another device.
    func compare(_ other: RemotePosition) async throws -> RemoteOrder.Finding {
        guard other.order == position.order else { return .isOfAnotherOrder }
        guard other.number <= position.number else { return .isAhead }
        guard let hash = try await hash(at: other.number) else { return .agrees }
        return hash == other.hash ? .agrees : .contradicts
    }

    /// Writes the hashes that are new.
    ///
    /// - Throws: `VaultError` with `locked`, `closed`, `diskFull` or `unavailable`.
    func keep() async throws {
        for block in changed.sorted() {
            try await vault.keepDeviceRecord(position.order + (blocks[block] ?? []), Self.name(block))
        }
        changed = []
    }

    /// The hashes of a record; none if it is absent or belongs to another order.
    private func read(_ block: UInt64) async throws -> [UInt8] {
        guard let record = try await vault.deviceRecord(Self.name(block)), record.starts(with: position.order) else {
            return []
        }
        return Array(record.dropFirst(position.order.count))
    }

    /// Removes the records of an order.
    static func remove(from vault: Vault) async throws {
        var block: UInt64 = 0
        while try await vault.deviceRecord(name(block)) != nil {
            try await vault.keepDeviceRecord(nil, name(block))
            block += 1
        }
    }

    private static func place(of number: UInt64) -> (block: UInt64, index: Int) {
        ((number - 1) / blockLength, Int((number - 1) % blockLength))
    }

    private static func name(_ block: UInt64) -> String { "sync-order-\(block)" }
}
