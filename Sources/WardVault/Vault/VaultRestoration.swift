internal import Foundation
internal import WardLog
internal import WardText
public import WardWebAuthn

/// A copy of a vault that is being restored.
///
/// The copy is first opened as a vault of its own, in a temporary folder. Only a copy that opened with the person's passphrase
/// or recovery key is put in place. Until ``place(replacing:)`` is called, the existing vault does not change.
///
/// ```swift
/// let restoration = try VaultRestoration(from: "/media/usb/ward.db", at: .standard, secretKey: nil)
/// try await restoration.vault.unlock(with: passphrase, trusting: .thisFile)
/// let vault = try await restoration.place(replacing: true)
/// ```
public final class VaultRestoration: Sendable {
    /// The copy as a vault.
    ///
    /// It must be unlocked.
    public let vault: Vault
    /// The path of the copy that was read.
    public let source: String
    private let location: VaultLocation
    private let environment: VaultEnvironment

    /// Reads a copy and puts it into a temporary folder.
    ///
    /// The copy stays locked.
    ///
    /// - Parameters:
    ///   - path: A copy, or a folder of dated copies. Of a folder the newest copy of the vault that this place has or had is
    ///     taken; another vault's only if no other vault has copies there.
    ///   - location: Where the vault belongs.
    ///   - secretKey: The Secret Key, where a person brought it; else the one beside the copy or on this device is used.
    ///   - needsSecretKey: Whether a missing Secret Key is an error; it is not for somebody who has the recovery key.
    ///   - effects: Time and randomness.
    /// - Throws: ``VaultError`` with `vaultMissing` when there is no copy, `unusablePath` when a folder has copies of several
    ///   vaults and none of this one, `damaged`, `unknownVersion`, `secretKeyMissing`,
    ///   `wrongSecretKey`, `diskFull` or `unavailable`.
    public convenience init(
        from path: String,
        at location: VaultLocation,
        secretKey: SecretKey?,
        needsSecretKey: Bool = true,
        effects: Effects = .live
    ) throws(VaultError) {
        try self.init(
            from: path,
            at: location,
            secretKey: secretKey,
            needsSecretKey: needsSecretKey,
            environment: VaultEnvironment(effects: effects)
        )
    }

    package init(
        from path: String,
        at location: VaultLocation,
        secretKey: SecretKey?,
        needsSecretKey: Bool,
        environment: VaultEnvironment
    ) throws(VaultError) {
        let source = try Self.find(path, for: location)
        try SmallFile.makeDirectory(location.directory)
        let folder = location.newDraft()
        let draft = VaultLocation(directory: folder, stateDirectory: folder + "/state")
        try SmallFile.makeDirectory(draft.stateDirectory)
        do throws(VaultError) {
            try SmallFile.copy(source, to: draft.database)
            // If a person copied the file of an open vault, a part of the data is in this second file.
            if FileManager.default.fileExists(atPath: source + "-wal") {
                try SmallFile.copy(source + "-wal", to: draft.database + "-wal")
            }
            let vault = try Vault.open(at: draft, environment: environment)
            // A device of a circle stays the same one, if it still has its keys.
            if vault.openedHeader.circle != nil { try Self.copyIdentity(from: location, to: draft) }
            let key = try Self.secretKey(of: vault, source, location, secretKey)
            if let key { try SecretKeyFile.write(key, to: draft.secretKey, environment) }
            guard key != nil || !needsSecretKey else {
                throw VaultError(.secretKeyMissing, "the Secret Key of this backup is not on this device")
            }
            self.vault = vault
        } catch {
            try? FileManager.default.removeItem(atPath: folder)
            throw error
        }
        self.source = source
        self.location = location
        self.environment = environment
    }

    deinit { discard() }

    /// Cancels the restoration: removes the copy, unless it is in place.
    public func discard() { try? FileManager.default.removeItem(atPath: vault.location.directory) }

    /// Checks the whole copy, and that this device has not seen a later state of the vault.
    ///
    /// The copy is checked as it was when it was made. An item that cannot be read is no reason to refuse it, because the others can be.
    ///
    /// - Parameter takesOlder: Whether an older state is taken, because the person said so.
    /// - Returns: When the vault in the copy was last changed, in seconds since 1970.
    /// - Throws: ``VaultError`` with `rolledBack`, `damaged` or `locked`.
    public func check(takesOlder: Bool) async throws(VaultError) -> Int64 {
        try await vault.checkAsCopy()
        if !takesOlder, let missing = try await vault.entriesMissing(comparedWith: location) {
            throw VaultError(
                .rolledBack,
                "the backup is older than the vault that this device saw last: \(missing) of the vault's entries are not in "
                    + "the backup"
            )
        }
        return try await vault.lastChangeBeforeThisDevice()
    }

