import WardLog

@testable import WardVault

extension VaultKeys {
    /// The set with another key in place of one.
    func forging(_ name: Name) throws -> VaultKeys {
        var keys: [Name: LockedBytes] = [:]
        for other in names { keys[other] = locked(other) }
        keys[name] = try LockedBytes([UInt8](repeating: 7, count: VaultKeys.keyLength))
        return try VaultKeys(keys, current: current)
    }
}

extension Vault {
    /// A new vault key that a thief makes who has this device and the passphrase; other devices take it.
    ///
    /// - Parameters:
    ///   - thief: Who signs.
    ///   - words: The passphrase.
    ///   - keys: The earlier keys, which the header hands over.
    ///   - recoveryKey: Gets another key than the members; with `nil` each recovery key gets the same.
    /// - Returns: The thief, who goes on after it, and the entry.
    func rekeyed(
        by thief: Thief,
        _ words: String,
        handingOver keys: VaultKeys,
        deceiving recoveryKey: RecoveryKey? = nil
    ) throws -> (thief: Thief, record: LogRecord) {
        let open = try open()
        let state = try open.circleDraft().state()
        let secretKey = try secretKey()
        let change = try CircleKeyChange(
            CircleKeyChange.Basis(
                vault: id,
                keys: keys,
                header: header,
                epoch: state.largestEpoch,
                generation: state.largestHeader
            ),
            for: open.circleDevices(state.members),
            open.circleRecovery(state, header),
            VaultFixture.passphrase(words),
            secretKey,
            environment
        )
        var made = change.record
        if let recoveryKey {
            let wrong = try LockedBytes([UInt8](repeating: 7, count: VaultKeys.keyLength))
            let sealed = try CircleSecrets(vaultKey: wrong, secretKey: secretKey)
                .sealed(to: recoveryKey.recipient(), vault: id, epoch: made.epoch)
            made.sealed = made.sealed.map { $0.recipient == sealed.recipient ? sealed : $0 }
        }
        var thief = thief
        thief.owners.append(change.owner)
        thief.keys = change.keys
        let record = try thief.write(.circle(.rekey(made)), blob: change.encodedHeader)
        return (thief, record)
    }

    /// The keys that a recovery key opens.
    func openedKeys(_ recoveryKey: RecoveryKey) throws -> VaultKeys { try opened(with: recoveryKey).keys }
}
