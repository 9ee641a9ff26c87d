public import WardLog
public import WardWebAuthn

/// One person's passkeys, passwords and codes in one file, open or locked.
///
/// ```swift
/// let (vault, recoveryKey) = try await Vault.create(at: .standard, passphrase: Passphrase("correct horse"))
/// print("Write this down:", recoveryKey.text)
/// try await vault.write { transaction in
///     try transaction.add(Item(title: "Example", sites: [Site("https://example.com")], username: "alice"))
/// }
/// let found = try await vault.summaries(at: "https://login.example.com/")
/// await vault.lock()
/// ```
///
/// While the vault is unlocked, its file is locked exclusively: a second process gets ``VaultError/Code/inUse``. While the
/// vault is locked, no key is in memory, and other processes can use the file. When a call returns, its changes are on the
/// disk. Calls run one after the other. If two calls change the same item, the second one gets ``VaultError/Code/conflict``, so
/// no change is lost.
public actor Vault {
    /// The vault files that are accepted when a vault is opened.
    public enum Trust: Hashable, Sendable {
        /// A file that continues from the last entry that this device saw. Any other file causes ``VaultError/Code/rolledBack``
        /// or ``VaultError/Code/unknownDevice``.
        case known
        /// Exactly this file, even if it is older or unknown: after a person restored a backup, or on a new device. The device
        /// gets a new key in the log, so that the log shows this.
        case thisFile
    }

    /// The folders and files of the vault.
    public nonisolated let location: VaultLocation
    /// The vault's name.
    public nonisolated let id: VaultID

    nonisolated let environment: VaultEnvironment
    /// The header that the file had when it was opened.
    nonisolated let openedHeader: VaultHeader
    /// Whether the vault is on a read-only file system.
    ///
    /// Changes then throw ``VaultError/Code/readOnly``.
    public nonisolated var isReadOnly: Bool { database.isReadOnly }
    nonisolated let database: VaultDatabase
    var header: VaultHeader
    var encodedHeader: [UInt8]
    /// The open vault.
    ///
    /// It is `nil` while the vault is locked.
    private(set) var unlocked: OpenVault?
    private var isClosed = false
    /// The number of times that the vault was locked.
    ///
    /// An unlock that finishes after the vault was locked again detects this by the number, and its result is dropped.
    private var lockings = 0
    /// The device that this one was before the last ``recover(with:newPassphrase:trusting:acceptingUnproven:)`` made it another one.
    package internal(set) var formerDevice: DeviceID?
    /// What is called after entries were written.
    private var whenWritten: (@Sendable () -> Void)?
    private var whenUnlocked: (@Sendable () -> Void)?

    init(
        _ location: VaultLocation,
        _ database: VaultDatabase,
        _ header: VaultHeader,
        encodedHeader: [UInt8],
        unlocked: OpenVault?,
        _ environment: VaultEnvironment
    ) {
        self.location = location
        self.database = database
        self.header = header
        self.encodedHeader = encodedHeader
        self.unlocked = unlocked
        self.environment = environment
        id = header.vaultID
        openedHeader = header
    }

    /// Opens the file of a vault.
    ///
    /// The vault stays locked.
    ///
    /// If the header in the file is damaged, this device's copy is used. At the next unlocking the copy is written into the
    /// file.
    ///
    /// If other users can read or change the files and folders, their access is removed first. A vault on a read-only file
    /// system is opened for reading.
    ///
    /// - Throws: ``VaultError`` with `vaultMissing`, `inUse`, `damaged`, `unknownVersion`, `unsafeFile` or `unavailable`.
    public static func open(at location: VaultLocation, effects: Effects = .live) throws(VaultError) -> Vault {
        try open(at: location, environment: VaultEnvironment(effects: effects))
    }

    package static func open(at location: VaultLocation, environment: VaultEnvironment) throws(VaultError) -> Vault {
        let lock = try PlacementLock.shared(location)
        defer { withExtendedLifetime(lock) {} }
        return try openWhileLocked(at: location, environment: environment)
    }

    /// Opens the file.
    ///
    /// The caller has the lock.
    static func openWhileLocked(
        at location: VaultLocation,
        environment: VaultEnvironment
    ) throws(VaultError) -> Vault {
        try FileProtection.apply(to: location)
        let database = try VaultDatabase(location.database, environment)
        do throws(VaultError) {
            let (header, encoded) = try readHeader(database, location)
            try database.release()
            // What is left of a join that was interrupted; its keys are in the vault's own files.
            PendingDevice.remove(at: location)
            return Vault(location, database, header, encodedHeader: encoded, unlocked: nil, environment)
        } catch {
            try? database.close()
            throw error
        }
    }

    /// The header, or this device's copy if the header in the file is damaged.
    ///
    /// Without either there are no keys.
    private static func readHeader(
        _ database: VaultDatabase,
        _ location: VaultLocation
    ) throws(VaultError) -> (VaultHeader, [UInt8]) {
        do throws(VaultError) {
            let encoded = try database.header()
            return (try VaultHeader(encoded: encoded), encoded)
        } catch {
            guard error.code == .damaged,
                let copy = try? SmallFile.read(location.headerCopy, limit: VaultHeader.maximumLength),
                let header = try? VaultHeader(encoded: copy)
            else { throw error }
            return (header, copy)
        }
    }

    /// Whether the vault is locked.
    public var isLocked: Bool { unlocked == nil }

    /// Removes all keys and items from memory, completes the file, and lets other processes use it.
    ///
    /// Calls that are running end first. Locking a locked vault is not an error.
    public func lock() {
        lockings += 1
        guard let open = unlocked else { return }
        open.saveIndex()
        open.wipe()
        unlocked = nil
        try? database.checkpoint()
        releaseIfLocked()
    }

    /// Lets other processes use the file, unless the vault is unlocked.
    func releaseIfLocked() {
        if unlocked == nil { try? database.release() }
    }

    /// Sets what is called each time after entries were written, by this device or from others.
    ///
    /// It stays while the vault is locked and unlocked again. It must return at once.
    package func tellWritten(_ body: @escaping @Sendable () -> Void) {
        whenWritten = body
        unlocked?.whenWritten = body
    }

    /// Sets what is called each time after the vault was unlocked.
    ///
    /// It must return at once.
    package func tellUnlocked(_ body: @escaping @Sendable () -> Void) { whenUnlocked = body }

    /// Reads the header again, because another process may have changed it while the vault was locked.
    ///
    /// - Throws: ``VaultError`` as ``open(at:effects:)``, or with `conflict` when the file is another vault's by now.
    func refreshHeader() throws(VaultError) {
        guard unlocked == nil else { return }
        let (header, encoded) = try Self.readHeader(database, location)
        guard header.vaultID == id else {
            throw VaultError(.conflict, "another vault is now at \(location.database)")
        }
        self.header = header
        encodedHeader = encoded
    }

    /// Locks the vault and closes its file.
    ///
    /// Closing twice is not an error; other calls then throw ``VaultError/Code/closed``.
    ///
    /// - Throws: ``VaultError`` with `unavailable` when the file cannot be closed; what was written is safe all the same.
    public func close() throws(VaultError) {
        lock()
        guard !isClosed else { return }
        isClosed = true
        try database.close()
    }

    /// Writes the index even after few changes, for tests.
    package func saveIndexNow() { unlocked?.saveIndex(always: true) }

    /// Limits the file to this number of pages, for tests.
    package func limitPages(to count: Int) throws(VaultError) { try database.limit(pages: count) }

    /// The keys and items, while the vault is unlocked.
    func open() throws(VaultError) -> OpenVault {
        guard !isClosed else { throw VaultError(.closed, "the vault was closed") }
        guard let unlocked else { throw VaultError(.locked, "the vault is locked") }
        return unlocked
    }

    /// A value to compare after a suspension: it shows whether the vault was locked in the meantime.
    func lockingCount() throws(VaultError) -> Int {
        guard !isClosed else { throw VaultError(.closed, "the vault was closed") }
        return lockings
    }

    /// Stores the keys and items, unless the vault was locked since.
    func install(_ open: OpenVault, since count: Int) throws(VaultError) {
        guard count == lockings, !isClosed else {
            open.wipe()
            throw VaultError(.locked, "the vault was locked while it was being unlocked")
        }
        unlocked = open
        open.whenWritten = whenWritten
        keepHeaderCopy()
        whenUnlocked?()
    }

    /// Makes the file's header and this device's copy the same.
    ///
    /// The header that unlocked the vault is the right one.
    func keepHeaderCopy() {
        if (try? database.header()) != encodedHeader { try? database.replaceHeader(encodedHeader) }
        if (try? SmallFile.read(location.headerCopy, limit: VaultHeader.maximumLength)) != encodedHeader {
            try? SmallFile.replace(location.headerCopy, with: encodedHeader, environment)
        }
    }

    /// Runs Argon2id outside the actor, so that other calls need not wait.
    @concurrent static func stretch(
        _ passphrase: Passphrase,
        _ derivation: KeyDerivation,
        _ environment: VaultEnvironment
    ) async throws(VaultError) -> LockedBytes {
        try environment.stretch(passphrase, derivation)
    }
}