    /// Puts the copy in place.
    ///
    /// The existing vault is kept under another name.
    ///
    /// After a power cut, either the old vault or the new one is in place. The new one may then have to be trusted once more.
    ///
    /// - Parameter replaces: Whether a vault that is there is replaced.
    /// - Returns: The vault, unlocked, and where the one before lies now.
    /// - Throws: ``VaultError`` with `vaultExists`, `inUse`, `locked`, `diskFull` or `unavailable`.
    public func place(replacing replaces: Bool) async throws(VaultError) -> (vault: Vault, replaced: String?) {
        let draft = vault.location
        let keys = try await vault.keysForPlacement()
        try await vault.close()
        try SmallFile.makeDirectory(location.stateDirectory)
        let lock = try await PlacementLock.exclusive(location)
        defer { withExtendedLifetime(lock) {} }
        guard replaces || !location.hasVault else {
            throw VaultError(.vaultExists, "there is already a vault at \(location.database)")
        }
        try checkpointPresent()
        // A key that a removal left pending is the only one that fits the vault that is set aside.
        if location.hasVault, let before = try? Vault.openWhileLocked(at: location, environment: environment) {
            try? await before.promoteSecretKey()
            try? await before.close()
        }
        // The new Secret Key waits beside the old one, so that at every moment one of them matches the header in place.
        let present = try? SecretKeyFile.read(location.secretKey)
        let isNew = { (key: SecretKey) in !(present?.bytes.isEqual(to: key.bytes) ?? false) }
        if let secretKey = try SecretKeyFile.read(draft.secretKey), isNew(secretKey) {
            try SecretKeyFile.write(secretKey, to: location.pendingSecretKey, environment)
        }
        let replaced = try setPresentAside()
        try environment.willWrite(.placeDatabase)
        try SmallFile.move(draft.database, to: location.database)
        // With a head that fits the copy, only what is awaited keeps this device from writing beside itself, and nothing else says that
        // a server must be read again. So both come first.
        try SmallFile.remove(location.syncServer)
        let isAwaiting = try put(draft.awaited, at: location.awaited)
        try put(draft.device, at: location.device)
        // What the copy does not have is of the device that was here before. Once its keys are gone, and before the head lets the new one
        // write, it goes too.
        if try !put(draft.pendingDevice, at: location.pendingDevice) { try SmallFile.remove(location.pendingDevice) }
        if !isAwaiting { try SmallFile.remove(location.awaited) }
        try put(draft.head, at: location.head)
        try put(draft.headerCopy, at: location.headerCopy)
        _ = unsafe unlink(location.index)
        let placed = try Vault.openWhileLocked(at: location, environment: environment)
        do throws(VaultError) {
            try await placed.unlock(with: keys)
        } catch {
            try? await placed.close()
            throw error
        }
        return (placed, replaced)
    }

    // MARK: Pieces

    /// Puts a file of the copy in place.
    ///
    /// - Returns: Whether the copy has it.
    @discardableResult
    private func put(_ from: String, at to: String) throws(VaultError) -> Bool {
        guard let bytes = try SmallFile.read(from, limit: 1 << 20) else { return false }
        try SmallFile.replace(to, with: bytes, environment)
        return true
    }

    /// Copies this device's keys, and what it has seen.
    private static func copyIdentity(from location: VaultLocation, to draft: VaultLocation) throws(VaultError) {
        for (from, to) in [
            (location.device, draft.device), (location.pendingDevice, draft.pendingDevice),
            (location.head, draft.head),
        ] {
            if let bytes = try? SmallFile.read(from, limit: 1 << 20) { try SmallFile.replace(to, with: bytes) }
        }
        // Without it this device could write beside itself, so it is not left out if it cannot be read.
        if let bytes = try SmallFile.read(location.awaited, limit: 1 << 20) {
            try SmallFile.replace(draft.awaited, with: bytes)
        }
    }

    private static func withoutBackup(_ place: String) -> VaultError {
        VaultError(
            .vaultMissing,
            "there is no backup \(place). Name the copy, or the place that you gave to ward backup"
        )
    }

