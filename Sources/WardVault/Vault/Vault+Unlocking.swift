internal import Crypto
internal import Foundation

extension Vault {
    /// Unlocks the vault: a tenth of a second for the passphrase, and hardly more for ten thousand items.
    ///
    /// A vault that is unlocked already stays so, after the passphrase was found right.
    ///
    /// - Parameters:
    ///   - passphrase: What the person typed.
    ///   - trust: Whether a file other than the one this device saw last is taken.
    /// - Throws: ``VaultError`` with `wrongPassphrase`, `secretKeyMissing`, `wrongSecretKey`, `rolledBack`, `unknownDevice`,
    ///   `damaged`, `unknownVersion`, `weakKeyDerivation`, or `locked` when ``lock()`` came in between.
    public func unlock(with passphrase: Passphrase, trusting trust: Trust = .known) async throws(VaultError) {
        let count = try lockingCount()
        defer { releaseIfLocked() }
        let keys = try await keys(of: passphrase)
        guard isLocked else { return }
        let read = encodedHeader
        try refreshHeader()
        guard encodedHeader == read else {
            throw VaultError(.conflict, "another process changed the vault while it was being unlocked")
        }
        try install(open(keys, trust), since: count)
    }

    /// Unlocks the vault with the key on paper, and sets a new passphrase.
    ///
    /// Where the Secret Key is missing, or is another vault's, a new one is made, which other devices then need too.
    ///
    /// - Parameters:
    ///   - recoveryKey: What the person typed.
    ///   - passphrase: The new passphrase; the old one opens the vault no more.
    ///   - trust: Whether a file other than the one this device saw last is taken.
    /// - Throws: ``VaultError`` with `wrongRecoveryKey`, or as ``unlock(with:trusting:)``.
    public func recover(
        with recoveryKey: RecoveryKey,
        newPassphrase passphrase: Passphrase,
        trusting trust: Trust = .known
    ) async throws(VaultError) {
        let count = try lockingCount()
        defer { releaseIfLocked() }
        try refreshHeader()
        try header.derivation.check()
        let keys = try header.open(recoveryKey)
        let open: OpenVault
        if let unlocked { open = unlocked } else { open = try self.open(keys, trust) }
        let secretKey: SecretKey
        if let found = try findSecretKey() {
            secretKey = found
        } else {
            secretKey = try SecretKey(effects: environment.effects)
            try SecretKeyFile.write(secretKey, to: location.secretKey + Self.pendingSuffix, environment)
        }
        try seal(open, to: passphrase, secretKey)
        try promoteSecretKey()
        if isLocked { try install(open, since: count) }
    }

    /// Asks again for the passphrase of the unlocked vault, before something grave; changes nothing.
    ///
    /// Takes as long as unlocking. Returns when the passphrase is right.
    ///
    /// - Parameter passphrase: What the person typed.
    /// - Throws: ``VaultError`` with `wrongPassphrase`, with `locked` also when ``lock()`` came in between, or with
    ///   `secretKeyMissing` or `wrongSecretKey` when the Secret Key is no longer there.
    public func verify(_ passphrase: Passphrase) async throws(VaultError) {
        let count = try lockingCount()
        _ = try open()
        _ = try await keys(of: passphrase)
        guard try lockingCount() == count else { throw VaultError(.locked, "the vault was locked meanwhile") }
    }

    /// Whether a key on paper is the vault's: what a person types back after having written it down.
    ///
    /// Answers also while the vault is locked.
    public func isRecoveryKey(_ recoveryKey: RecoveryKey) throws(VaultError) -> Bool {
        defer { releaseIfLocked() }
        try refreshHeader()
        return try header.isSealed(to: recoveryKey)
    }

    /// Sets another passphrase.
    ///
    /// - Throws: ``VaultError`` with `wrongPassphrase` when the old one is not right, `locked`, `diskFull` or `unavailable`;
    ///   the old passphrase then stays.
    public func changePassphrase(from old: Passphrase, to new: Passphrase) async throws(VaultError) {
        let count = try lockingCount()
        _ = try open()
        _ = try await keys(of: old)
        guard let secretKey = try findSecretKey() else {
            throw VaultError(.secretKeyMissing, "the Secret Key of this vault is not on this device")
        }
        let open = try open()
        guard try lockingCount() == count else { throw VaultError(.locked, "the vault was locked meanwhile") }
        try seal(open, to: new, secretKey)
    }

