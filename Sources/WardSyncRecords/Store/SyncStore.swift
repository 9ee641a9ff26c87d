public import WardLog

/// Where a server keeps vaults.
///
/// Each call is one transaction: it happens completely or not at all, and calls have the effect of running one after the other.
/// When a call that writes has returned, its changes are on stable storage. Every call touches one vault, so vaults can be spread
/// over several databases. `SyncStoreSuite` of `WardTesting` checks these properties.
///
/// Calls throw ``SyncStoreError``. A store checks nothing of an entry: ``SyncBatch`` must have been checked before.
public protocol SyncStore: Sendable {
    // MARK: Vaults

    /// Stores a vault with its first entries.
    ///
    /// The invitation is used up in the same transaction, and its account gets the vault.
    ///
    /// - Parameters:
    ///   - vault: The vault; its head and its length follow from the batch, and its account from the invitation.
    ///   - batch: The first entries.
    ///   - limit: The maximum number of vaults of an account.
    ///   - room: The maximum length of all entries and blobs of the vaults of an account.
    ///   - now: The time, for the end of an invitation.
    /// - Returns: The vault as it is stored. If it was there before with the same invitation, nothing changes. Another invitation of the
    ///   vault's account takes the place of the one with which it is still being brought.
    /// - Throws: `vaultExists`, `invitationNotValid`, `tooManyVaults`, `accountFull`.
    func create(
        _ vault: SyncVault,
        _ batch: SyncBatch,
        limit: Int,
        room: Int64,
        at now: Int64
    ) async throws -> SyncVault
    /// The vault; `nil` if it does not exist.
    func vault(_ id: VaultID) async throws -> SyncVault?
    /// Deletes a vault with everything that belongs to it.
    ///
    /// - Returns: Whether it existed.
    func delete(_ vault: VaultID) async throws -> Bool
    /// The vaults of an account, in the order in which they were brought.
    func vaults(of account: String) async throws -> [SyncVault]
    /// Accounts that have vaults, in the order of their names compared as UTF-8: those after a name, so many at most.
    func accounts(after name: String, limit: Int) async throws -> [String]

    // MARK: Entries

    /// Adds what an upload brings.
    ///
    /// A blob that is there stays as it is. A batch that is not empty and ends the bringing takes the vault's invitation away.
    ///
    /// - Returns: The vault afterwards.
    /// - Throws: `headMoved` if the vault has another head than the batch was checked against; `vaultNotFound`.
    func append(_ batch: SyncBatch, to vault: VaultID) async throws -> SyncVault
    /// Entries with larger numbers, in order.
    func entries(of vault: VaultID, after number: Int64, _ page: SyncPage) async throws -> [SyncEntry]
    /// Entries of one device, in the order of their numbers on the device and of arrival: those with this number that arrived after
    /// another one, and all with a larger number.
    func entries(
        of vault: VaultID,
        by device: DeviceID,
        from sequence: Int64,
        after number: Int64,
        _ page: SyncPage
    ) async throws -> [SyncEntry]
    /// The numbers of the entries that no other entry of their device follows, in order.
    func heads(of vault: VaultID) async throws -> [Int64]
    /// Those of these entries that are there without a blob.
    func entriesWithoutBlob(of vault: VaultID, among hashes: [[UInt8]]) async throws -> Set<[UInt8]>
    /// The entries that one device signed with one number, in order of arrival, without blobs.
    func contradictions(of vault: VaultID, limit: Int) async throws -> [SyncContradiction]
    /// How much each device wrote.
    func shares(of vault: VaultID) async throws -> [SyncShare]

    // MARK: Sessions

    /// The key of a subject; `nil` if the vault or the key does not exist.
    func key(of subject: SyncSubject, in vault: VaultID) async throws -> SyncKey?
    /// Stores a session, and ends the oldest ones of the subject beyond the limit.
    ///
    /// - Throws: `keyNotAllowed` if the subject has no allowed key; `conflict` if the token exists.
    func open(_ session: SyncSession, limit: Int) async throws
    /// The session of a token, if it has not ended, and its vault.
    func visit(_ token: TokenHash, at now: Int64) async throws -> SyncVisit?
    /// Ends a session.
    func close(_ token: TokenHash) async throws

    // MARK: Invitations

    func add(_ invitation: SyncInvitation) async throws
    /// Whether an invitation can be used, or brought a vault that is there.
    func isKnown(_ invitation: TokenHash, at now: Int64) async throws -> Bool
    /// The account of an invitation, or of the vault that it brought; `nil` if it has none, or is not known.
    func account(of invitation: TokenHash) async throws -> String?

    // MARK: Upkeep

    /// Notes how far each vault is, if it was last noted a day ago or longer.
    ///
    /// So the service knows what it had for how many days on which it ran. A clock that jumps ahead counts as one day. This call touches
    /// all vaults, at most once a day.
    func observe(at now: Int64) async throws
    /// The vault whose blobs were not looked at for longest.
    ///
    /// - Parameters:
    ///   - superseded: How many observations ago newer revisions must have been there.
    ///   - removed: The same for removals.
    /// - Returns: The vault, and how far it was; `nil` if all were looked at since the last observation.
    /// - Throws: ``SyncStoreError``.
    func nextClearing(superseded: Int64, removed: Int64) async throws -> SyncClearing?
    /// The lengths of entries, in order.
    func lengths(of vault: VaultID, from first: Int64, to last: Int64) async throws -> [SyncLength]
    /// Deletes the blobs of entries, if they are there, and counts their lengths no more.
    ///
    /// - Parameters:
    ///   - numbers: The entries.
    ///   - vault: The vault, with its order.
    ///   - observation: The observation for which the vault is done; `nil` if more is to be cleared.
    /// - Returns: The vault afterwards.
    /// - Throws: `vaultNotFound` if there is no vault with this order.
    func clear(_ numbers: [Int64], of vault: SyncVault, doneAt observation: Int64?) async throws -> SyncVault
    /// Deletes some sessions and invitations that have expired.
    ///
    /// - Returns: How many.
    func sweep(at now: Int64, limit: Int) async throws -> Int
    /// Checks that the store can write now.
    func probe() async throws
}
