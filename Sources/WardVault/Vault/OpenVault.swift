internal import WardLog

/// An open vault with its keys.
///
/// The actor has this value between unlocking and locking.
///
/// It is intentionally not `Sendable`, because it never leaves the actor.
final class OpenVault {
    let location: VaultLocation
    let environment: VaultEnvironment
    let database: VaultDatabase
    let vaultID: VaultID
    /// The vault's keys.
    ///
    /// In a circle of devices another device can make a new one.
    var keys: VaultKeys
    private(set) var device: DeviceFile
    private(set) var head: HeadFile
    var chain: LogChain
    var index: VaultIndex
    /// Items whose newest revisions cannot be read, with the positions of these revisions.
    ///
    /// They are not in the index.
    var unreadable: [ItemID: [RevisionPlace]] = [:]
    /// The removals of items whose revisions may still be in the file.
    var removals: [Removal] = []
    /// The positions of the contents of attached files, by their hashes.
    var contents: [[UInt8]: ContentPlace] = [:]
    /// The whole log.
    ///
    /// It is `nil` until it is needed.
    var wholeLog: LogGraph?
    /// Data that must be kept and is not here.
    ///
    /// It is `nil` until it is needed.
    var lacking: LackingData?
    /// The part of what is in question that follows from the entries alone, and the number of entries.
    var question: (count: Int, question: DataInQuestion)?
    /// The headers of the circle that were opened.
    var openedHeaders = OpenedHeaders()
    /// The names that devices gave themselves.
    var givenNames = GivenNames()
    /// Items of the index whose newest revision turned out to be unreadable.
    var noted: Set<ItemID> = []
    /// The record of backups.
    var backup: BackupRecord
    /// The last entry that this device had seen before its vault was restored from an older copy.
    ///
    /// Until the entry is there again, this device writes nothing.
    private(set) var awaited: [UInt8]?
    /// Whether the last entry could not be recorded.
    ///
    /// Then an older file might be accepted.
    private(set) var isHeadBehind = false

    /// The number of changes after which the index on disk is written again.
    static let tolerableLag = 48

    /// Uses of passkeys that are not in the log yet.
    var uses = PendingUses()
    /// What is called after entries were written.
    var whenWritten: (@Sendable () -> Void)?

    /// How far this device has read the order of a server; the next entry carries it.
    ///
    /// It is `nil` once an entry has carried it.
    var remotePosition: RemotePosition?

    /// Creates a value from the parts of a vault whose log was read.
    ///
    /// - Throws: ``VaultError`` with `unavailable` if a record of this device cannot be read: a device that does not know what it waits for
    ///   could write beside itself.
    init(
        _ database: VaultDatabase,
        vaultID: VaultID,
        keys: VaultKeys,
        identity: Identity,
        chain: LogChain,
        base: IndexSnapshot?,
        _ location: VaultLocation,
        _ environment: VaultEnvironment
    ) throws(VaultError) {
        self.location = location
        self.environment = environment
        self.database = database
        self.vaultID = vaultID
        self.keys = keys
        device = identity.device
        head = identity.head
        self.chain = chain
        index = VaultIndex(base: base, suffixes: environment.suffixes)
        backup = BackupRecord(location.backup, vaultID, keys)
        let records = DeviceRecords(location, vaultID, keys, environment)
        awaited = try records.read(VaultLocation.awaited)
        uses = PendingUses(record: (try? records.read(PendingUses.record)) ?? nil)
    }

    /// This device in the log, and the last entry that it saw.
    struct Identity {
        var device: DeviceFile
        var head: HeadFile
    }

    /// Records the last entry of the log.
    ///
    /// If this fails, the change itself is still written. ``isHeadBehind`` shows the failure, and the next write tries again.
    func rememberHead() {
        do {
            let own = chain.leaf(of: device.device)?.hash
            try head.advance(to: HeadFile.Head(position: chain.position, hash: chain.hash), own: own, environment)
            isHeadBehind = false
        } catch {
            isHeadBehind = true
        }
        whenWritten?()
    }

    /// Records which entry begins the circle of devices.
    func pin(_ circle: [UInt8]?) throws(VaultError) { try head.pin(circle, environment) }

    /// Uses another identity of this device in the log.
    func become(_ identity: Identity) { (device, head) = (identity.device, identity.head) }

    /// Records the entry that this device waits for, or that it waits for none.
    func wait(for entry: [UInt8]?) throws(VaultError) {
        try records.keep(entry, VaultLocation.awaited)
        awaited = entry
    }

    /// The small records of this device.
    var records: DeviceRecords { DeviceRecords(location, vaultID, keys, environment) }

    /// Writes this device's file for a header that the vault is about to have, beside the one in place.
    ///
    /// A passphrase opens the header's keys alone, and this file opens the keys that are sealed to the device. So the header's key
    /// encrypts it, and not the one in force, which may be in the log alone: another device can have made a key at the same time. At
    /// every moment one of the two files fits the header in place.
    ///
    /// - Parameters:
    ///   - newcomer: The device, if it is another one from then on.
    ///   - keys: The vault's keys, with the one that the header names as the current one.
    /// - Throws: ``VaultError`` with `diskFull` or `unavailable`.
    func prepareDevice(_ newcomer: DeviceFile? = nil, with keys: VaultKeys) throws(VaultError) {
        try (newcomer ?? device).write(location.pendingDevice, vaultID, keys, environment)
    }

    /// Puts the file in place that ``prepareDevice(_:with:)`` wrote.
    ///
    /// A failure is no reason to fail, because both files are read.
    func promoteDevice() { try? SmallFile.move(location.pendingDevice, to: location.device) }

    /// Writes the index, if the next start would otherwise have to read many entries.
    ///
    /// If this fails, the next start only takes longer.
    func saveIndex(always: Bool = false) {
        guard always ? index.changes > 0 : index.changes > Self.tolerableLag else { return }
        writeIndex()
    }

    /// Writes the index.
    ///
    /// It is not written if items that cannot be read are missing in it.
    func writeIndex() {
        guard unreadable.isEmpty else { return }
        try? IndexFile.write(location.index, index.snapshot(chain, removals, contents), vaultID, keys, environment)
    }

    /// Writes the record of backups.
    func saveBackupRecord() throws(VaultError) { try backup.write(location.backup, vaultID, keys, environment) }

    /// Wipes the keys and releases the rest.
    func wipe() { index.wipe() }
}