    /// Makes another recovery key; the one before opens nothing more.
    ///
    /// - Throws: ``VaultError`` with `locked`, `diskFull` or `unavailable`; the old key then stays.
    public func replaceRecoveryKey() throws(VaultError) -> RecoveryKey {
        let open = try open()
        let recoveryKey = try RecoveryKey(effects: environment.effects)
        var next = header
        try next.seal(open.keys, to: recoveryKey)
        try replaceHeader(next, open)
        return recoveryKey
    }

    /// The Secret Key, for paper or for another device.
    ///
    /// - Throws: ``VaultError`` with `locked` or `secretKeyMissing`.
    public func secretKey() throws(VaultError) -> SecretKey {
        _ = try open()
        guard let key = try findSecretKey() else {
            throw VaultError(.secretKeyMissing, "the Secret Key of this vault is not on this device")
        }
        return key
    }

    /// Puts a Secret Key that a person brought from another device or from paper into its place.
    ///
    /// - Throws: ``VaultError`` with `wrongSecretKey` when it is another vault's.
    public func adoptSecretKey(_ key: SecretKey) throws(VaultError) {
        guard VaultHeader.check(of: key, header.vaultID) == header.secretKeyCheck else {
            throw VaultError(.wrongSecretKey, "the Secret Key is another vault's")
        }
        if let present = try? SecretKeyFile.read(location.secretKey), present.bytes.isEqual(to: key.bytes) { return }
        try SecretKeyFile.setAside(location.secretKey)
        try SecretKeyFile.write(key, to: location.secretKey, environment)
    }

    // MARK: Pieces

    /// A Secret Key that was written and does not count before the header that needs it is in place.
    private static let pendingSuffix = ".pending"

    func keys(of passphrase: Passphrase) async throws(VaultError) -> VaultKeys {
        try refreshHeader()
        // Not while the passphrase is stretched.
        releaseIfLocked()
        let secretKey = try requireSecretKey()
        let header = header
        let stretched = try await Self.stretch(passphrase, header.derivation, environment)
        return try header.open(stretched, secretKey)
    }

    private func requireSecretKey() throws(VaultError) -> SecretKey {
        _ = try lockingCount()
        if let key = try findSecretKey() { return key }
        guard try SecretKeyFile.read(location.secretKey) == nil else {
            throw VaultError(.wrongSecretKey, "the Secret Key on this device is another vault's")
        }
        throw VaultError(.secretKeyMissing, "the Secret Key of this vault is not on this device")
    }

    /// The Secret Key that fits the header, wherever a power cut left it.
    private func findSecretKey() throws(VaultError) -> SecretKey? {
        for path in [location.secretKey, location.secretKey + Self.pendingSuffix] {
            // A damaged file is no reason not to look at the other one.
            let key: SecretKey?
            do throws(VaultError) {
                key = try SecretKeyFile.read(path)
            } catch {
                if path == location.secretKey, error.code != .damaged { throw error }
                continue
            }
            guard let key else { continue }
            if isEqualInConstantTime(VaultHeader.check(of: key, header.vaultID), header.secretKeyCheck) { return key }
        }
        return nil
    }

    /// Lets a pending Secret Key that fits the header take its place.
    private func promoteSecretKey() throws(VaultError) {
        let pending = location.secretKey + Self.pendingSuffix
        guard let key = try? SecretKeyFile.read(pending),
            VaultHeader.check(of: key, header.vaultID) == header.secretKeyCheck
        else { return }
        try SecretKeyFile.setAside(location.secretKey)
        try SmallFile.move(pending, to: location.secretKey)
    }

    private func open(_ keys: VaultKeys, _ trust: Trust) throws(VaultError) -> OpenVault {
        try OpenVault.open(
            database,
            header,
            encodedHeader: encodedHeader,
            keys: keys,
            trust: trust,
            location,
            environment
        )
    }

    private func seal(
        _ open: OpenVault,
        to passphrase: Passphrase,
        _ secretKey: SecretKey
    ) throws(VaultError) {
        var next = header
        try next.seal(open.keys, to: passphrase, secretKey, environment)
        try replaceHeader(next, open)
    }

    /// Puts another header in place, which the log names in the same transaction.
    private func replaceHeader(_ next: VaultHeader, _ open: OpenVault) throws(VaultError) {
        var next = next
        next.generation = header.generation + 1
        let encoded = try next.encoded(open.keys)
        try open.record(
            .header(generation: next.generation, hash: Array(SHA256.hash(data: encoded))),
            header: encoded
        )
        header = next
        encodedHeader = encoded
        keepHeaderCopy()
    }
}
