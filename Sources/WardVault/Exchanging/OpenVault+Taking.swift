internal import Crypto
internal import WardLog
internal import WardWebAuthn

extension OpenVault {
    /// Takes entries that other devices wrote, in whatever order they come.
    ///
    /// Everything that is taken is written in one transaction. Every signature is checked, and every blob against the hash in its
    /// entry. An entry whose data is missing is taken only if somebody may have cleared the data.
    ///
    /// - Parameters:
    ///   - records: The entries. Those that the vault has are skipped, but for data that is lacking.
    ///   - current: The vault's header, for which this device has the Secret Key.
    ///   - install: Gets the vault's new header when it is in the file, also if something fails after that. A new Secret Key that it
    ///     needs is in the pending file.
    /// - Returns: What was taken.
    /// - Throws: ``VaultError`` with `diskFull`, `unavailable` or `damaged`, or with `unknownVersion` if a later version of Ward wrote an
    ///   entry with this device's key.
    func take(
        _ records: [LogRecord],
        current: (header: VaultHeader, encoded: [UInt8]),
        installing install: (VaultHeader, [UInt8]) -> Void
    ) throws(VaultError) -> ExchangeReport {
        var report = ExchangeReport()
        let before = try graph()
        try fill(from: records, before, &report)
        let offered = try sort(records, before, &report)
        guard before.circleState?.removed[device.device] == nil || isBack(offered, report, after: before) else {
            // What came after the removal is not for this device, which keeps what it had.
            let (filled, items) = (report.filled, report.items)
            report = ExchangeReport()
            (report.filled, report.items) = (filled, items)
            report.troubles = [.removedHere]
            return report
        }
        guard !report.troubles.contains(.hasOwnEntries) else { return report }
        var excluded: Set<[UInt8]> = []
        while true {
            let arrival = Arrival(offered.filter { !excluded.contains($0.entry.hash) }, after: before)
            guard !arrival.graph.isForked(device.device) else {
                report.troubles = [.hasOwnEntries]
                return report
            }
            // A later version of Ward wrote it with this device's key. If this one wrote on, that would not count.
            if let entry = arrival.graph.firstUnknownEntry(of: device.device) {
                throw VaultError(.unknownVersion, "Cannot read entry \(entry) of this device")
            }
            try waitForOwn(among: offered, arrival)
            let late = late(in: arrival, of: offered.filter { !excluded.contains($0.entry.hash) }, after: before)
            guard late.isEmpty else {
                excluded.formUnion(late)
                continue
            }
            let withheld = arrival.withheld(now: environment.effects.now())
            report.lacksHeader = report.lacksHeader || arrival.lacksHeader(among: withheld)
            let news = try circleNews(arrival.graph, arrival.records)
            let header = try newHeader(arrival, news, current)
            switch header {
            case .unchanged, .new: break
            case .trouble(let trouble, let entry):
                guard let entry else {
                    report.troubles.append(trouble)
                    return report
                }
                report.troubles.append(trouble)
                excluded.insert(entry)
            }
            report.troubles += withheld.map { .withheld(entry: $0) }
            excluded.formUnion(withheld)
            if !withheld.isEmpty || header.isTrouble { continue }
            report.missing = arrival.missing
            report.surplus = arrival.surplus
            report.hasStrangers = arrival.hasStrangers
            report.troubles += arrival.refused.sorted { $0.key.lexicographicallyPrecedes($1.key) }
                .map { .refused(entry: $0.key, reason: $0.value) }
            guard !arrival.records.isEmpty else { return report }
            try write(arrival, before, header, news, installing: install, &report)
            return report
        }
    }

    /// Whether entries show that the removal of this device does not count, because its author was removed beside it.
    ///
    /// A stolen device can tell a member of such a removal before anybody else does. The member would be out for good otherwise, and
    /// the others would take it for a member.
    private func isBack(_ offered: [LogRecord], _ report: ExchangeReport, after graph: LogGraph) -> Bool {
        guard !report.troubles.contains(.hasOwnEntries), !offered.isEmpty else { return false }
        return Arrival(offered, after: graph).graph.circleState?.removed[device.device] == nil
    }

