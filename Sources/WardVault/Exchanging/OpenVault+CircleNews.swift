internal import WardLog

/// The circle after an arrival of entries, and what they brought for this device.
struct CircleNews {
    /// The circle; `nil` if there is none.
    var circle: CircleSummary?
    /// The vault's keys with the new ones, with the one in force as the current one.
    var keys: VaultKeys
    /// The Secret Keys that came with the new keys, newest first.
    var secretKeys: [SecretKey] = []
}

extension OpenVault {
    /// Opens the keys that new entries brought for this device.
    ///
    /// A key that does not open, or that does not fit the header of its entry, counts as missing.
    func circleNews(_ graph: LogGraph, _ records: [LogRecord]) throws(VaultError) -> CircleNews {
        guard graph.circleRoot != nil else { return CircleNews(keys: keys) }
        var news = CircleNews(circle: LogChain(graph).circle, keys: keys)
        for record in records {
            guard let blob = record.blob, case .circle(let operation) = record.entry.entry.operation,
                graph.stands(record.entry.hash), let made = operation.keys,
                let secrets = CircleSecrets(made, header: blob, for: device, vaultID)
            else { continue }
            let name = VaultKeys.Name(epoch: made.epoch, owner: made.owner)
            // Two keys with one name come from somebody who broke the rules. The first one stays.
            guard !news.keys.has(name) else { continue }
            news.keys = try news.keys.adding(secrets.vaultKey, named: name)
            news.secretKeys.insert(secrets.secretKey, at: 0)
        }
        let arrived = Dictionary(
            records.compactMap { record in graph.position(of: record.entry.hash).map { ($0, record) } },
            uniquingKeysWith: { first, _ in first }
        )
        news.keys = try news.keys.completed(news.circle, device, vaultID) { (position) throws(VaultError) in
            if let record = arrived[position] { return record }
            return try database.record(at: position)
        }
        return news
    }

    /// A header that the vault keeps with an entry.
    func storedHeader(_ hash: [UInt8], _ graph: LogGraph) throws(VaultError) -> [UInt8]? {
        for position in graph.circlePositions where position <= chain.position {
            guard let blob = try database.row(at: position)?.blob else { continue }
            if VaultHeader.hash(blob) == hash { return blob }
        }
        return nil
    }

    /// Whether a header says of itself what the operation says that put it in force.
    func agrees(_ header: VaultHeader, _ arrival: Arrival) throws(VaultError) -> Bool {
        guard let entry = arrival.graph.circleState?.header?.entry else {
            return header.generation == arrival.graph.header?.generation
        }
        if let record = arrival.records.first(where: { $0.entry.hash == entry }) {
            return header.agrees(with: record.entry.entry.operation)
        }
        guard let position = arrival.graph.position(of: entry), let row = try database.row(at: position) else {
            return false
        }
        return header.agrees(with: try SignedEntry(row).entry.operation)
    }

    /// The Secret Key that a header needs: the header has it for everybody with its vault key.
    ///
    /// The header of the entry that brings a new one is not always the one in force.
    func secretKey(for header: VaultHeader, _ news: CircleNews) throws(VaultError) -> SecretKey? {
        func fits(_ key: SecretKey) -> Bool { VaultHeader.check(of: key, vaultID) == header.secretKeyCheck }
        if let key = news.secretKeys.first(where: fits) { return key }
        if let current = news.keys.locked(header.keyName),
            let key = try? header.circle?.openSecretKey(with: current, epoch: header.epoch, vault: vaultID), fits(key)
        {
            return key
        }
        return try secretKeys().first(where: fits)
    }
}
