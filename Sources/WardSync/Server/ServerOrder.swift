internal import WardLog
internal import WardVault

/// The order of entries that a server showed to this device.
///
/// The hash after each number is kept, so a position in somebody's entry can be compared however old it is. Until everything on the
/// server was compared with the vault, the entries are kept too: a reading that was interrupted goes on where it was.
final class ServerOrder {
    private static let (positions, entries) = ("sync-order", "sync-shown")

    private let vault: Vault
    private(set) var position: RemotePosition
    private var positions: HashBlocks
    /// The entries, until ``forgetEntries()``.
    private var entries: HashBlocks?

    /// Begins before the first entry.
    init(beginning order: [UInt8], in vault: Vault) {
        self.vault = vault
        position = RemotePosition(beginning: order)
        positions = HashBlocks(Self.positions, of: order, in: vault)
        entries = HashBlocks(Self.entries, of: order, in: vault)
    }

    /// Goes on at a position that was kept.
    ///
    /// - Returns: `nil` if the record of the last hashes does not belong to it.
    /// - Throws: `VaultError` with `locked` or `closed`.
    init?(at position: RemotePosition, in vault: Vault) async throws {
        self.vault = vault
        self.position = position
        positions = HashBlocks(Self.positions, of: position.order, in: vault)
        guard try await hash(at: position.number) == position.hash else { return nil }
        if position.number > 0 { positions.cut(after: position.number) }
    }

    /// Adds the next entry that the server showed.
    func append(_ entry: [UInt8]) {
        position = position.next(entry)
        positions.append(position.hash, number: position.number)
        entries?.append(entry, number: position.number)
    }

    /// The hash after a number of entries; `nil` if this device has not read as far, or has lost the record.
    func hash(at number: UInt64) async throws -> [UInt8]? {
        guard number <= position.number else { return nil }
        guard number > 0 else { return RemotePosition(beginning: position.order).hash }
        return try await positions.hash(at: number)
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
        try await positions.keep()
        try await entries?.keep()
    }

    // MARK: Entries

    /// Goes on with the entries that were kept.
    ///
    /// - Returns: All of them; `nil` if they do not lead to the position.
    /// - Throws: As ``init(at:in:)``.
    func readEntries() async throws -> Set<[UInt8]>? {
        var kept = HashBlocks(Self.entries, of: position.order, in: vault)
        var reached = RemotePosition(beginning: position.order)
        var found: Set<[UInt8]> = []
        while reached.number < position.number {
            guard let entry = try await kept.hash(at: reached.number + 1) else { return nil }
            reached = reached.next(entry)
            found.insert(entry)
        }
        guard reached == position else { return nil }
        if position.number > 0 { kept.cut(after: position.number) }
        entries = kept
        return found
    }

    /// Keeps entries no longer, because everything was compared.
    func forgetEntries() async throws {
        guard entries != nil else { return }
        entries = nil
        try await HashBlocks.remove(Self.entries, from: vault)
    }

    /// Removes the records of an order.
    static func remove(from vault: Vault) async throws {
        for prefix in [positions, entries] { try await HashBlocks.remove(prefix, from: vault) }
    }
}
