/// A whole log as a graph: which entries are the parents of an entry, who may write, and the newest revisions of each item.
///
/// The graph depends on the set of its entries alone, never on the order in which they arrived. Entries are kept by device,
/// sequence number and hash. If a device signed two different entries with the same sequence number, its entries before that
/// number stay valid and the others are ignored. The entries of other devices are not affected.
///
/// `Documentation/formats/vault.md`, "Log".
package struct LogGraph: Sendable {
    /// One entry in its place.
    struct Node: Sendable {
        let hash: [UInt8]
        let device: DeviceID
        let time: HybridTime
        /// The entry itself and all that it builds on.
        let past: Past
        let position: Int64
        let content: Content

        var sequence: UInt64 { past.sequence }
    }

    /// What a node says, as far as other nodes depend on it.
    enum Content: Sendable {
        case revision(RevisionEntry, parents: [Int])
        case purge(LogItemID)
        case header(generation: UInt64, hash: [UInt8])
        case content(ContentEntry)
        case other
    }

    /// A chain without forks.
    struct Branch: Sendable {
        let device: DeviceID
        /// The sequence of the first entry that is on this branch and on no other.
        let first: UInt64
        /// The last node.
        var leaf: Int
    }

    /// A device that was admitted.
    struct Member: Sendable {
        let publicKey: [UInt8]
        var branches: [Int] = []
        /// Entries that only a later version understands and that nothing announced.
        var unknown: [(branch: Int, sequence: UInt64)] = []

        var isSuspect: Bool { branches.count > 1 || !unknown.isEmpty }
    }

    /// The revisions and removals of an item.
    struct ItemLog: Sendable {
        var nodes: [Int] = []
        /// Those that count and that nothing else that counts builds on.
        var tops: [Int] = []
    }

    /// What the first entry laid down.
    package struct Genesis: Hashable, Sendable {
        package let nonce: [UInt8]
        package let authority: [UInt8]
    }

    package let vault: VaultID
    let scheme: SignatureScheme
    package internal(set) var genesis: Genesis?
    var nodes: [Node] = []
    var places: [[UInt8]: Int] = [:]
    var branches: [Branch] = []
    var members: [DeviceID: Member] = [:]
    /// Members that may not count to their end.
    var suspects: Set<DeviceID> = []
    var items: [LogItemID: ItemLog] = [:]
    var headers: [Int] = []
    /// The attached contents of each item.
    var attached: [LogItemID: [Int]] = [:]

    /// Starts without an entry.
    package init(_ vault: VaultID, _ scheme: SignatureScheme = .ed25519) {
        self.vault = vault
        self.scheme = scheme
    }

    /// How many entries there are.
    package var count: Int { nodes.count }

    /// Whether an entry is there.
    package func contains(_ hash: [UInt8]) -> Bool { places[hash] != nil }

    /// Where an entry lies in the file; `nil` when it is not there.
    package func position(of hash: [UInt8]) -> Int64? { places[hash].map { nodes[$0].position } }

    /// The past of an entry that would build on everything.
    var everything: Past {
        Past(branch: -1, sequence: 0, others: branches.map { nodes[$0.leaf].sequence })
    }

    /// Whether the log's first entry was made by somebody with the vault's keys.
    ///
    /// - Parameter authority: The public key that the vault's keys make for the log's nonce.
    /// - Returns: Whether the first entry names that key.
    /// - Throws: What `authority` throws.
    package func isBegun(by authority: (_ nonce: [UInt8]) throws -> [UInt8]) rethrows -> Bool {
        guard let genesis else { return false }
        return try authority(genesis.nonce) == genesis.authority
    }
}
