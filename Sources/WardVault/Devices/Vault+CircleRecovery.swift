package import WardLog

/// What a recovery key opens.
struct RecoveryOpening {
    var keys: VaultKeys
    /// The hash of the entry that begins the circle; `nil` if there is none.
    var circle: [UInt8]?
    /// The Secret Key that came with the current vault key, in a circle.
    var secretKey: SecretKey?
}

extension Vault {
    /// Opens the vault's keys with a recovery key.
    ///
    /// In a circle the proofs are compared first, of which one must be right. Then the current vault key is opened, which the log has for each recovery key, and
    /// with it the earlier ones. A key counts only if it fits the header that the operation names which made it: who has the passphrase
    /// can seal another one to the recovery key, or write it into a header.
    ///
    /// - Parameters:
    ///   - recoveryKey: What the person typed.
    ///   - skipsDamage: Whether entries that cannot be read are left out, to save what is left.
    /// - Returns: The keys, and in a circle what came with them.
    /// - Throws: ``VaultError`` with `wrongRecoveryKey`, `forgedVault`, `unprovenVault` or `damaged`.
    func opened(
        with recoveryKey: RecoveryKey,
        skippingDamage skipsDamage: Bool = false
    ) throws(VaultError) -> RecoveryOpening {
        guard header.circle != nil else { return RecoveryOpening(keys: try header.open(recoveryKey)) }
        let graph = try wholeLog(skippingDamage: skipsDamage)
        guard let header = try sealedHeader(to: recoveryKey, graph), let circle = header.circle,
            let own = try header.circleRecovery(recoveryKey)
        else { throw VaultError(.wrongRecoveryKey, "This recovery key belongs to another vault, or was replaced") }
        guard let root = graph.circleRoot, graph.circleState != nil else {
            throw VaultError(.damaged, "The log does not have the entry that begins the circle of devices")
        }
        let history = try CircleHistory(graph, database)
        let proofs = [own.proof].compactMap { $0 } + history.proofs(ofRecoveryKey: own.publicKey)
        guard !proofs.isEmpty else { throw Self.unproven }
        try recoveryKey.check(circleProofs: proofs, vault: id, circle: root)
        guard let made = history.keys.first(where: { VaultKeys.Name($0) == header.keyName }),
            let secrets = try CircleSecrets.open(
                made.sealed,
                for: own.publicKey,
                with: recoveryKey.keyPair(),
                vault: id,
                epoch: made.epoch
            )
        else { throw VaultError(.damaged, "The vault's key, encrypted with the recovery key, is missing") }
        var commitments = history.commitments()
        guard commitments[header.keyName].map({ $0 == header.keyCommitment }) ?? skipsDamage else {
            throw VaultError(.damaged, "The vault's header names another key than the one that was made for it")
        }
        commitments[header.keyName] = header.keyCommitment
        try secrets.check(commitment: header.keyCommitment, of: id)
        var keys = try circle.open(with: secrets.vaultKey, epoch: header.epoch, vault: id)
            .agreeing(with: commitments, of: id)
        // If two devices made keys at the same time, the header has the keys of one side.
        for made in history.keys {
            let name = VaultKeys.Name(made)
            guard !keys.has(name) else { continue }
            let opened = try? CircleSecrets.open(
                made.sealed,
                for: own.publicKey,
                with: recoveryKey.keyPair(),
                vault: id,
                epoch: made.epoch
            )
            guard let key = opened?.vaultKey,
                commitments[name].map({ VaultKeys.fits(key, $0, of: id) }) ?? skipsDamage
            else { continue }
            keys = try keys.adding(key, named: name)
        }
        return RecoveryOpening(keys: keys, circle: root, secretKey: secrets.secretKey)
    }

    /// The header that a recovery key opens: the one in place, or the one in force.
    ///
    /// A device outside the circle keeps an earlier header, and its log can have a recovery key that came later.
    ///
    /// - Returns: The header; `nil` if the recovery key opens neither.
    func sealedHeader(to recoveryKey: RecoveryKey, _ graph: LogGraph? = nil) throws(VaultError) -> VaultHeader? {
        if try header.isSealed(to: recoveryKey) { return header }
        guard header.circle != nil else { return nil }
        let log: LogGraph
        if let graph { log = graph } else { log = try wholeLog() }
        guard let inForce = try headerInForce(log), try inForce.isSealed(to: recoveryKey) else { return nil }
        return inForce
    }

    /// The header that a log names and has; `nil` if it has none, or a malformed one: a device outside the circle takes it unread.
    private func headerInForce(_ graph: LogGraph) throws(VaultError) -> VaultHeader? {
        guard let named = graph.header?.hash else { return nil }
        for position in graph.circlePositions.reversed() {
            guard let blob = try database.row(at: position)?.blob, VaultHeader.hash(blob) == named else { continue }
            return try? VaultHeader(encoded: blob)
        }
        return nil
    }