    /// Waits for the last entry of this device that was offered and does not fit yet.
    ///
    /// This device was restored from a copy and goes on where it was. Until it has everything, it does not write. What it wrote can
    /// come in parts, each with later entries than the one before.
    private func waitForOwn(among offered: [LogRecord], _ arrival: Arrival) throws(VaultError) {
        let own = offered.filter {
            $0.entry.entry.device == device.device && !arrival.graph.contains($0.entry.hash)
        }
        guard let last = own.max(by: { $0.sequence < $1.sequence })?.entry.hash, last != awaited else { return }
        // What is awaited and was not offered may be later.
        guard let awaited, !arrival.graph.contains(awaited), !own.contains(where: { $0.entry.hash == awaited }) else {
            return try wait(for: last)
        }
    }

    /// The entries that came after a removal of this device, and are not for it.
    ///
    /// A removal may count only because of an operation that came after it, such as one with a recovery key. Then operations on the
    /// circle are taken with what they know. Otherwise this device would never learn that it is out, and nobody would see what it
    /// writes.
    private func late(in arrival: Arrival, of offered: [LogRecord], after graph: LogGraph) -> Set<[UInt8]> {
        let late = Set(arrival.recordsAfterRemoval(of: device.device))
        guard !late.isEmpty else { return [] }
        let rest = Arrival(offered.filter { !late.contains($0.entry.hash) }, after: graph)
        guard rest.graph.circleState?.removed[device.device] == nil else { return late }
        return late.subtracting(arrival.knownToCircle(among: late))
    }

    /// Leaves out what the vault has, and what came with other data than it names.
    private func sort(
        _ records: [LogRecord],
        _ graph: LogGraph,
        _ report: inout ExchangeReport
    ) throws(VaultError) -> [LogRecord] {
        var found: [LogRecord] = []
        var places: [[UInt8]: Int] = [:]
        for record in records {
            let hash = record.entry.hash
            guard !graph.contains(hash) else {
                report.known += 1
                continue
            }
            if record.entry.entry.device == device.device {
                // Anybody can write an entry in the name of this device; only this device can sign it.
                guard record.entry.isSigned(by: device.key.publicKey, vault: vaultID) else {
                    report.troubles.append(.refused(entry: hash, reason: "the signature of this device is wrong"))
                    continue
                }
                // Another entry has its number, so a copy of this device writes too.
                if let leaf = chain.leaf(of: device.device), record.sequence <= leaf.sequence {
                    report.troubles = [.hasOwnEntries]
                    return []
                }
            }
            guard record.isBlobRight else {
                report.troubles.append(.otherData(entry: hash))
                continue
            }
            if let place = places[hash] {
                // Another copy may have the data.
                if found[place].blob == nil { found[place].blob = record.blob }
            } else {
                places[hash] = found.count
                found.append(record)
            }
        }
        return found
    }

    // MARK: The header

    private enum HeaderChange {
        case unchanged
        /// A new header, and the Secret Key that it needs if this device does not have it yet.
        case new(VaultHeader, encoded: [UInt8], SecretKey?)
        /// The entry to leave out, or `nil` if nothing can be taken.
        case trouble(ExchangeReport.Trouble, entry: [UInt8]?)

        var isTrouble: Bool { if case .trouble = self { true } else { false } }
        var encoded: [UInt8]? { if case .new(_, let encoded, _) = self { encoded } else { nil } }
        var secretKey: SecretKey? { if case .new(_, _, let key) = self { key } else { nil } }
        var value: (header: VaultHeader, encoded: [UInt8])? {
            if case .new(let header, let encoded, _) = self { (header, encoded) } else { nil }
        }
    }