    /// The copy at a path.
    ///
    /// In a folder it is the newest copy of this location's vault, or of the only vault that has copies there.
    private static func find(_ path: String, for location: VaultLocation) throws(VaultError) -> String {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { throw withoutBackup("at \(path)") }
        guard status.st_mode & S_IFMT == S_IFDIR else { return path }
        let newest = BackupPlace.newest(in: path)
        guard let first = newest.first else { throw withoutBackup("in \(path)") }
        let header = try? SmallFile.read(location.headerCopy, limit: VaultHeader.maximumLength)
        if let vault = header.flatMap({ try? VaultHeader(encoded: $0).vaultID }),
            let own = newest.first(where: { $0.prefix == BackupPlace.prefix(of: vault) })
        {
            return own.path
        }
        guard newest.count == 1 else {
            let names = newest.map { SmallFile.name($0.path) }.joined(separator: ", ")
            throw VaultError(
                .unusablePath,
                "\(path) has backups of several vaults: give the file of one backup: \(names)"
            )
        }
        return first.path
    }

    /// The Secret Key that matches the copy: the one from the person, the one beside the copy, or this device's.
    private static func secretKey(
        of vault: Vault,
        _ source: String,
        _ location: VaultLocation,
        _ given: SecretKey?
    ) throws(VaultError) -> SecretKey? {
        if let given {
            guard vault.fits(given) else {
                throw VaultError(.wrongSecretKey, "the Secret Key is another vault's")
            }
            return given
        }
        let places = [
            BackupPlace.secretKey(of: source), SmallFile.folder(source) + "/" + SmallFile.name(location.secretKey),
            location.secretKey, location.pendingSecretKey,
        ]
        for path in places {
            if let key = try? SecretKeyFile.read(path), vault.fits(key) { return key }
        }
        return nil
    }

    /// Completes the file of the existing vault, if the vault can still be opened.
    private func checkpointPresent() throws(VaultError) {
        guard location.hasVault else { return }
        do throws(VaultError) {
            let present = try VaultDatabase(location.database, environment)
            try present.checkpoint()
            try present.close()
        } catch {
            // If another program has the existing vault open, this fails. If the vault is damaged, its file is kept as it is.
            guard error.code == .damaged || error.code == .unknownVersion else { throw error }
        }
    }

    /// Keeps the existing vault under a dated name.
    private func setPresentAside() throws(VaultError) -> String? {
        guard location.hasVault else { return nil }
        let base = location.database + ".replaced-" + BackupPlace.date(environment.effects.now())
        let names = sequence(first: 1) { $0 + 1 }.lazy.map { base + ($0 == 1 ? "" : "-\($0)") }
        let aside = names.first { !FileManager.default.fileExists(atPath: $0) } ?? base
        for suffix in VaultDatabase.sidecars {
            guard FileManager.default.fileExists(atPath: location.database + suffix) else { continue }
            try SmallFile.move(location.database + suffix, to: aside + suffix)
        }
        // The dated name is a second link to the same file, so that at every moment a vault is in place.
        if unsafe link(location.database, aside) != 0 { try SmallFile.move(location.database, to: aside) }
        return aside
    }
}

extension Vault {
    /// Whether a Secret Key belongs to this vault.
    nonisolated func fits(_ key: SecretKey) -> Bool {
        isEqualInConstantTime(VaultHeader.check(of: key, id), openedHeader.secretKeyCheck)
    }

    /// Checks the file as a copy is checked when it is made.
    func checkAsCopy() throws(VaultError) {
        let open = try open()
        _ = try CopyCheck.run(
            database,
            of: id,
            keys: open.keys,
            device: open.device.device,
            circle: open.head.circle
        )
    }

    /// The keys, for opening the same vault at its final path.
    func keysForPlacement() throws(VaultError) -> VaultKeys { try open().keys }

    /// Unlocks the vault with its keys after its file was moved, and puts a pending Secret Key in place.
    func unlock(with keys: VaultKeys, checked graph: LogGraph? = nil) throws(VaultError) {
        let count = try lockingCount()
        try install(open(OpenVault.Opening(keys: keys), .known, checked: graph), since: count)
        try promoteSecretKey()
    }

    /// The number of entries of this vault that a device saw and that are not in the copy; `nil` if there are none.
    func entriesMissing(comparedWith location: VaultLocation) throws(VaultError) -> Int64? {
        let open = try open()
        guard let known = try OpenVault.identity(id, open.keys, location) else { return nil }
        let head = known.head.head
        guard try !OpenVault.holds(head, database) else { return nil }
        // The first entry of this device in the copy does not count as an entry of the vault.
        return max(1, head.position - (open.chain.position - 1))
    }

    /// The time of the last change of the vault.
    ///
    /// Opening a copy adds an entry, which does not count.
    func lastChangeBeforeThisDevice() throws(VaultError) -> Int64 {
        let open = try open()
        let own = open.chain.leaf(of: open.device.device)?.position ?? open.chain.position
        guard let row = try database.row(at: max(1, own - 1)) else { return 0 }
        return try SignedEntry(row).entry.time.seconds
    }
}
