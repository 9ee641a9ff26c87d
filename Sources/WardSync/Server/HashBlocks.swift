internal import WardVault

/// Hashes for the numbers of a server's order, in sealed records of the device: 1,000 in each, after the name of the order.
///
/// Only the records that are needed are read. A record of another order counts as absent: a vault that moves to another server, or a
/// program that ended between two records, leaves such records behind.
struct HashBlocks {
    private let vault: Vault
    /// What the names of the records begin with.
    private let prefix: String
    private let order: [UInt8]
    /// Hashes, one after the other; the first block begins with that of number 1.
    private var blocks: [UInt64: [UInt8]] = [:]
    private var changed: Set<UInt64> = []

    private static let blockLength: UInt64 = 1_000
    private static let hashLength = 32

    init(_ prefix: String, of order: [UInt8], in vault: Vault) {
        (self.prefix, self.order, self.vault) = (prefix, order, vault)
    }

    /// Adds the hash of a number: the one after the last.
    mutating func append(_ hash: [UInt8], number: UInt64) {
        let (block, _) = Self.place(of: number)
        blocks[block, default: []] += hash
        changed.insert(block)
    }

    /// The hash of a number; `nil` if there is none, or its record was lost.
    mutating func hash(at number: UInt64) async throws -> [UInt8]? {
        let (block, index) = Self.place(of: number)
        if blocks[block] == nil { blocks[block] = try await read(block) }
        let start = index * Self.hashLength
        guard let hashes = blocks[block], hashes.count >= start + Self.hashLength else { return nil }
        return Array(hashes[start..<(start + Self.hashLength)])
    }

    /// Forgets what comes after a number, whose record was read.
    ///
    /// An earlier program may have ended after it wrote the hashes and before it wrote how many there are.
    mutating func cut(after number: UInt64) {
        let (block, index) = Self.place(of: number)
        blocks[block] = blocks[block].map { Array($0.prefix((index + 1) * Self.hashLength)) }
    }

    /// Writes the hashes that are new.
    ///
    /// - Throws: `VaultError` with `locked`, `closed`, `diskFull` or `unavailable`.
    mutating func keep() async throws {
        for block in changed.sorted() { try await vault.keepDeviceRecord(order + (blocks[block] ?? []), name(block)) }
        changed = []
    }

    /// The hashes of a record; none if it is absent or belongs to another order.
    private func read(_ block: UInt64) async throws -> [UInt8] {
        guard let record = try await vault.deviceRecord(name(block)), record.starts(with: order) else { return [] }
        return Array(record.dropFirst(order.count))
    }

    private func name(_ block: UInt64) -> String { Self.name(prefix, block) }

    private static func name(_ prefix: String, _ block: UInt64) -> String { "\(prefix)-\(block)" }

    private static func place(of number: UInt64) -> (block: UInt64, index: Int) {
        ((number - 1) / blockLength, Int((number - 1) % blockLength))
    }

    /// Removes all records whose names begin so.
    static func remove(_ prefix: String, from vault: Vault) async throws {
        var block: UInt64 = 0
        while try await vault.deviceRecord(name(prefix, block)) != nil {
            try await vault.keepDeviceRecord(nil, name(prefix, block))
            block += 1
        }
    }
}
