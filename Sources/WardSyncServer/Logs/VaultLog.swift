import WardLog
import WardSyncRecords

/// The log of a vault in memory, and what the store says about it.
struct VaultLog: Sendable {
    private(set) var graph: LogGraph
    private(set) var pasts = PastSizes()
    /// An entry that was checked and comes into the graph when the store has it, and what it adds to ``pasts``.
    private var checked: (entry: LogGraph.CheckedEntry, words: Int)?
    private(set) var steps = CircleSteps()
    var vault: SyncVault
    /// The keys of the vault, as they are stored.
    var keys: [SyncKey]
    var shares: [DeviceID: SyncShare]

    /// Reads a vault's log from the store.
    ///
    /// The entries were checked when they arrived, so their signatures are not checked again.
    ///
    /// - Parameters:
    ///   - vault: The vault.
    ///   - root: The entry that begins the circle.
    ///   - store: The store.
    ///   - scheme: How signatures are checked, for later entries.
    /// - Throws: `SyncStoreError`, with `damaged` if the entries are no log.
    init(_ vault: SyncVault, circle root: [UInt8]?, _ store: any SyncStore, _ scheme: SignatureScheme) async throws {
        graph = LogGraph(vault.id, scheme, circle: root)
        self.vault = vault
        keys = []
        shares = [:]
        try await catchUp(vault, store)
    }

    /// A vault that the store does not have yet.
    init(new vault: SyncVault, circle root: [UInt8]?, _ scheme: SignatureScheme) {
        graph = LogGraph(vault.id, scheme, circle: root)
        self.vault = vault
        keys = []
        shares = [:]
    }

    /// How much memory the log takes, as a number of entries.
    var size: Int { graph.count + Int(pasts.total / SyncLimits.wordsOfEntry) }

    /// Checks an entry and adds it to the graph.
    mutating func take(
        _ signed: SignedEntry,
        at position: Int64? = nil,
        checksSignature: Bool = true,
        isNamed: Bool
    ) throws(LogError) -> LogGraph.Outcome {
        let (words, before, stepsBefore) = (graph.pastWords(of: signed.entry), graph.circleWords, graph.circleSteps)
        let outcome = try graph.take(signed, at: position, checksSignature: checksSignature, isNamed: isNamed)
        if outcome == .taken {
            pasts.add(words + graph.circleWords - before, of: signed.entry.device)
            steps.add(graph.circleSteps - stepsBefore, of: signed.entry.device)
        }
        return outcome
    }

    /// Checks an entry that comes into the graph in ``note(_:stored:)``, when the store has it.
    ///
    /// - Returns: Whether that is possible: otherwise the entry must be taken.
    mutating func check(_ signed: SignedEntry) throws(LogError) -> Bool {
        let before = graph.circleSteps
        guard let entry = try graph.check(signed) else { return false }
        steps.add(graph.circleSteps - before, of: signed.entry.device)
        checked = (entry, graph.pastWords(of: signed.entry))
        return true
    }

    /// Whether an entry was checked, and waits for the store.
    var hasChecked: Bool { checked != nil }

    /// Forgets the entry that was checked: the log is as it was before.
    mutating func forgetChecked() { checked = nil }

    /// Takes the entries that the store has and the graph has not.
    mutating func catchUp(_ vault: SyncVault, _ store: any SyncStore) async throws {
        let page = SyncPage(entries: 1_000, bytes: 4 * 1024 * 1024, hasBlobs: false)
        while Int64(graph.count) < vault.head {
            let entries = try await store.entries(of: vault.id, after: Int64(graph.count), page)
            guard !entries.isEmpty else { throw Self.damaged }
            for entry in entries where Int64(graph.count) < vault.head {
                guard entry.number == Int64(graph.count) + 1, let signed = try? SignedEntry(encoded: entry.encoded),
                    let outcome = try? take(signed, at: entry.number, checksSignature: false, isNamed: true),
                    outcome == .taken
                else { throw Self.damaged }
            }
        }
        self.vault = vault
        keys = Self.keys(graph)
        shares = Dictionary(try await store.shares(of: vault.id).map { ($0.device, $0) }) { $1 }
    }

    private static var damaged: SyncStoreError {
        SyncStoreError(.damaged, detail: "the entries of a vault are not a log")
    }

    /// The keys with which sessions are opened, and those of devices that wrote once and are out.
    static func keys(_ graph: LogGraph) -> [SyncKey] {
        let writers = graph.writers
        var keys = writers.map { SyncKey(subject: SyncSubject($0.key), publicKey: $0.value, isAllowed: true) }
        keys += graph.authors.filter { writers[$0.key] == nil }.map {
            SyncKey(subject: SyncSubject($0.key), publicKey: $0.value, isAllowed: false)
        }
        keys += graph.recoveryKeys.compactMap { key in
            SyncSubject(key).map { SyncKey(subject: $0, publicKey: key, isAllowed: true) }
        }
        return keys.sorted { $0.subject.bytes.lexicographicallyPrecedes($1.subject.bytes) }
    }

    /// Notes what was stored.
    mutating func note(_ batch: SyncBatch, stored vault: SyncVault) {
        if let (entry, words) = checked.take() {
            graph.add(entry)
            pasts.add(words, of: entry.device)
        }
        self.vault = vault
        if let keys = batch.keys { self.keys = keys }
        for record in batch.records {
            add(to: record.entry.entry.device, 1, record.size)
        }
    }

    /// Notes the length of blobs that were filled in.
    mutating func note(_ blobs: [(device: DeviceID, count: Int)]) {
        for blob in blobs { add(to: blob.device, 0, blob.count) }
    }

    private mutating func add(to device: DeviceID, _ entries: Int64, _ bytes: Int) {
        var share = shares[device] ?? SyncShare(device: device, entries: 0, bytes: 0)
        share.entries += entries
        share.bytes += Int64(bytes)
        shares[device] = share
    }
}
