public import WardWebAuthn

/// The calls of one transaction.
///
/// It is also the transaction of the relying party's ceremonies: it implements `CredentialTransaction`, with
/// ``Passkey`` as the stored credential.
///
/// Calls are made one after the other and see the writes of earlier calls in the same transaction. Each call is atomic: a call
/// that throws has not changed anything. If the error is a refusal (``StoreError/Code/isRefusal``), the closure may catch it,
/// continue, and commit its earlier writes. It must rethrow any other error.
///
/// Records are returned exactly as they were given, byte for byte and scalar for scalar. The exception is text with
/// U+0000, which databases cannot store: it is refused with ``StoreError/Code/notStorable``.
public protocol AccountTransaction: CredentialTransaction, ClientTransaction, AdministrationTransaction,
    MailTransaction, WebhookTransaction, FactorTransaction, RecoveryTransaction, UpgradeTransaction, HelperTransaction
where Credential == Passkey {
    // MARK: Ceremonies

    /// Stores a ceremony until it is taken or expires.
    ///
    /// - Parameter ceremony: The record; its ID must be new.
    /// - Throws: ``StoreError/Code/conflict`` if the ID already exists.
    func insert(_ ceremony: CeremonyRecord) async throws

    /// Reads and deletes a ceremony in one step.
    ///
    /// If several transactions take the same ceremony, only one that commits gets it. If that one is rolled back, the
    /// ceremony exists again. An expired ceremony is returned like any other; the caller checks the time.
    ///
    /// - Parameter id: The ceremony's ID, of any length and content.
    /// - Returns: The ceremony, or `nil` if it does not exist or was taken.
    /// - Throws: ``StoreError`` if the store failed.
    func takeCeremony(id: [UInt8]) async throws -> CeremonyRecord?

    /// Deletes expired ceremonies, those that expired first before others.
    ///
    /// - Parameters:
    ///   - time: Ceremonies that expired before this second are deleted.
    ///   - limit: The largest number of ceremonies to delete, so that other transactions wait only for a slice.
    /// - Returns: The number of deleted ceremonies.
    /// - Throws: ``StoreError`` if the store failed.
    @discardableResult
    func deleteExpiredCeremonies(before time: Int64, limit: Int) async throws -> Int

    /// Stores that a ceremony which the page kept was answered.
    ///
    /// If several transactions store the same use, exactly one commits with `true`.
    ///
    /// - Parameters:
    ///   - use: Bytes that no other ceremony has.
    ///   - time: The second until which the use is kept.
    /// - Returns: Whether the use is new.
    /// - Throws: ``StoreError`` if the store failed.
    func insertUse(_ use: [UInt8], until time: Int64) async throws -> Bool

    /// Deletes uses that are no longer kept.
    ///
    /// - Parameters:
    ///   - time: Uses that were kept until before this second are deleted.
    ///   - limit: The largest number of uses to delete.
    /// - Returns: The number of deleted uses.
    /// - Throws: ``StoreError`` if the store failed.
    @discardableResult
    func deleteExpiredUses(before time: Int64, limit: Int) async throws -> Int

    /// The number of ceremonies in the store, including expired ones.
    func ceremonyCount() async throws -> Int

    // MARK: Accounts

    /// Creates an account.
    ///
    /// If several transactions insert names with the same mapped form, exactly one commits.
    ///
    /// - Parameter account: The record.
    /// - Throws: ``StoreError/Code/usernameTaken`` if the name is in use; ``StoreError/Code/conflict`` if the account
    ///   ID or the user handle is.
    func insert(_ account: Account) async throws

    /// Finds an account by its ID.
    func account(id: AccountID) async throws -> Account?

    /// Finds an account by the mapped form of its name: ``Username/mapped``.
    func account(username mapped: String) async throws -> Account?

    /// Finds an account by its user handle.
    func account(userHandle: UserHandle) async throws -> Account?

    /// A sample of the accounts: the first ones in the order of their user handles, which are random.
    ///
    /// - Parameter limit: The largest number of accounts, at least 1.
    /// - Returns: The accounts.
    /// - Throws: ``StoreError`` if the store failed.
    func accounts(limit: Int) async throws -> [Account]

    /// The accounts in the order of the mapped forms of their names, in pages.
    ///
    /// - Parameters:
    ///   - mapped: The last name of the page before; `nil` for the first page.
    ///   - limit: The largest number of accounts, at least 1.
    /// - Returns: The accounts whose mapped names come after `mapped`, compared as UTF-8.
    /// - Throws: ``StoreError`` if the store failed.
    func accounts(after mapped: String?, limit: Int) async throws -> [Account]

    /// The accounts whose names have a prefix, in the order of the mapped forms of their names, in pages.
    ///
    /// - Parameters:
    ///   - prefix: The first characters of the mapped names, compared as UTF-8.
    ///   - mapped: The last name of the page before; `nil` for the first page.
    ///   - limit: The largest number of accounts, at least 1.
    /// - Returns: The accounts whose mapped names begin with `prefix` and come after `mapped`.
    /// - Throws: ``StoreError`` if the store failed.
    func accounts(withPrefix prefix: String, after mapped: String?, limit: Int) async throws -> [Account]

    /// Updates an account's ``Account/username`` and ``Account/displayName``.
    ///
    /// All other values stay as they were inserted, whatever the record says. If several transactions set names with
    /// the same mapped form, exactly one commits.
    ///
    /// - Parameter account: The record, found by its ID.
    /// - Returns: Whether the account exists; if not, nothing is written.
    /// - Throws: ``StoreError/Code/usernameTaken`` if another account has the name.
    @discardableResult
    func update(_ account: Account) async throws -> Bool

    /// Sets ``Account/disabledAt``. No other call changes this value.
    ///
    /// The caller must end the account's sessions.
    ///
    /// - Parameters:
    ///   - id: The account's ID.
    ///   - time: Since when the account is disabled; `nil` enables it.
    /// - Returns: Whether the account exists; if not, nothing is written.
    /// - Throws: ``StoreError`` if the store failed.
    @discardableResult
    func setAccount(id: AccountID, disabledAt time: Int64?) async throws -> Bool

    /// Sets ``Account/groups``. No other call changes this value.
    ///
    /// - Parameters:
    ///   - id: The account's ID.
    ///   - groups: The groups, in order, each once.
    /// - Returns: Whether the account exists; if not, nothing is written.
    /// - Throws: ``StoreError`` if the store failed.
    @discardableResult
    func setAccount(id: AccountID, groups: [GroupName]) async throws -> Bool

    /// Deletes an account with its password, passkeys, other factors, sessions, recovery links and e-mail addresses.
    ///
    /// A later account with the same name starts empty: no old passkey and no old session belongs to it.
    ///
    /// - Parameter id: The account's ID.
    /// - Returns: Whether the account existed.
    /// - Throws: ``StoreError`` if the store failed.
    @discardableResult
    func deleteAccount(id: AccountID) async throws -> Bool

    // MARK: Passkeys

    /// Adds a passkey to an account.
    ///
    /// - Parameter passkey: The record, with the account's user handle.
    /// - Throws: ``StoreError/Code/credentialExists`` if any account has the credential ID;
    ///   ``StoreError/Code/accountNotFound`` if the account does not exist or has another user handle.
    func insert(_ passkey: Passkey) async throws

    /// Finds a passkey of any account by its credential ID.
    ///
    /// The caller must compare ``Passkey/accountID``.
    func passkey(credentialID: CredentialID) async throws -> Passkey?

    /// An account's passkeys, oldest first (by ``Passkey/createdAt``, then by credential ID).
    func passkeys(of account: AccountID) async throws -> [Passkey]

    /// Stores the changes of a sign-in.
    ///
    /// These are the record's `signCount`, `uvInitialized`, `transports`, `backupEligible` and `backedUp`,
    /// ``Passkey/lastUsedAt`` and ``Passkey/succeeds``. All other values stay as they were inserted, and the name stays as it was last set,
    /// whatever the record says.
    ///
    /// - Parameter passkey: The record, found by credential ID and account.
    /// - Returns: Whether the account has this passkey; if not, nothing is written.
    /// - Throws: ``StoreError`` if the store failed.
    @discardableResult
    func update(_ passkey: Passkey) async throws -> Bool

    /// Renames a passkey if the account owns it.
    ///
    /// - Parameters:
    ///   - credentialID: The credential ID.
    ///   - account: The ID of the account.
    ///   - name: The new name.
    /// - Returns: Whether the account has this passkey; if not, nothing is written.
    /// - Throws: ``StoreError`` if the store failed.
    func renamePasskey(credentialID: CredentialID, of account: AccountID, to name: String) async throws -> Bool

    /// Deletes a passkey if the account owns it. Sessions that began with the passkey, or have a proof with it, end.
    ///
    /// The account's sessions that began with an unknown passkey end too: see ``Session/passkeyProof``. The caller
    /// decides whether the last passkey may be deleted.
    ///
    /// - Parameters:
    ///   - credentialID: The credential ID.
    ///   - account: The ID of the account.
    /// - Returns: Whether the account had this passkey; if not, nothing is deleted.
    /// - Throws: ``StoreError`` if the store failed.
    func deletePasskey(credentialID: CredentialID, of account: AccountID) async throws -> Bool

    // MARK: Passwords

    /// An account's password, or `nil` if it has none.
    func password(of account: AccountID) async throws -> PasswordRecord?

    /// Sets an account's password and replaces an existing one.
    ///
    /// - Parameter password: The record.
    /// - Throws: ``StoreError/Code/accountNotFound`` if the account does not exist.
    func setPassword(_ password: PasswordRecord) async throws

    /// Deletes an account's password.
    ///
    /// The caller decides whether the account may be without one.
    ///
    /// - Parameter account: The ID of the account.
    /// - Returns: Whether the account had a password.
    /// - Throws: ``StoreError`` if the store failed.
    @discardableResult
    func deletePassword(of account: AccountID) async throws -> Bool

    // MARK: Sessions

    /// Begins a session.
    ///
    /// - Parameter session: The record.
    /// - Throws: ``StoreError/Code/accountNotFound`` if the account does not exist; ``StoreError/Code/conflict`` if the
    ///   session ID or the token's hash is in use.
    func insert(_ session: Session) async throws

    /// Finds a session by the hash of its token, even if it has expired: see ``Session/isExpired(at:)`` and
    /// ``liveSession(tokenHash:at:)``.
    func session(tokenHash: [UInt8]) async throws -> Session?

    /// Finds a session by its ID, even if it has expired.
    func session(id: SessionID) async throws -> Session?

    /// An account's sessions, including expired ones, oldest first (by ``Session/createdAt``, then by ID).
    func sessions(of account: AccountID) async throws -> [Session]

    /// Records the use of a session.
    ///
    /// Neither time ever moves back, and no other value changes.
    ///
    /// - Parameters:
    ///   - id: The session's ID.
    ///   - lastSeenAt: The time of the use; an earlier time than the stored one changes nothing.
    ///   - idleExpiresAt: The new limit, `nil` for none.
    /// - Returns: Whether the session exists.
    /// - Throws: ``StoreError`` if the store failed.
    @discardableResult
    func touchSession(id: SessionID, lastSeenAt: Int64, idleExpiresAt: Int64?) async throws -> Bool

    /// Binds a session to the key of a device, unless it is already bound.
    ///
    /// - Parameters:
    ///   - id: The session's ID.
    ///   - binding: The key.
    /// - Returns: Whether the session exists and was not bound.
    /// - Throws: ``StoreError`` if the store failed.
    func bindSession(id: SessionID, to binding: SessionBinding) async throws -> Bool

    /// Counts a proof of a session's device: adds one to ``SessionBinding/proofs``, unless another proof came first.
    ///
    /// - Parameters:
    ///   - id: The session's ID.
    ///   - count: The number of proofs before this one.
    /// - Returns: Whether the session is bound and had this number of proofs; if not, nothing changes.
    /// - Throws: ``StoreError`` if the store failed.
    func countProof(ofSession id: SessionID, after count: Int64) async throws -> Bool

    /// Ends a session if it belongs to the account.
    ///
    /// - Parameters:
    ///   - id: The session's ID.
    ///   - account: The ID of the account.
    /// - Returns: Whether the account had this session; if not, nothing is deleted.
    /// - Throws: ``StoreError`` if the store failed.
    func deleteSession(id: SessionID, of account: AccountID) async throws -> Bool

    /// Ends the session of a token.
    ///
    /// - Parameter tokenHash: The token's hash.
    /// - Returns: Whether the session existed.
    /// - Throws: ``StoreError`` if the store failed.
    @discardableResult
    func deleteSession(tokenHash: [UInt8]) async throws -> Bool

    /// Ends the least important sessions of an account, until it has no more than the given number.
    ///
    /// Sessions without a proof with a passkey end first. So a thief with the password cannot end the owner's sessions. Among
    /// sessions of the same kind the oldest ends first (by ``Session/createdAt``, then by ID).
    ///
    /// - Parameters:
    ///   - account: The ID of the account.
    ///   - limit: The number of sessions that may stay.
    /// - Returns: The number of ended sessions.
    /// - Throws: ``StoreError`` if the store failed.
    @discardableResult
    func deleteOldestSessions(of account: AccountID, keeping limit: Int) async throws -> Int

    /// Deletes expired sessions.
    ///
    /// - Parameters:
    ///   - now: The time for ``Session/isExpired(at:)``.
    ///   - limit: The largest number of sessions to delete, so that other transactions wait only for a slice.
    /// - Returns: The number of deleted sessions.
    /// - Throws: ``StoreError`` if the store failed.
    @discardableResult
    func deleteExpiredSessions(at now: Int64, limit: Int) async throws -> Int

    // MARK: Sessions of apps

    /// Starts a session at an app's host. It replaces an earlier one of the same session and origin.
    ///
    /// It ends in the transaction that ends or deletes its session, for any reason.
    ///
    /// - Parameter session: The record.
    /// - Throws: ``StoreError/Code/accountNotFound`` if the session does not exist; ``StoreError/Code/conflict`` if the token's
    ///   hash is in use.
    func insert(_ session: AppSession) async throws

    /// Finds a session at an app's host by the hash of its token.
    ///
    /// The caller checks ``AppSession/origin``, and that the session itself has not expired.
    func appSession(tokenHash: [UInt8]) async throws -> AppSession?

    // MARK: Invitations

    /// Stores an invitation until it is used or expires.
    ///
    /// - Parameter invitation: The record.
    /// - Throws: ``StoreError/Code/conflict`` if the token's hash is in use.
    func insert(_ invitation: Invitation) async throws

    /// Finds an invitation by the hash of its token, even if it has expired: see ``Invitation/isExpired(at:)``.
    func invitation(tokenHash: [UInt8]) async throws -> Invitation?

    /// The newest invitations, also expired ones, newest first (by ``Invitation/createdAt``, then by token hash).
    ///
    /// - Parameter limit: The largest number of invitations, at least 1.
    /// - Returns: The invitations.
    /// - Throws: ``StoreError`` if the store failed.
    func invitations(limit: Int) async throws -> [Invitation]

    /// Deletes an invitation that is being used.
    ///
    /// If several transactions delete the same invitation, only one that commits gets `true`.
    ///
    /// - Parameter tokenHash: The token's hash.
    /// - Returns: Whether the invitation existed.
    /// - Throws: ``StoreError`` if the store failed.
    @discardableResult
    func deleteInvitation(tokenHash: [UInt8]) async throws -> Bool

    /// Deletes expired invitations.
    ///
    /// - Parameters:
    ///   - time: Invitations that expired before this second are deleted.
    ///   - limit: The largest number of invitations to delete.
    /// - Returns: The number of deleted invitations.
    /// - Throws: ``StoreError`` if the store failed.
    @discardableResult
    func deleteExpiredInvitations(before time: Int64, limit: Int) async throws -> Int

    // MARK: Tries

    /// Reads a count of attempts, even if the count has ended.
    ///
    /// - Parameter key: ``AttemptCount/key``.
    /// - Returns: The count, or `nil` if nothing was tried.
    /// - Throws: ``StoreError`` if the store failed.
    func attempts(_ key: [UInt8]) async throws -> AttemptCount?

    /// Writes a count of attempts. It replaces an earlier one with the same key.
    func setAttempts(_ attempts: AttemptCount) async throws

    /// Deletes a count of attempts.
    ///
    /// - Parameter key: ``AttemptCount/key``.
    /// - Returns: Whether there was one.
    /// - Throws: ``StoreError`` if the store failed.
    @discardableResult
    func deleteAttempts(_ key: [UInt8]) async throws -> Bool

    /// Deletes counts of attempts that have ended.
    ///
    /// - Parameters:
    ///   - time: Counts that ended before this second are deleted.
    ///   - limit: The largest number of counts to delete.
    /// - Returns: The number of deleted counts.
    /// - Throws: ``StoreError`` if the store failed.
    @discardableResult
    func deleteExpiredAttempts(before time: Int64, limit: Int) async throws -> Int

    /// Deletes counts until no more than the given number are left: those with the fewest attempts first, and among these the
    /// oldest first.
    ///
    /// So an attacker who tries many names cannot delete the count of the name under attack.
    ///
    /// - Parameters:
    ///   - most: The number of counts that may stay.
    ///   - limit: The largest number of counts to delete.
    /// - Returns: The number of deleted counts.
    /// - Throws: ``StoreError`` if the store failed.
    @discardableResult
    func deleteSurplusAttempts(keeping most: Int, limit: Int) async throws -> Int

    // MARK: The audit log

    /// Adds a row to the end of the audit log, in the transaction of the change that it records.
    ///
    /// The store computes the row's hash from the row before, with ``AuditPoint/next(_:)``.
    ///
    /// - Parameter event: What happened.
    /// - Throws: ``StoreError`` if the store failed.
    func append(_ event: AuditEvent) async throws

    /// The end of the audit log: its last row, or the checkpoint if there are no rows, or ``AuditPoint/start`` if there is
    /// neither.
    func auditEnd() async throws -> AuditPoint

    /// Rows of the audit log in pages, oldest first.
    ///
    /// - Parameters:
    ///   - number: The last row of the page before; 0 for the first page.
    ///   - limit: The largest number of rows, at least 1.
    /// - Returns: The rows with greater numbers. Nothing is checked: see ``AuditVerification``.
    /// - Throws: ``StoreError`` if the store failed.
    func auditEntries(after number: Int64, limit: Int) async throws -> [AuditEntry]

    /// The newest rows of the audit log that are about an account, newest first.
    ///
    /// - Parameters:
    ///   - account: The ID of the account.
    ///   - limit: The largest number of rows, at least 1.
    /// - Returns: The rows. Nothing is checked: see ``AuditVerification``.
    /// - Throws: ``StoreError`` if the store failed.
    func auditEntries(of account: AccountID, limit: Int) async throws -> [AuditEntry]

    /// Whether a row of the audit log says that a passkey was deleted.
    ///
    /// A passkey that merely is not in the store may be newer than a backup that was restored.
    func wasDeleted(credentialID: CredentialID) async throws -> Bool

    /// The last row that was deleted because it was old, or `nil` if no rows were deleted.
    func auditCheckpoint() async throws -> AuditSeal?

    /// Deletes the rows of the audit log up to a checkpoint. The checkpoint replaces these rows and an older checkpoint.
    ///
    /// - Parameter checkpoint: The place of the last row to delete, signed.
    /// - Returns: The number of deleted rows.
    /// - Throws: ``StoreError`` if the store failed.
    @discardableResult
    func deleteAuditEntries(through checkpoint: AuditSeal) async throws -> Int

    // MARK: Secrets

    /// Reads a secret of the service itself, such as the key for decoys.
    func secret(named name: String) async throws -> [UInt8]?

    /// Stores a secret, unless a secret with this name exists: the first writer wins.
    ///
    /// - Parameters:
    ///   - name: The name of the secret.
    ///   - bytes: The secret.
    /// - Returns: The stored secret; it differs from `bytes` if another writer was first.
    /// - Throws: ``StoreError`` if the store failed.
    @discardableResult
    func insertSecret(named name: String, _ bytes: [UInt8]) async throws -> [UInt8]
}

extension AccountTransaction {
    /// Finds an account by its name; names with the same mapped form find the same account.
    public func account(username: Username) async throws -> Account? {
        try await account(username: username.mapped)
    }

    /// The session of a token, unless it has expired.
    ///
    /// A session with a ``Session/binding`` must not open without a proof of its device. The caller checks that.
    public func liveSession(tokenHash: [UInt8], at now: Int64) async throws -> Session? {
        guard let session = try await session(tokenHash: tokenHash), !session.isExpired(at: now) else { return nil }
        return session
    }
}