    /// Whether a recovery key is in force.
    ///
    /// In a circle the log says that: the header in place can be from a device that had not heard of a new recovery key.
    func isInForce(_ recoveryKey: RecoveryKey, _ open: OpenVault) throws(VaultError) -> Bool {
        guard open.chain.circle != nil else { return try header.isSealed(to: recoveryKey) }
        let own = try recoveryKey.signingSeed().publicKey
        return try open.graph().recoveryKeys.contains(own)
    }

    /// Sets a new passphrase with a recovery key; a device outside the circle joins it.
    ///
    /// So does a device that takes part in a question of who removed whom: it joins as a new device, in place of the one that it was,
    /// and with that, the question is answered. Both removals are void then, and the person removes the other device after that. The same
    /// goes for a device of which only the admission is in question.
    ///
    /// So does a device that was restored from a copy and does not have everything again that it wrote: it would sign other entries with
    /// numbers that it has used. It joins as a new device.
    func recoverInCircle(
        _ open: OpenVault,
        _ recoveryKey: RecoveryKey,
        _ passphrase: Passphrase
    ) throws(VaultError) {
        var draft = try open.circleDraft()
        // A device outside the circle may have an earlier header, with an earlier recovery key.
        guard try isInForce(recoveryKey, open) else {
            throw VaultError(.wrongRecoveryKey, "This recovery key was replaced")
        }
        let (before, own) = (try draft.state(), open.device.device)
        let isQuestioned = before.isFrozen && before.disputed.contains(own)
        var newcomer: DeviceFile?
        if !before.mayWrite(own) || isQuestioned || open.awaited != nil {
            if open.device.circleKeys == nil || open.chain.devices[open.device.device] != nil {
                // A device that was removed comes back only with a new key.
                newcomer = try OpenVault.newcomer(environment)
            } else {
                // A new device has written nothing before.
                try open.wait(for: nil)
            }
            let device = newcomer ?? open.device
            try draft.add(.circle(.joinRecovered(device.circleDevice())), by: device, recovery: recoveryKey)
        }
        let opened = try header.owners(recoveryKey)
        let owners = try open.ownerKeys(draft.state(), opened: opened) { (other) throws(VaultError) in
            try other.owners(recoveryKey)
        }
        let present = try findSecretKey()
        // A device outside the circle has the Secret Key of its earlier header. A removed device may have that too.
        let inForce = try headerInForce(draft.graph).flatMap { open.secretKey(of: $0) }
        let secretKey: SecretKey
        if let found = inForce ?? present {
            secretKey = found
        } else {
            guard let sealed = try self.opened(with: recoveryKey).secretKey else {
                throw VaultError(.secretKeyMissing, "This device does not have the vault's Secret Key")
            }
            secretKey = sealed
        }
        if !(present?.bytes.isEqual(to: secretKey.bytes) ?? false) { try keepPending(secretKey) }
        let device = newcomer ?? open.device
        if before.isFrozen, isQuestioned || !before.mayWrite(own) {
            // Nothing less answers a question. What this device wrote and waits for must not become void.
            let left = isQuestioned && open.awaited == nil ? [own] : []
            let isMember = before.members.contains(own)
            var members = try draft.state().members.subtracting(left + [device.device])
            var devices = try open.circleDevices(members) + [device.circleDevice()]
            var change = try addKeys(
                to: &draft,
                open,
                owners,
                for: devices,
                passphrase,
                secretKey,
                as: newcomer
            ) { left.isEmpty || !isMember ? .rekey($0) : .remove(left, $0) }
            // If its admission is in question, it is a member only once the question is answered, and cannot be removed before.
            members = try draft.state().members
            if !left.isEmpty, members.contains(own) {
                members.subtract(left + [device.device])
                devices = try open.circleDevices(members) + [device.circleDevice()]
                change = try addKeys(
                    to: &draft,
                    after: change,
                    open,
                    [change.owner],
                    for: devices,
                    passphrase,
                    secretKey,
                    as: newcomer
                ) { .remove(left, $0) }
            }
            try commit(change, draft, open, as: newcomer)
        } else {
            try changeCircleHeader(draft, open, owners, to: passphrase, secretKey, as: newcomer)
        }
        // Everything is written. If this fails, the pending file is read too.
        try? promoteSecretKey()
    }

    /// The first entry of this device, if a recovery key let it join the circle; otherwise `nil`.
    ///
    /// A server that has it not yet opens a session to the device all the same. The whole log is read.
    ///
    /// - Throws: ``VaultError`` with `locked`, `damaged` or `unavailable`.
    package func recoveryEntry() throws(VaultError) -> SignedEntry? {
        let open = try open()
        guard open.chain.circle != nil,
            let entry = try CircleHistory(open.graph(), database).admission(of: open.device.device)
        else { return nil }
        return RecoveredDevice(entry) == nil ? nil : entry
    }
}
