package import WardLog
internal import WardWebAuthn

/// The circle of devices that write one vault.
///
/// `Documentation/formats/sync.md`.
extension Vault {
    /// The circle of devices; `nil` if the vault has none.
    ///
    /// - Throws: ``VaultError`` with `locked`, `unavailable` or `damaged`.
    package func circle() throws(VaultError) -> CircleOverview? { try open().circleOverview() }

    /// The names of all devices that ever were in the circle, as far as they can be read; none if the vault has no circle.
    ///
    /// Each device chose its name itself. The whole log is read.
    ///
    /// - Throws: ``VaultError`` with `locked`, `unavailable` or `damaged`.
    package func deviceNames() throws(VaultError) -> [DeviceID: String] { try open().readableDeviceNames() }

    /// Begins a circle with this device.
    ///
    /// It makes a new vault key and an owner key. Three entries are written in one transaction: the beginning, a header with the
    /// proof for the recovery key, and the name of this device.
    ///
    /// - Parameters:
    ///   - passphrase: The vault's passphrase, also while the vault is unlocked.
    ///   - recoveryKey: The vault's recovery key, or `nil` for a new one, which replaces it.
    ///   - deviceName: What other devices call this one, at most 200 bytes of UTF-8.
    /// - Returns: The new recovery key, to be shown once; `nil` if one was given.
    /// - Throws: ``VaultError`` with `wrongPassphrase`, `wrongRecoveryKey`, `conflict` if there is a circle, `locked`, `diskFull` or
    ///   `unavailable`; nothing was changed then.
    package func beginCircle(
        _ passphrase: Passphrase,
        recoveryKey: RecoveryKey?,
        deviceName: String
    ) async throws(VaultError) -> RecoveryKey? {
        let (open, _, secretKey) = try await confirmed(passphrase)
        guard open.chain.circle == nil else {
            throw VaultError(.conflict, "This vault has a circle of devices already. To see it: ward devices")
        }
        if let recoveryKey, try !header.isSealed(to: recoveryKey) {
            throw VaultError(.wrongRecoveryKey, "This recovery key belongs to another vault, or was replaced")
        }
        let key: RecoveryKey
        if let recoveryKey { key = recoveryKey } else { key = try RecoveryKey(effects: environment.effects) }
        var device = open.device
        if device.circleKeys == nil { device.circleKeys = try DeviceKeys(environment) }
        let member = try device.circleDevice()
        let logged = try key.logged(version: 1)
        let change = try CircleKeyChange(
            CircleKeyChange.Basis(
                vault: id,
                keys: open.keys,
                header: header,
                epoch: open.keys.epoch,
                generation: max(header.generation, open.chain.headerGeneration)
            ),
            for: [member],
            VaultHeader.CircleRecovery([logged], proofs: [:]),
            passphrase,
            secretKey,
            environment
        )
        let first = try open.circleDraft().signed(
            .circle(.begin(members: [member], recovery: [logged], change.record)),
            by: device,
            owners: [change.owner]
        )
        var draft = CircleDraft(try open.graph(circle: first.hash), id, now: environment.effects.now())
        try draft.add(first, header: change.encodedHeader)
        // The proof contains the hash of the entry before, so it can only be in a header after it.
        var proven = change.header
        proven.generation = try VaultHeader.generation(after: proven.generation)
        proven.circle?.root = first.hash
        proven.circle?.recovery[0].proof = key.circleProof(vault: id, circle: first.hash)
        let encoded = try proven.encoded(change.keys)
        try draft.add(
            .header(generation: proven.generation, hash: VaultHeader.hash(encoded)),
            header: encoded,
            by: device,
            owners: [change.owner]
        )
        let name = try DeviceName.seal(deviceName, of: device.device, id, change.keys, environment)
        try draft.add(DeviceName.entry(name), by: device)
        try open.begin(draft, device, circle: first.hash, header: encoded, keys: change.keys)
        install(proven, encoded)
        return recoveryKey == nil ? key : nil
    }

