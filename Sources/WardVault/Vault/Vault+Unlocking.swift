internal import Crypto
internal import Foundation
internal import WardLog
internal import WardText

extension Vault {
    /// Unlocks the vault.
    ///
    /// It takes a tenth of a second for the passphrase, and hardly longer for ten thousand items.
    ///
    /// If the vault is already unlocked, the passphrase is still checked, and the vault stays unlocked.
    ///
    /// - Parameters:
    ///   - passphrase: What the person typed.
    ///   - trust: Whether a file other than the one this device saw last is taken.
    /// - Throws: ``VaultError`` with `wrongPassphrase`, `secretKeyMissing`, `wrongSecretKey`, `rolledBack`, `unknownDevice`,
    ///   `damaged`, `unknownVersion`, `weakKeyDerivation`, or `locked` when ``lock()`` came in between.
    public func unlock(with passphrase: Passphrase, trusting trust: Trust = .known) async throws(VaultError) {
        let count = try lockingCount()
        defer { releaseIfLocked() }
        let opening = try await opening(with: passphrase)
        guard isLocked else { return }
        let read = encodedHeader
        try refreshHeader()
        guard encodedHeader == read else {
            throw VaultError(.conflict, "another process changed the vault while it was being unlocked")
        }
        try install(open(opening, trust), since: count)
        // A power cut may have left it beside the old one. It fits either way, so a full disk is no reason to fail.
        try? promoteSecretKey()
    }

    /// Checks the passphrase of the unlocked vault again, before a dangerous operation.
    ///
    /// It changes nothing.
    ///
    /// It takes as long as unlocking. It returns if the passphrase is right.
    ///
    /// - Parameter passphrase: What the person typed.
    /// - Throws: ``VaultError`` with `wrongPassphrase`, with `locked` also when ``lock()`` came in between, or with
    ///   `secretKeyMissing` or `wrongSecretKey` when the Secret Key is no longer there.
    public func verify(_ passphrase: Passphrase) async throws(VaultError) {
        let count = try lockingCount()
        _ = try open()
        _ = try await opening(with: passphrase)
        guard try lockingCount() == count else { throw VaultError(.locked, "The vault was locked meanwhile") }
    }

    /// Sets another passphrase.
    ///
    /// - Throws: ``VaultError`` with `wrongPassphrase` when the old one is not right, `locked`, `notInCircle`, `diskFull`,
    ///   `unavailable`, or `conflict` when another device changed the header meanwhile; the old passphrase then stays.
    public func changePassphrase(from old: Passphrase, to new: Passphrase) async throws(VaultError) {
        let count = try lockingCount()
        _ = try open()
        let read = encodedHeader
        let unlock = try await opening(with: old).unlock
        let open = try open()
        guard try lockingCount() == count else { throw VaultError(.locked, "The vault was locked meanwhile") }
        guard read == encodedHeader else { throw VaultError.headerChanged }
        guard let secretKey = try findSecretKey() else {
            throw VaultError(.secretKeyMissing, "This device does not have the vault's Secret Key")
        }
        if let unlock, try open.isInCircle() {
            return try changeCircleHeader(open, unlock, old, to: new, secretKey)
        }
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

    /// Stores a Secret Key that a person brought from another device or typed from paper.
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

    /// Throws if the Secret Key is not on this device.
    ///
    /// Then no passphrase can open the vault, so it is not useful to ask for one.
    ///
    /// - Throws: ``VaultError`` with `secretKeyMissing`, `wrongSecretKey` or `closed`.
    public func checkSecretKey() throws(VaultError) {
        defer { releaseIfLocked() }
        try refreshHeader()
        try requireSecretKey()
    }

    // MARK: Pieces

    /// The keys that a passphrase opens.
    func opening(with passphrase: Passphrase) async throws(VaultError) -> OpenVault.Opening {
        try refreshHeader()
        let secretKey = try requireSecretKey()
        try header.derivation.check()
        try checkHeaderIsNamed()
        // The actor is not blocked while Argon2id runs.
        releaseIfLocked()
        let header = header
        let stretched = try await Self.stretch(passphrase, header.derivation, environment)
        let unlock = try header.unlockKeys(stretched, secretKey)
        return OpenVault.Opening(keys: try header.open(unlock), unlock: unlock)
    }

    /// Checks that the log refers to the header, before the header's settings for Argon2id are used.
    ///
    /// If the header is the same as this device's copy, that is known at once. Otherwise the log is read, and every signature
    /// is checked. A damaged log is accepted here, because opening checks it afterwards; the cost of Argon2id is limited in any
    /// case.
    private func checkHeaderIsNamed() throws(VaultError) {
        let copy = try? SmallFile.read(location.headerCopy, limit: VaultHeader.maximumLength)
        guard copy.map({ $0 != encodedHeader }) ?? true else { return }
        guard let graph = try? wholeLog(), graph.header != nil else { return }
        // Whether this device is in the circle is not known yet, so any header that the log names will do there.
        try OpenVault.check(header, encoded: encodedHeader, LogChain(graph), nil, nil, database)
    }

    /// The log, with every signature checked.
    ///
    /// - Parameter skipsDamage: Whether entries that cannot be read or that do not fit are left out.
    /// - Returns: The log as a graph.
    /// - Throws: ``VaultError`` with `damaged` or `unavailable`.
    func wholeLog(skippingDamage skipsDamage: Bool = false) throws(VaultError) -> LogGraph {
        var circle = unlocked?.head.circle ?? HeadFile.unconfirmedCircle(location.head)
        if circle == nil { circle = try database.circle(header) }
        var graph = LogGraph(id, circle: circle)
        try database.forEachRow(after: 0, withBlobs: false) { row in
            do throws(VaultError) {
                try graph.take(SignedEntry(row), at: row.position, checksSignature: true)
            } catch {
                guard skipsDamage else { throw error }
            }
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

    /// The Secret Key that matches the header.
    ///
    /// If a power cut interrupted a change, the key can be in either of two files.
    func findSecretKey() throws(VaultError) -> SecretKey? {
        for path in [location.secretKey, location.pendingSecretKey] {
            // If one file is damaged, the other one is still read.
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

    /// Keeps a Secret Key for a header that is written next.
    ///
    /// At every moment one of the two files fits the header in place. So a key that a power cut left pending takes its place first.
    func keepPending(_ secretKey: SecretKey) throws(VaultError) {
        try promoteSecretKey()
        try SecretKeyFile.write(secretKey, to: location.pendingSecretKey, environment)
    }

    /// Replaces the Secret Key with the pending one, if the pending one matches the header.
    func promoteSecretKey() throws(VaultError) {
        let pending = location.pendingSecretKey
        guard let key = try? SecretKeyFile.read(pending),
            VaultHeader.check(of: key, header.vaultID) == header.secretKeyCheck
        else { return }
        try SecretKeyFile.setAside(location.secretKey)
        try SmallFile.move(pending, to: location.secretKey)
    }

    func open(
        _ opening: OpenVault.Opening,
        _ trust: Trust,
        checked graph: LogGraph? = nil
    ) throws(VaultError) -> OpenVault {
        try OpenVault.open(
            database,
            header,
            encodedHeader: encodedHeader,
            opening,
            trust: trust,
            checked: graph,
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

    /// Replaces the header.
    ///
    /// In the same transaction an entry is written that refers to the new header.
    func replaceHeader(_ next: VaultHeader, _ open: OpenVault) throws(VaultError) {
        var next = next
        next.generation = try VaultHeader.generation(after: header.generation)
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
