package import WardLog

/// Data that must be kept and is not here.
///
/// A removal for good allows clearing an item's data. It may turn out later that the removal does not count, because its device was
/// removed beside it. Then the data is needed again, and another device may have it.
struct LackingData {
    /// By what the entries count. The rest follows from it and from the file.
    let rules: CountingRules
    /// The hashes of the revisions and contents whose data is needed.
    var entries: Set<[UInt8]>
}

extension OpenVault {
    /// The entries whose data must be kept and is not in the file.
    ///
    /// The file is read only if other entries count than before.
    func lackingEntries(_ graph: LogGraph) throws(VaultError) -> Set<[UInt8]> {
        let rules = CountingRules(graph, devices: chain.devices.keys)
        if let lacking, lacking.rules == rules { return lacking.entries }
        var found: Set<[UInt8]> = []
        // As long as everything counts, what was cleared need not be kept.
        if !rules.countAll {
            var records: [LogRecord] = []
            try database.forEachRowWithoutBlob { row in
                let signed = try SignedEntry(row)
                switch signed.entry.operation {
                case .revision, .content: records.append(LogRecord(entry: signed))
                case .genesis, .enrol, .header, .purge, .circle, .ignorable, .unknown: break
                }
            }
            found = Set(graph.entriesThatNeedBlob(records).map(\.entry.hash))
        }
        lacking = LackingData(rules: rules, entries: found)
        return found
    }

    /// Takes data that is needed again, if it comes with entries that the vault has.
    ///
    /// It is on the disk when the call returns.
    func fill(from records: [LogRecord], _ graph: LogGraph, _ report: inout ExchangeReport) throws(VaultError) {
        let needed = try lackingEntries(graph)
        guard !needed.isEmpty else { return }
        var blobs: [Int64: [UInt8]] = [:]
        var (filled, items): (Set<[UInt8]>, Set<LogItemID>) = ([], [])
        for record in records where needed.contains(record.entry.hash) && !filled.contains(record.entry.hash) {
            guard let blob = record.blob, record.isBlobRight, let position = graph.position(of: record.entry.hash)
            else { continue }
            blobs[position] = blob
            filled.insert(record.entry.hash)
            switch record.entry.entry.operation {
            case .revision(let revision): items.insert(revision.item)
            case .content(let content): items.insert(content.item)
            case .genesis, .enrol, .header, .purge, .circle, .ignorable, .unknown: break
            }
        }
        guard !blobs.isEmpty else { return }
        try database.fill(blobs)
        lacking?.entries.subtract(filled)
        report.filled = filled.count
        var shown: [Heads] = []
        for item in items {
            guard let id = ItemID(item.bytes) else { continue }
            shown.append((id, graph.heads(of: item).map { RevisionPlace($0) }))
        }
        try show(shown)
        report.items.formUnion(shown.map(\.id))
    }
}

extension Vault {
    /// Those of some entries that the vault has, but without the data that it needs.
    ///
    /// - Throws: ``VaultError`` with `locked`, `unavailable` or `damaged`.
    package func lacking(among hashes: Set<[UInt8]>) throws(VaultError) -> Set<[UInt8]> {
        let open = try open()
        // A vault that only one device writes never needs the whole log in memory.
        guard open.chain.devices.count > 1 else { return [] }
        return try open.lackingEntries(open.graph()).intersection(hashes)
    }

    /// What may have been cleared although it is needed, here or elsewhere; `nil` if nothing.
    ///
    /// Where it is another value than before, a folder or a server is read again: it may have data that is lacking here, and lack data
    /// that is here.
    ///
    /// - Throws: ``VaultError`` with `locked`, `unavailable` or `damaged`.
    package func dataInQuestion() throws(VaultError) -> DataInQuestion? {
        let open = try open()
        guard open.chain.devices.count > 1 else { return nil }
        let graph = try open.graph()
        let question = DataInQuestion(
            lacking: try open.lackingEntries(graph),
            devices: graph.devicesWithVoidRemovals
        )
        return question.lacking.isEmpty && question.devices.isEmpty ? nil : question
    }

    /// Those of some entries that are elsewhere without data which must be kept, and of which the vault has the data.
    ///
    /// - Throws: ``VaultError`` with `locked`, `unavailable` or `damaged`.
    package func canFill(_ records: [LogRecord]) throws(VaultError) -> Set<[UInt8]> {
        guard !records.isEmpty else { return [] }
        let open = try open()
        let graph = try open.graph()
        let known = records.filter { graph.contains($0.entry.hash) }
        var found: Set<[UInt8]> = []
        for record in graph.entriesThatNeedBlob(known) {
            guard let position = graph.position(of: record.entry.hash) else { continue }
            if try open.database.hasBlob(at: position) { found.insert(record.entry.hash) }
        }
        return found
    }
}