    /// Makes a new vault key and a new owner key for all members.
    ///
    /// - Parameters:
    ///   - passphrase: The vault's passphrase, also while the vault is unlocked.
    ///   - recoveryKey: Opens what the passphrase does not open. If one device replaced the recovery key while another one changed the
    ///     passphrase and the circle, nothing less has both sides' owner keys.
    /// - Throws: ``VaultError`` with `wrongPassphrase`, `noCircle`, `notInCircle`, `conflict`, `locked`, `diskFull` or `unavailable`;
    ///   nothing was changed then.
    package func rekeyCircle(
        _ passphrase: Passphrase,
        recoveryKey: RecoveryKey? = nil
    ) async throws(VaultError) {
        let act = try await ownerAct(passphrase, recoveryKey)
        try changeKeys(act, members: act.state.members, passphrase, act.secretKey) { .rekey($0) }
    }

    /// Removes devices from the circle.
    ///
    /// All others get a new vault key and, unless it is kept, a new Secret Key. What was written before stays readable for the removed
    /// devices.
    ///
    /// - Parameters:
    ///   - devices: Members; not all of them.
    ///   - passphrase: The vault's passphrase, also while the vault is unlocked.
    ///   - recoveryKey: Signs the removal too. In a circle of two it decides if both devices remove each other.
    ///   - keepsSecretKey: Whether the Secret Key stays: nobody else has the removed devices.
    /// - Throws: ``VaultError`` with `wrongPassphrase`, `wrongRecoveryKey`, `noCircle`, `notInCircle`, `conflict`, `locked`,
    ///   `diskFull` or `unavailable`; nothing was changed then.
    package func removeDevices(
        _ devices: Set<DeviceID>,
        _ passphrase: Passphrase,
        recoveryKey: RecoveryKey?,
        keepsSecretKey: Bool
    ) async throws(VaultError) {
        let act = try await ownerAct(passphrase)
        guard !devices.isEmpty, devices.isSubset(of: act.state.members) else {
            throw VaultError(
                .conflict,
                "Only members of the circle of devices can be removed. To see them: ward devices"
            )
        }
        guard !devices.contains(act.open.device.device) else {
            throw VaultError(.conflict, "This device cannot remove itself. Remove it on another device")
        }
        if let recoveryKey, try !isInForce(recoveryKey, act.open) {
            throw VaultError(.wrongRecoveryKey, "This recovery key belongs to another vault, or was replaced")
        }
        let secretKey = keepsSecretKey ? act.secretKey : try SecretKey(effects: environment.effects)
        try changeKeys(
            act,
            members: act.state.members.subtracting(devices),
            passphrase,
            secretKey,
            signedBy: recoveryKey
        ) { .remove(devices.sorted(), $0) }
    }

    /// Gives this device another name.
    ///
    /// - Throws: ``VaultError`` with `noCircle`, `notInCircle`, `locked`, `diskFull` or `unavailable`.
    package func renameDevice(_ name: String) throws(VaultError) {
        let open = try open()
        guard try open.isInCircle() else { throw VaultError.withoutCircle }
        let sealed = try DeviceName.seal(name, of: open.device.device, id, open.keys, environment)
        try open.record(DeviceName.entry(sealed))
    }
}

// MARK: - What the owner does

extension Vault {
    /// What an operation needs that the owner signs.
    struct OwnerAct {
        let open: OpenVault
        let unlock: VaultHeader.UnlockKeys
        let owners: [OwnerKey]
        let secretKey: SecretKey
        let draft: CircleDraft
        let state: CircleState
    }

    /// Refuses an operation that brings no key while a removed device may have the newest one.
    ///
    /// What this device keeps to itself until then would go out with the operation, sealed with that key.
    func requireClean(_ state: CircleState) throws(VaultError) {
        guard state.isClean else {
            throw VaultError(
                .conflict,
                "A removed device may have the vault's key. First make a new one: ward devices rekey"
            )
        }
    }

    /// Checks the passphrase and opens the owner keys with it, and with a recovery key what it does not open.
    func ownerAct(_ passphrase: Passphrase, _ recoveryKey: RecoveryKey? = nil) async throws(VaultError) -> OwnerAct {
        let (open, unlock, secretKey) = try await confirmed(passphrase)
        guard try open.isInCircle() else { throw VaultError.withoutCircle }
        let draft = try open.circleDraft()
        let state = try draft.state()
        guard !state.isFrozen || !state.disputed.contains(open.device.device) else {
            throw VaultError(
                .conflict,
                "Two devices removed each other, and this one takes part in that question, so it cannot decide. With the recovery "
                    + "key it can: ward unlock --recovery-key. Then remove the wrong device: ward devices remove"
            )
        }
        let owners = try open.ownerKeys(state, opened: header.owners(unlock)) { (other) throws(VaultError) in
            let owners = try open.owners(of: other, passphrase, secretKey)
            guard owners.isEmpty, let recoveryKey, try other.isSealed(to: recoveryKey) else { return owners }
            return try other.owners(recoveryKey)
        }
        return OwnerAct(open: open, unlock: unlock, owners: owners, secretKey: secretKey, draft: draft, state: state)
    }

