internal import WardLog
internal import WardWebAuthn

extension OpenVault {
    /// Whether the vault has a circle of devices.
    ///
    /// - Throws: ``VaultError`` with `notInCircle` if this device may not change it.
    func isInCircle() throws(VaultError) -> Bool {
        guard chain.circle != nil else { return false }
        try checkMayWrite()
        return true
    }

    /// Refuses to write if other devices would not take what this device writes.
    ///
    /// - Throws: ``VaultError`` with `notInCircle`.
    func checkMayWrite() throws(VaultError) {
        guard let circle = chain.circle else { return }
        guard awaited == nil else {
            throw VaultError(
                .vaultIncomplete,
                "This copy of the vault is older than what this device had before. To bring it up to date: ward sync now. If "
                    + "the newer entries are lost: ward sync repair"
            )
        }
        guard circle.mayWrite(device.device) else {
            throw VaultError(
                .notInCircle,
                "This device is not in the vault's circle of devices. Everything here can be read and exported, and nothing can "
                    + "be changed"
            )
        }
        guard keys.has(circle) else {
            throw VaultError(
                .notInCircle,
                "This device was not given the vault's newest key. On another device: ward devices rekey"
            )
        }
    }

    /// A draft of entries on the circle.
    func circleDraft() throws(VaultError) -> CircleDraft {
        CircleDraft(try graph(), vaultID, now: environment.effects.now())
    }

    /// Writes entries on the circle, and a header with them.
    ///
    /// - Parameters:
    ///   - draft: The entries.
    ///   - header: The header, if there is a new one.
    ///   - keys: The vault's keys, with the one that the new header names as the current one.
    ///   - newcomer: The new device that wrote the entries, if it was not this one. From then on this device is the new one. Until the
    ///     entries are written, the keys of the earlier device stay: something may be sealed to that one alone.
    /// - Throws: ``VaultError`` with `diskFull`, `unavailable` or `damaged`.
    func commit(
        _ draft: CircleDraft,
        header: [UInt8]?,
        keys: VaultKeys? = nil,
        as newcomer: DeviceFile? = nil
    ) throws(VaultError) {
        let before = try graph()
        if let keys { try prepareDevice(newcomer, with: keys) }
        try database.append(draft.rows, header: header)
        chain = draft.chain
        wholeLog = draft.graph
        if let keys { self.keys = keys }
        if let newcomer { try become(newcomer) } else { rememberHead() }
        if keys != nil { promoteDevice() }
        guard mayCountOtherwise(before, draft.graph) else { return }
        // The operation may have answered a question. If the items cannot be read now, the next unlocking shows what counts.
        _ = try? show(Set(draft.graph.allItemIDs), in: draft.graph)
    }

    /// Writes the entries that begin the circle.
    func begin(
        _ draft: CircleDraft,
        _ device: DeviceFile,
        circle: [UInt8],
        header: [UInt8],
        keys: VaultKeys
    ) throws(VaultError) {
        try device.write(location.device, vaultID, self.keys, environment)
        become(Identity(device: device, head: head))
        let before = head.circle
        try pin(circle)
        do throws(VaultError) {
            try commit(draft, header: header, keys: keys)
        } catch {
            try? pin(before)
            throw error
        }
    }

    // MARK: Owner keys

    /// The owner keys in force.
    ///
    /// - Parameters:
    ///   - state: The circle.
    ///   - opened: The owner keys that the header in force has.
    ///   - others: Opens those of another header. If devices changed the circle at the same time, each header has the keys of one side.
    /// - Returns: The keys, all of them.
    /// - Throws: ``VaultError`` with `conflict` if one cannot be opened.
    func ownerKeys(
        _ state: CircleState,
        opened: [OwnerKey],
        _ others: (VaultHeader) throws(VaultError) -> [OwnerKey]
    ) throws(VaultError) -> [OwnerKey] {
        let wanted = state.owners.compactMap(\.owner)
        var found = opened.filter { wanted.contains($0.publicKey) }
        func isMissing(_ owner: [UInt8]) -> Bool { !found.contains { $0.publicKey == owner } }
        guard wanted.contains(where: isMissing) else { return found }
        // Of an operation that does not stand, the header can be from a stolen device without the passphrase: each one would be tried.
        for position in (chain.circle?.headers ?? []).reversed() {
            guard let blob = try database.row(at: position)?.blob, let header = try? VaultHeader(encoded: blob),
                let owners = header.circle?.owners.map(\.publicKey),
                owners.contains(where: { wanted.contains($0) && isMissing($0) })
            else { continue }
            found += try others(header).filter { wanted.contains($0.publicKey) && isMissing($0.publicKey) }
            if !wanted.contains(where: isMissing) { return found }
        }
        throw VaultError(
            .conflict,
            "Two devices changed the passphrase at the same time. To set one for all devices: ward unlock --recovery-key. If that key "
                + "is refused, because one of them made a new one: ward devices rekey --recovery-key"
        )
    }

    /// The owner keys of a header that a passphrase opens with a Secret Key that this device has or was given; none if it does not open.
    func owners(
        of header: VaultHeader,
        _ passphrase: Passphrase,
        _ secretKey: SecretKey
    ) throws(VaultError) -> [OwnerKey] {
        guard (try? header.derivation.check()) != nil else { return [] }
        func fits(_ key: SecretKey) -> Bool { VaultHeader.check(of: key, vaultID) == header.secretKeyCheck }
        var candidates = [secretKey]
        if let own = self.secretKey(of: header) { candidates.append(own) }
        candidates += try secretKeys()
        guard let fitting = candidates.first(where: fits) else { return [] }
        let stretched = try environment.stretch(passphrase, header.derivation)
        guard let unlock = try? header.unlockKeys(stretched, fitting) else { return [] }
        return try header.owners(unlock)
    }

    /// The Secret Key that a header has for everybody with its vault key; `nil` if this device does not have that key.
    func secretKey(of header: VaultHeader) -> SecretKey? {
        guard let current = keys.locked(header.keyName) else { return nil }
        return try? header.circle?.openSecretKey(with: current, epoch: header.epoch, vault: vaultID)
    }

    /// The Secret Keys that operations sealed to this device, newest first.
    func secretKeys() throws(VaultError) -> [SecretKey] {
        var found: [SecretKey] = []
        for position in try graph().circlePositions.reversed() {
            guard let row = try database.row(at: position), let blob = row.blob,
                case .circle(let operation) = try SignedEntry(row).entry.operation,
                let secrets = CircleSecrets(operation.keys, header: blob, for: device, vaultID)
            else { continue }
            found.append(secrets.secretKey)
        }
        return found
    }

    // MARK: Recovery keys

    /// The recovery keys in force, with their first proofs, or else with those of a header.
    func circleRecovery(_ state: CircleState, _ header: VaultHeader) throws(VaultError) -> VaultHeader.CircleRecovery {
        let history = try CircleHistory(graph(), database)
        let keys = state.recovery.compactMap { $0.recovery.flatMap { history.recoveryKey($0) } }
        var recovery = VaultHeader.CircleRecovery(keys, from: header)
        for key in keys.map(\.publicKey) {
            if let first = history.proofs(ofRecoveryKey: key).first { recovery.proofs[key] = first }
        }
        return recovery
    }

    /// The members with the keys to which others seal.
    func circleDevices(_ members: Set<DeviceID>) throws(VaultError) -> [CircleDevice] {
        let history = try CircleHistory(graph(), database)
        return members.sorted().compactMap { history.device($0) }
    }
}
