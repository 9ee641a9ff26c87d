internal import Crypto
internal import Foundation
internal import WardLog
internal import WardText

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
        guard try lockingCount() == count else { throw VaultError(.locked, "The vault was locked meanwhile") }
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
            throw VaultError(.secretKeyMissing, "This device does not have the vault's Secret Key")
        }
        let open = try open()
        guard try lockingCount() == count else { throw VaultError(.locked, "The vault was locked meanwhile") }
        try seal(header, open, to: new, secretKey)
    }

    /// The Secret Key, for paper or for another device.
    ///
    /// - Throws: ``VaultError`` with `locked` or `secretKeyMissing`.
    public func secretKey() throws(VaultError) -> SecretKey {
        _ = try open()
        guard let key = try findSecretKey() else {
            throw VaultError(.secretKeyMissing, "This device does not have the vault's Secret Key")
        }
        return key
    }

    /// Puts a Secret Key that a person brought from another device or from paper into its place.
    ///
    /// - Throws: ``VaultError`` with `wrongSecretKey` when it is another vault's.
    public func adoptSecretKey(_ key: SecretKey) throws(VaultError) {
        guard VaultHeader.check(of: key, header.vaultID) == header.secretKeyCheck else {
            throw VaultError(.wrongSecretKey, "This Secret Key belongs to another vault")
        }
        if let present = try? SecretKeyFile.read(location.secretKey), present.bytes.isEqual(to: key.bytes) { return }
        try SecretKeyFile.setAside(location.secretKey)
        try SecretKeyFile.write(key, to: location.secretKey, environment)
    }

    /// Says before anybody types a passphrase that none can open the vault, because the Secret Key is not here.
    ///
    /// - Throws: ``VaultError`` with `secretKeyMissing`, `wrongSecretKey` or `closed`.
    public func checkSecretKey() throws(VaultError) {
        defer { releaseIfLocked() }
        try refreshHeader()
        try requireSecretKey()
    }

    // MARK: Pieces

    func keys(of passphrase: Passphrase) async throws(VaultError) -> VaultKeys {
        try refreshHeader()
        let secretKey = try requireSecretKey()
        try header.derivation.check()
        try checkHeaderIsNamed()
        // Not while the passphrase is stretched.
        releaseIfLocked()
        let header = header
        let stretched = try await Self.stretch(passphrase, header.derivation, environment)
        return try header.open(stretched, secretKey)
    }

    /// Whether the log names the header, before its key derivation is believed and takes its time.
    ///
    /// This device's copy of the header says so in an instant. Without it the log is walked over, every signature checked. A log
    /// that is damaged names nothing: opening judges it afterwards, and what the passphrase may cost is bounded in any case.
    private func checkHeaderIsNamed() throws(VaultError) {
        let copy = try? SmallFile.read(location.headerCopy, limit: VaultHeader.maximumLength)
        guard copy.map({ $0 != encodedHeader }) ?? true else { return }
        guard let graph = try? wholeLog(), graph.header != nil else { return }
        try OpenVault.check(header, encoded: encodedHeader, LogChain(graph))
    }

    private func wholeLog() throws(VaultError) -> LogGraph {
        var graph = LogGraph(id)
        try database.forEachRow(after: 0, withBlobs: false) { row in
            try graph.take(SignedEntry(row), at: row.position, checksSignature: true)
        }
        return graph
    }

    @discardableResult
    private func requireSecretKey() throws(VaultError) -> SecretKey {
        _ = try lockingCount()
        if let key = try findSecretKey() { return key }
        guard try SecretKeyFile.read(location.secretKey) == nil else {
            throw VaultError(.wrongSecretKey, "The Secret Key on this device belongs to another vault")
        }
        throw VaultError(.secretKeyMissing, "This device does not have the vault's Secret Key")
    }

    /// The Secret Key that fits the header, wherever a power cut left it.
    func findSecretKey() throws(VaultError) -> SecretKey? {
        for path in [location.secretKey, location.pendingSecretKey] {
            // A damaged file is not a reason not to look at the other one.
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
    func promoteSecretKey() throws(VaultError) {
        let pending = location.pendingSecretKey
        guard let key = try? SecretKeyFile.read(pending),
            VaultHeader.check(of: key, header.vaultID) == header.secretKeyCheck
        else { return }
        try SecretKeyFile.setAside(location.secretKey)
        try SmallFile.move(pending, to: location.secretKey)
    }

    func open(_ keys: VaultKeys, _ trust: Trust) throws(VaultError) -> OpenVault {
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

    func seal(
        _ header: VaultHeader,
        _ open: OpenVault,
        to passphrase: Passphrase,
        _ secretKey: SecretKey
    ) throws(VaultError) {
        var next = header
        try next.seal(open.keys, to: passphrase, secretKey, environment)
        try replaceHeader(next, open)
    }

    /// Puts another header in place, which the log names in the same transaction.
    func replaceHeader(_ next: VaultHeader, _ open: OpenVault) throws(VaultError) {
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