    /// The open vault after the passphrase was checked.
    private func confirmed(
        _ passphrase: Passphrase
    ) async throws(VaultError) -> (open: OpenVault, unlock: VaultHeader.UnlockKeys, secretKey: SecretKey) {
        let count = try lockingCount()
        _ = try open()
        let read = encodedHeader
        guard let unlock = try await opening(with: passphrase).unlock else {
            throw VaultError(.passphraseNeeded, "The passphrase is needed")
        }
        let open = try open()
        guard try lockingCount() == count else { throw VaultError(.locked, "The vault was locked meanwhile") }
        guard read == encodedHeader else { throw VaultError.headerChanged }
        guard let secretKey = try findSecretKey() else {
            throw VaultError(.secretKeyMissing, "This device does not have the vault's Secret Key")
        }
        return (open, unlock, secretKey)
    }

    /// Writes an operation that brings a new vault key.
    private func changeKeys(
        _ act: OwnerAct,
        members: Set<DeviceID>,
        _ passphrase: Passphrase,
        _ secretKey: SecretKey,
        recovery: VaultHeader.CircleRecovery? = nil,
        signedBy recoveryKey: RecoveryKey? = nil,
        _ record: (CircleKeysRecord) -> CircleRecord
    ) throws(VaultError) {
        let isNew = !secretKey.bytes.isEqual(to: act.secretKey.bytes)
        if isNew { try keepPending(secretKey) }
        try changeKeys(
            act.draft,
            act.open,
            act.owners,
            for: act.open.circleDevices(members),
            passphrase,
            secretKey,
            recovery: recovery,
            signedBy: recoveryKey,
            record
        )
        // The change is written. If this fails, the pending file is read too.
        if isNew { try? promoteSecretKey() }
    }

    /// Writes an operation that brings a new vault key.
    ///
    /// - Parameters:
    ///   - draft: What is written before.
    ///   - open: The open vault.
    ///   - owners: The owner keys in force.
    ///   - devices: The members that get the key.
    ///   - passphrase: What opens the new header.
    ///   - secretKey: The Secret Key that opens it with the passphrase; it is in a file already.
    ///   - recovery: The new recovery keys, if they change.
    ///   - recoveryKey: Signs the operation too.
    ///   - newcomer: The new device that writes, if it is not this one.
    ///   - record: The operation.
    /// - Throws: ``VaultError`` with `conflict`, `diskFull`, `unavailable` or `damaged`.
    func changeKeys(
        _ draft: CircleDraft,
        _ open: OpenVault,
        _ owners: [OwnerKey],
        for devices: [CircleDevice],
        _ passphrase: Passphrase,
        _ secretKey: SecretKey,
        recovery: VaultHeader.CircleRecovery? = nil,
        signedBy recoveryKey: RecoveryKey? = nil,
        as newcomer: DeviceFile? = nil,
        _ record: (CircleKeysRecord) -> CircleRecord
    ) throws(VaultError) {
        var draft = draft
        let change = try addKeys(
            to: &draft,
            open,
            owners,
            for: devices,
            passphrase,
            secretKey,
            recovery: recovery,
            signedBy: recoveryKey,
            as: newcomer,
            record
        )
        try commit(change, draft, open, as: newcomer)
    }

    /// Writes a draft whose last operation brings a vault key.
    func commit(
        _ change: CircleKeyChange,
        _ draft: CircleDraft,
        _ open: OpenVault,
        as newcomer: DeviceFile?
    ) throws(VaultError) {
        try open.commit(draft, header: change.encodedHeader, keys: change.keys, as: newcomer)
        install(change.header, change.encodedHeader)
    }

