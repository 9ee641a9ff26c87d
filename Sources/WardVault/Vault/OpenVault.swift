internal import WardLog

/// A vault with its keys: what the actor holds between unlocking and locking.
///
/// Not `Sendable` on purpose; it never leaves the actor.
final class OpenVault {
    let location: VaultLocation
    let environment: VaultEnvironment
    let database: VaultDatabase
    let vaultID: VaultID
    let keys: VaultKeys
    private(set) var device: DeviceFile
    private(set) var head: HeadFile
    var chain: LogChain
    var index: VaultIndex
    /// Items whose newest revisions cannot be read, and where these lie; they are not in the index.
    var unreadable: [ItemID: [RevisionPlace]] = [:]
    /// Removals whose revisions may still be in the file.
    var removals: [Removal] = []
    /// Where the contents of attached files lie, by their hashes.
    var contents: [[UInt8]: ContentPlace] = [:]
    /// The whole log, once something needed it.
    var wholeLog: LogGraph?
    /// Items of the index whose newest revision was found unreadable when somebody wanted it.
    var noted: Set<ItemID> = []
    /// What is known of copies elsewhere.
    var backup: BackupRecord
    /// Whether the last attempt to remember the head failed, so an older file might pass.
    private(set) var isHeadBehind = false

    /// How many changes an index on the disk may lag behind before it is written anew.
    static let tolerableLag = 48

    /// Joins the parts of a vault whose log was read.
    init(
        _ database: VaultDatabase,
        vaultID: VaultID,
        keys: VaultKeys,
        identity: Identity,
        chain: LogChain,
        base: IndexSnapshot?,
        _ location: VaultLocation,
        _ environment: VaultEnvironment
    ) {
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
    }

    /// Who this device is in the log, and what it saw last.
    struct Identity {
        var device: DeviceFile
        var head: HeadFile
    }

    /// Remembers the head of the log.
    ///
    /// A failure does not mean that the write failed: it shows in ``isHeadBehind``, and the next write tries again.
    func rememberHead() {
        do {
            try head.advance(to: HeadFile.Head(position: chain.position, hash: chain.hash), environment)
            isHeadBehind = false
        } catch {
            isHeadBehind = true
        }
    }

    /// Writes the index if the next start would have much to read without it.
    ///
    /// A failure costs time and nothing else.
    func saveIndex(always: Bool = false) {
        guard always ? index.changes > 0 : index.changes > Self.tolerableLag else { return }
        writeIndex()
    }

    /// Writes the index; one that lacks items that cannot be read is not written.
    func writeIndex() {
        guard unreadable.isEmpty else { return }
        try? IndexFile.write(location.index, index.snapshot(chain, removals, contents), vaultID, keys, environment)
    }

    /// Writes down what is known of copies elsewhere.
    func saveBackupRecord() throws(VaultError) { try backup.write(location.backup, vaultID, keys, environment) }

    /// Drops what can be wiped.
    func wipe() { index.wipe() }
}
