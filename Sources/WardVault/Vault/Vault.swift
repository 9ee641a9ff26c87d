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
/// While the vault is unlocked its file is held exclusively: a second process gets ``VaultError/Code/inUse``. While the vault is
/// locked no key is in memory, and the file is free. What a call wrote is on the disk when it returns.
/// Calls are made one after the other; two that change the same item meet in ``VaultError/Code/conflict``, never in a lost
/// change.
public actor Vault {
    /// What an opening believes.
    public enum Trust: Hashable, Sendable {
        /// A file that goes on from where this device saw it last; anything else is ``VaultError/Code/rolledBack`` or
        /// ``VaultError/Code/unknownDevice``.
        case known
        /// This very file, wherever it comes from: after a person put a backup in place, or on a new device. The device gets a
        /// new key in the log, which shows what happened.
        case thisFile
    }

    /// Where the vault lies.
    public nonisolated let location: VaultLocation
    /// The vault's name.
    public nonisolated let id: VaultID

    nonisolated let environment: VaultEnvironment
    /// The header that the file had when it was opened.
    nonisolated let openedHeader: VaultHeader
    /// Whether the vault lies where nothing can be written; changes then throw ``VaultError/Code/readOnly``.
    public nonisolated var isReadOnly: Bool { database.isReadOnly }
    nonisolated let database: VaultDatabase
    var header: VaultHeader
    var encodedHeader: [UInt8]
    /// There is one as long as the vault is unlocked.
    private(set) var unlocked: OpenVault?
    private var isClosed = false
    /// How often the vault was locked.
    ///
    /// An unlock that finishes after the vault was locked again reads this and is dropped.
    private var lockings = 0

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

    /// Opens the file of a vault, which stays locked.
    ///
    /// Where a bad disk took the header, this device's copy of it stands in, and goes back into the file with the next unlocking.
    ///
    /// Files and folders that others may read or change are closed to them first. A vault on a read-only file system is opened
    /// for reading.
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

    /// Opens the file for somebody who holds the lock.
    static func openWhileLocked(
        at location: VaultLocation,
        environment: VaultEnvironment
    ) throws(VaultError) -> Vault {
        try FileProtection.apply(to: location)
        let database = try VaultDatabase(location.database, environment)
        do throws(VaultError) {
            let (header, encoded) = try readHeader(database, location)
            try database.release()
            return Vault(location, database, header, encodedHeader: encoded, unlocked: nil, environment)
        } catch {
            try? database.close()
            throw error
        }
    }

    /// The header, or this device's copy of it where a bad disk took the vault's own; without either there are no keys.
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

    /// Forgets all keys and all items, brings the file into one piece, and lets other processes have it.
    ///
    /// What is running ends first. Locking a locked vault is not an error.
    public func lock() {
        lockings += 1
        guard let open = unlocked else { return }
        open.saveIndex()
        open.wipe()
        unlocked = nil
        try? database.checkpoint()
        releaseIfLocked()
    }

    /// Lets other processes have the file, unless the vault is unlocked.
    func releaseIfLocked() {
        if unlocked == nil { try? database.release() }
    }

    /// Reads the header again: while the vault was locked another process may have changed it.
    ///
    /// - Throws: ``VaultError`` as ``open(at:effects:)``, or with `conflict` when the file is another vault's by now.
    func refreshHeader() throws(VaultError) {
        guard unlocked == nil else { return }
        let (header, encoded) = try Self.readHeader(database, location)
        guard header.vaultID == id else {
            throw VaultError(.conflict, "another vault lies at \(location.database) now")
        }
        self.header = header
        encodedHeader = encoded
    }

    /// Locks the vault and gives the file free.
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

    /// Writes the index however little changed, for tests.
    package func saveIndexNow() { unlocked?.saveIndex(always: true) }

    /// Lets the file grow to so many pages and no further, for tests.
    package func limitPages(to count: Int) throws(VaultError) { try database.limit(pages: count) }

    /// Keys and items, as long as the vault is unlocked.
    func open() throws(VaultError) -> OpenVault {
        guard !isClosed else { throw VaultError(.closed, "the vault was closed") }
        guard let unlocked else { throw VaultError(.locked, "the vault is locked") }
        return unlocked
    }

    /// What to compare with after a pause: whether the vault was locked meanwhile.
    func lockingCount() throws(VaultError) -> Int {
        guard !isClosed else { throw VaultError(.closed, "the vault was closed") }
        return lockings
    }

    /// Takes keys and items in, unless the vault was locked since.
    func install(_ open: OpenVault, since count: Int) throws(VaultError) {
        guard count == lockings, !isClosed else {
            open.wipe()
            throw VaultError(.locked, "the vault was locked while it was being unlocked")
        }
        unlocked = open
        keepHeaderCopy()
    }

    /// Brings the file's header and this device's copy of it together: the one that was unlocked is right.
    func keepHeaderCopy() {
        if (try? database.header()) != encodedHeader { try? database.replaceHeader(encodedHeader) }
        if (try? SmallFile.read(location.headerCopy, limit: VaultHeader.maximumLength)) != encodedHeader {
            try? SmallFile.replace(location.headerCopy, with: encodedHeader, environment)
        }
    }

    /// Stretches a passphrase away from the actor, so that others need not wait.
    @concurrent static func stretch(
        _ passphrase: Passphrase,
        _ derivation: KeyDerivation,
        _ environment: VaultEnvironment
    ) async throws(VaultError) -> LockedBytes {
        try environment.stretch(passphrase, derivation)
    }
}
