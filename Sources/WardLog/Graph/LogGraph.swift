/// A whole log as a graph: which entries are the parents of an entry, who may write, and the newest revisions of each item.
///
/// The graph depends on the set of its entries alone, never on the order in which they arrived. Entries are kept by device,
/// sequence number and hash. If a device signed two different entries with the same sequence number, its entries before that
/// number stay valid and the others are ignored. The entries of other devices are not affected.
///
/// `Documentation/formats/vault.md`, "Log".
package struct LogGraph: Sendable {
    /// An entry in the graph.
    struct Node: Sendable {
        let hash: [UInt8]
        let device: DeviceID
        let time: HybridTime
        /// The entry itself and all entries that it builds on.
        let past: Past
        let position: Int64
        let content: Content
        /// The entries of the circle that the entry knows, with itself: an index of ``CircleLog/views``.
        let view: Int
        /// Which revisions counted for the author: an index of ``standings``; `nil` if all of them did.
        let standing: Int?

        var sequence: UInt64 { past.sequence }
    }

    /// The part of an entry that other entries depend on.
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
        /// The sequence number of the first entry that is only on this branch.
        let first: UInt64
        /// The last node.
        var leaf: Int
    }

    /// A device that was admitted.
    struct Member: Sendable {
        let publicKey: [UInt8]
        var branches: [Int] = []
        /// Entries with an unknown operation that must not be ignored.
        var unknown: [(branch: Int, sequence: UInt64)] = []

        var isSuspect: Bool { branches.count > 1 || !unknown.isEmpty }
    }

    /// The revisions and removals of an item.
    struct ItemLog: Sendable {
        /// Those of one branch, in order.
        struct Chain: Sendable {
            let branch: Int
            var nodes: [Int]
        }

        /// In order of arrival.
        private(set) var nodes: [Int] = []
        private(set) var chains: [Chain] = []
        private(set) var hasRemovals = false
        /// The newest of them: they count, and nothing that counts builds on them.
        var tops: [Int] = []

        mutating func append(_ node: Int, on branch: Int, isRemoval: Bool) {
            nodes.append(node)
            hasRemovals = hasRemovals || isRemoval
            if let chain = chains.lastIndex(where: { $0.branch == branch }) {
                chains[chain].nodes.append(node)
            } else {
                chains.append(Chain(branch: branch, nodes: [node]))
            }
        }
    }

    /// The content of the log's first entry.
    package struct Genesis: Hashable, Sendable {
        package let nonce: [UInt8]
        package let authority: [UInt8]
    }

    package let vault: VaultID
    package let scheme: SignatureScheme
    package internal(set) var genesis: Genesis?
    var nodes: [Node] = []
    var places: [[UInt8]: Int] = [:]
    var branches: [Branch] = []
    var members: [DeviceID: Member] = [:]
    /// Devices that may have void entries.
    var suspects: Set<DeviceID> = []
    var items: [LogItemID: ItemLog] = [:]
    var headers: [Int] = []
    /// The attached contents of each item.
    var attached: [LogItemID: [Int]] = [:]
    /// The circle of devices; `nil` if the reader knows of none.
    var circle: CircleLog?
    /// What the authors of revisions knew of the circle, each once.
    private(set) var standings: [Standing] = []
    private var knownStandings: [Standing: Int] = [:]

    /// Starts without an entry.
    ///
    /// - Parameters:
    ///   - vault: The vault.
    ///   - scheme: How signatures are checked.
    ///   - circle: The hash of the entry that begins the circle of devices, or `nil` if this device knows of none. A device has
    ///     it from where it joined, never from a server. Without it, the operations of a circle are like unknown operations.
    package init(_ vault: VaultID, _ scheme: SignatureScheme = .inForce, circle: [UInt8]? = nil) {
        self.vault = vault
        self.scheme = scheme
        self.circle = circle.map { CircleLog(root: $0) }
    }

    /// The number of entries.
    package var count: Int { nodes.count }

    /// Whether the graph has an entry.
    package func contains(_ hash: [UInt8]) -> Bool { places[hash] != nil }

    /// The position of an entry in the file; `nil` if the graph does not have it.
    package func position(of hash: [UInt8]) -> Int64? { places[hash].map { nodes[$0].position } }

    /// The index of what an author knew of the circle.
    mutating func index(of standing: Standing) -> Int {
        if let known = knownStandings[standing] { return known }
        standings.append(standing)
        knownStandings[standing] = standings.count - 1
        return standings.count - 1
    }

    /// What an entry knows that builds on all others.
    var everything: Knowledge {
        let past = Past(branch: -1, sequence: 0, others: branches.map { nodes[$0.leaf].sequence })
        return Knowledge(past: past, circle: circle?.state)
    }
}

/// Which devices' entries count, by the circle.
struct Standing: Hashable, Sendable {
    /// The devices whose entries all count.
    let writers: Set<DeviceID>
    /// The devices that are out, each with the removals that count.
    let removed: [DeviceID: Set<[UInt8]>]

    init(_ state: CircleState) { (writers, removed) = (state.writers, state.removed) }
}

/// What somebody knows: a set of entries with everything that they build on, and the circle of devices after it.
struct Knowledge {
    let past: Past
    /// The circle; `nil` if it has not begun in this past.
    let circle: CircleState?

    func contains(_ node: LogGraph.Node) -> Bool { past.contains(node) }
}
