internal import WardLog

// Keys that are only in the log.
extension VaultKeys {
    /// Whether the set has the vault key in force.
    func has(_ circle: CircleSummary) -> Bool { circle.key.map { has(Name($0)) } ?? true }

    /// Whether an operation made a key of an epoch that the set does not have.
    func lacks(epoch: UInt64, of circle: CircleSummary?) -> Bool {
        circle?.keys.contains { $0.epoch == epoch && !has(Name($0)) } ?? false
    }

    /// The set without the keys that a log contradicts.
    ///
    /// These are keys that do not fit the header of the operation that made them, and keys of the time before the circle that have the
    /// epoch of an operation.
    ///
    /// - Parameters:
    ///   - commitments: The check values of the keys that operations made.
    ///   - vault: The vault.
    /// - Returns: The set.
    /// - Throws: ``VaultError`` with `damaged` if the current key is one of them.
    func agreeing(with commitments: [Name: [UInt8]], of vault: VaultID) throws(VaultError) -> VaultKeys {
        let epochs = Set(commitments.keys.map(\.epoch))
        let wrong = names.filter { name in
            if name.owner == nil { return epochs.contains(name.epoch) }
            guard let commitment = commitments[name], let key = locked(name) else { return false }
            return !VaultKeys.fits(key, commitment, of: vault)
        }
        return wrong.isEmpty ? self : try removing(Set(wrong))
    }

    /// The set with every key that this device can find in the log, and with the key in force as the current one.
    ///
    /// A header has the keys that its device knew. If two devices made keys at the same time, one of them may be in the log alone:
    /// sealed to this device, or in the header of another entry, which everybody opens who has that header's vault key. A key
    /// counts only if it fits the header of the operation that made it, so nobody can put another one in its place.
    ///
    /// - Parameters:
    ///   - circle: The circle; with `nil` the set stays as it is.
    ///   - device: This device, if it is known.
    ///   - vault: The vault.
    ///   - record: The entry at a position of the file, with its blob.
    /// - Returns: The set.
    /// - Throws: ``VaultError`` with `damaged` or `unavailable`.
    func completed(
        _ circle: CircleSummary?,
        _ device: DeviceFile?,
        _ vault: VaultID,
        _ record: (Int64) throws(VaultError) -> LogRecord?
    ) throws(VaultError) -> VaultKeys {
        guard let circle else { return self }
        var search = KeySearch(keys: self, vault: vault)
        for key in circle.keys where !has(Name(key)) {
            guard let record = try record(key.position) else { continue }
            try search.add(Name(key), record, device)
        }
        if !search.wanted.isEmpty {
            for position in circle.headers {
                if let blob = try record(position)?.blob { search.add(header: blob) }
            }
            try search.run()
        }
        guard let current = circle.key, search.keys.has(Name(current)) else { return search.keys }
        return try search.keys.choosing(Name(current))
    }
}

/// A search for keys in the headers of a log.
private struct KeySearch {
    private(set) var keys: VaultKeys
    let vault: VaultID
    /// The keys that are missing, with the commitment in the header of the operation that made each.
    private(set) var wanted: [VaultKeys.Name: [UInt8]] = [:]
    private var headers: [VaultHeader] = []

    init(keys: VaultKeys, vault: VaultID) {
        self.keys = keys
        self.vault = vault
    }

    /// Takes the key that an operation sealed to this device, or looks for it elsewhere.
    mutating func add(
        _ name: VaultKeys.Name,
        _ record: LogRecord,
        _ device: DeviceFile?
    ) throws(VaultError) {
        guard let blob = record.blob, case .circle(let operation) = record.entry.entry.operation,
            let made = operation.keys
        else { return }
        if let device, let secrets = CircleSecrets(made, header: blob, for: device, vault) {
            keys = try keys.adding(secrets.vaultKey, named: name)
        } else if let header = try? VaultHeader(encoded: blob), header.keyName == name {
            wanted[name] = header.keyCommitment
        }
    }

    mutating func add(header blob: [UInt8]) {
        if let header = try? VaultHeader(encoded: blob), header.circle != nil { headers.append(header) }
    }

    /// Opens header after header: the keys in one can open the next.
    mutating func run() throws(VaultError) {
        while !wanted.isEmpty, let next = headers.lastIndex(where: { keys.has($0.keyName) }) {
            let header = headers.remove(at: next)
            guard let current = keys.locked(header.keyName),
                let others = try? header.circle?.open(with: current, epoch: header.epoch, vault: vault)
            else { continue }
            for name in others.names {
                guard let commitment = wanted[name], let key = others.locked(name),
                    VaultKeys.fits(key, commitment, of: vault)
                else {
                    continue
                }
                keys = try keys.adding(key, named: name)
                wanted[name] = nil
            }
        }
    }
}

extension VaultKeys.Name {
    /// The name of a key that an operation made.
    init(_ key: CircleSummary.Key) { self.init(epoch: key.epoch, owner: key.owner) }

    /// The name of the key that an operation brings.
    init(_ made: CircleKeysRecord) { self.init(epoch: made.epoch, owner: made.owner) }
}

extension CircleSecrets {
    /// What an operation sealed to a device, if it fits the header that the operation brought.
    init?(_ record: CircleKeysRecord?, header encoded: [UInt8], for device: DeviceFile, _ vault: VaultID) {
        guard let record, let pair = device.circleKeys?.pair, let header = try? VaultHeader(encoded: encoded),
            let opened = try? CircleSecrets.open(
                record.sealed,
                for: device.device.bytes,
                with: pair,
                vault: vault,
                epoch: record.epoch
            ), (try? opened.check(commitment: header.keyCommitment, of: vault)) != nil,
            header.epoch == record.epoch, header.circle?.keyOwner == record.owner
        else { return nil }
        self = opened
    }
}
