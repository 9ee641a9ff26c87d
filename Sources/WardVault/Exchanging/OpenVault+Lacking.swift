package import WardLog

extension OpenVault {
    /// The entries whose data is needed and is not in the file.
    ///
    /// The file is read once.
    func lackingEntries(_ graph: LogGraph) throws(VaultError) -> Set<[UInt8]> {
        let rules = CountingRules(graph, devices: chain.devices.keys)
        if let lacking, lacking.rules == rules { return lacking.entries }
        let bare: [LogItemID: Set<[UInt8]>]
        if let lacking { bare = lacking.bare } else { bare = try bareEntries() }
        let entries = bare.reduce(into: Set<[UInt8]>()) { found, one in
            found.formUnion(graph.entriesInUse(one.value, of: one.key))
        }
        lacking = LackingData(rules: rules, bare: bare, entries: entries)
        return entries
    }

    /// The revisions and contents that are in the file without their data, by their items.
    private func bareEntries() throws(VaultError) -> [LogItemID: Set<[UInt8]>] {
        var found: [LogItemID: Set<[UInt8]>] = [:]
        try database.forEachRowWithoutBlob { row in
            let signed = try SignedEntry(row)
            if let item = signed.itemWithData { found[item, default: []].insert(signed.hash) }
        }
        return found
    }

    /// Notes entries that were taken: they may lack data, and what lacks data may be needed because of them.
    func noteLacking(_ records: [LogRecord], _ graph: LogGraph) {
        guard var known = lacking else { return }
        lacking = nil
        var items: Set<LogItemID> = []
        for record in records {
            if case .purge(let item, _) = record.entry.entry.operation { items.insert(item) }
            guard let item = record.entry.itemWithData else { continue }
            items.insert(item)
            if record.blob == nil { known.bare[item, default: []].insert(record.entry.hash) }
        }
        for item in items {
            guard let bare = known.bare[item] else { continue }
            known.entries.subtract(bare)
            known.entries.formUnion(graph.entriesInUse(bare, of: item))
        }
        lacking = known
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
            if let item = record.entry.itemWithData { items.insert(item) }
        }
        guard !blobs.isEmpty else { return }
        try database.fill(blobs)
        lacking?.entries.subtract(filled)
        for item in items { lacking?.bare[item]?.subtract(filled) }
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
        var question: DataInQuestion
        if let known = open.question, known.count == graph.count {
            question = known.question
        } else {
            // Only new entries change this part.
            question = DataInQuestion(
                devices: graph.devicesWithVoidRemovals,
                contents: graph.contentsBesideRemovals
            )
            open.question = (graph.count, question)
        }
        question.lacking = try open.lackingEntries(graph)
        let isAnswered = question.lacking.isEmpty && question.devices.isEmpty && question.contents.isEmpty
        return isAnswered ? nil : question
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

extension SignedEntry {
    /// The item of a revision or of an attached content.
    fileprivate var itemWithData: LogItemID? {
        switch entry.operation {
        case .revision(let revision): revision.item
        case .content(let content): content.item
        case .genesis, .enrol, .header, .purge, .circle, .ignorable, .unknown: nil
        }
    }
}