    /// The header that the log names after an arrival.
    private func newHeader(
        _ arrival: Arrival,
        _ news: CircleNews,
        _ current: (header: VaultHeader, encoded: [UInt8])
    ) throws(VaultError) -> HeaderChange {
        guard let named = arrival.graph.header?.hash, named != VaultHeader.hash(current.encoded) else {
            return .unchanged
        }
        // A device that is out, or that lacks the newest key, could not open the new header.
        if let circle = news.circle, !circle.mayWrite(device.device) || !news.keys.has(circle) { return .unchanged }
        let inForce = arrival.graph.circleState?.header?.entry
        let headers = arrival.records.filter { $0.blobHash == named && $0.isHeader }
        // Another operation can name the same header.
        let record = headers.first { $0.entry.hash == inForce } ?? headers.last
        let stored = record == nil ? try storedHeader(named, arrival.graph) : nil
        guard record != nil || stored != nil else { return .trouble(.headerIsMissing, entry: nil) }
        let entry = record?.entry.hash
        guard let encoded = record?.blob ?? stored else {
            return .trouble(.withheld(entry: entry ?? named), entry: entry)
        }
        // A passphrase would not open a header whose settings are too weak.
        guard let header = try? VaultHeader(encoded: encoded), header.vaultID == vaultID,
            header.belongs(to: arrival.graph.circleRoot), try agrees(header, arrival),
            (try? header.derivation.check()) != nil
        else { return .trouble(.damagedHeader(entry: entry ?? named), entry: entry) }
        // If devices changed the circle at the same time, the header in force can have another key than the one in force.
        guard news.keys.has(header.keyName) else {
            return .trouble(.lacksHeaderKey(entry: entry ?? named), entry: entry)
        }
        guard (try? header.check(news.keys, encoded: encoded)) != nil, header.opens(with: news.keys) else {
            return .trouble(.damagedHeader(entry: entry ?? named), entry: entry)
        }
        guard header.secretKeyCheck != current.header.secretKeyCheck else {
            return .new(header, encoded: encoded, nil)
        }
        guard let secretKey = try secretKey(for: header, news) else {
            return .trouble(.needsSecretKey(entry: entry ?? named), entry: entry)
        }
        return .new(header, encoded: encoded, secretKey)
    }

    // MARK: Writing

    private func write(
        _ arrival: Arrival,
        _ before: LogGraph,
        _ header: HeaderChange,
        _ news: CircleNews,
        installing install: (VaultHeader, [UInt8]) -> Void,
        _ report: inout ExchangeReport
    ) throws(VaultError) {
        let rows = arrival.rows(after: chain.position, keepingHeaders: news.circle != nil)
        // At every moment one of the two files fits the header in place.
        if let key = header.secretKey { try SecretKeyFile.write(key, to: location.pendingSecretKey, environment) }
        if case .new(let next, _, _) = header { try prepareDevice(with: news.keys.choosing(next.keyName)) }
        try database.append(rows, header: header.encoded)
        if let (header, encoded) = header.value { install(header, encoded) }
        report.hasNewCircle = news.circle.map { $0.members != chain.circle?.members } ?? false
        chain = LogChain(arrival.graph)
        wholeLog = arrival.graph
        noteLacking(arrival.records, arrival.graph)
        rememberHead()
        let names = keys.names
        keys = news.keys
        if header.value != nil { promoteDevice() }
        report.taken = rows.count
        report.restored = arrival.records.count { $0.entry.entry.device == device.device }
        if let awaited, arrival.graph.contains(awaited) { try wait(for: nil) }
        report.hasNewHeader = header.encoded != nil
        try show(arrival, before, rows, hasMoreKeys: keys.names != names, &report)
    }

    /// Updates the index to the new state of the log.
    private func show(
        _ arrival: Arrival,
        _ before: LogGraph,
        _ rows: [VaultDatabase.Row],
        hasMoreKeys: Bool,
        _ report: inout ExchangeReport
    ) throws(VaultError) {
        let graph = arrival.graph
        var touched: Set<LogItemID> = []
        for (record, row) in zip(arrival.records, rows) {
            switch record.entry.entry.operation {
            case .revision(let revision): touched.insert(revision.item)
            case .purge(let item, _):
                touched.insert(item)
                guard let id = ItemID(item.bytes) else { continue }
                let time = record.entry.entry.time.seconds
                removals.append(Removal(item: id, position: row.position, time: time))
            case .content(let content):
                guard let id = ItemID(content.item.bytes) else { continue }
                contents[content.blobHash] = ContentPlace(item: id, position: row.position)
            case .genesis, .enrol, .header, .circle, .ignorable, .unknown: break
            }
        }
        let changed = mayCountOtherwise(before, graph) ? Set(graph.allItemIDs) : touched
        report.items.formUnion(try show(changed, in: graph))
        if hasMoreKeys { report.items.formUnion(try showUnreadable()) }
    }
}

extension OpenVault {
    /// Takes keys of the vault that a recovery key opened, and shows what they open.
    ///
    /// They were compared with the log. What a passphrase opened was not, so it may have to give way.
    func learn(_ others: VaultKeys) throws(VaultError) {
        keys = try keys.preferring(others).completed(chain.circle, device, vaultID, database.record(at:))
        _ = try showUnreadable()
    }
}