    /// Adds an operation that brings a new vault key to a draft, perhaps after an earlier one in the same draft.
    func addKeys(
        to draft: inout CircleDraft,
        after earlier: CircleKeyChange? = nil,
        _ open: OpenVault,
        _ owners: [OwnerKey],
        for devices: [CircleDevice],
        _ passphrase: Passphrase,
        _ secretKey: SecretKey,
        recovery: VaultHeader.CircleRecovery? = nil,
        signedBy recoveryKey: RecoveryKey? = nil,
        as newcomer: DeviceFile? = nil,
        _ record: (CircleKeysRecord) -> CircleRecord
    ) throws(VaultError) -> CircleKeyChange {
        let before = try draft.state()
        let kept: VaultHeader.CircleRecovery
        if let recovery { kept = recovery } else { kept = try open.circleRecovery(before, header) }
        let change = try CircleKeyChange(
            CircleKeyChange.Basis(
                vault: id,
                keys: earlier?.keys ?? open.keys,
                header: earlier?.header ?? header,
                epoch: before.largestEpoch,
                generation: before.largestHeader
            ),
            for: devices,
            kept,
            passphrase,
            secretKey,
            environment
        )
        try draft.add(
            .circle(record(change.record)),
            header: change.encodedHeader,
            by: newcomer ?? open.device,
            owners: owners + [change.owner],
            recovery: recoveryKey
        )
        return change
    }

    /// Takes a header that is in the file now.
    func install(_ next: VaultHeader, _ encoded: [UInt8]) {
        header = next
        encodedHeader = encoded
        keepHeaderCopy()
    }

    /// Replaces the header, with the same vault key and another passphrase.
    func changeCircleHeader(
        _ open: OpenVault,
        _ unlock: VaultHeader.UnlockKeys,
        _ old: Passphrase,
        to new: Passphrase,
        _ secretKey: SecretKey
    ) throws(VaultError) {
        let draft = try open.circleDraft()
        try requireClean(draft.state())
        let opened = try header.owners(unlock)
        let owners = try open.ownerKeys(draft.state(), opened: opened) { (other) throws(VaultError) in
            try open.owners(of: other, old, secretKey)
        }
        try changeCircleHeader(draft, open, owners, to: new, secretKey)
    }

    /// Replaces the header, with the same vault key and another passphrase.
    ///
    /// - Parameters:
    ///   - draft: What is written before.
    ///   - open: The open vault.
    ///   - owners: The owner keys in force.
    ///   - passphrase: The new passphrase.
    ///   - secretKey: What opens the header with it.
    ///   - newcomer: The new device that writes, if it is not this one.
    /// - Throws: ``VaultError`` with `conflict`, `diskFull`, `unavailable` or `damaged`.
    func changeCircleHeader(
        _ draft: CircleDraft,
        _ open: OpenVault,
        _ owners: [OwnerKey],
        to passphrase: Passphrase,
        _ secretKey: SecretKey,
        as newcomer: DeviceFile? = nil
    ) throws(VaultError) {
        var draft = draft
        let state = try draft.state()
        var next = header
        next.generation = try VaultHeader.generation(after: state.largestHeader)
        try next.seal(
            open.keys,
            owners: owners,
            to: passphrase,
            secretKey,
            open.circleRecovery(state, header),
            environment
        )
        let encoded = try next.encoded(open.keys)
        try draft.add(
            .header(generation: next.generation, hash: VaultHeader.hash(encoded)),
            header: encoded,
            by: newcomer ?? open.device,
            owners: owners
        )
        try open.commit(draft, header: encoded, keys: open.keys, as: newcomer)
        install(next, encoded)
    }

    /// Replaces the recovery keys of a circle with one new key.
    func replaceCircleRecoveryKey(_ passphrase: Passphrase) async throws(VaultError) -> RecoveryKey {
        let act = try await ownerAct(passphrase)
        guard let root = act.draft.graph.circleRoot else { throw VaultError.withoutCircle }
        let key = try RecoveryKey(effects: environment.effects)
        let history = try CircleHistory(act.draft.graph, database)
        let versions = history.recoveryKeys.filter { $0.kind == RecoveryKey.paper }.map(\.version)
        let logged = try key.logged(version: min(versions.max() ?? 0, .max - 1) + 1)
        let proof = key.circleProof(vault: id, circle: root)
        try changeKeys(
            act,
            members: act.state.members,
            passphrase,
            act.secretKey,
            recovery: VaultHeader.CircleRecovery([logged], proofs: [logged.publicKey: proof])
        ) { .recovery([logged], $0) }
        return key
    }
}
