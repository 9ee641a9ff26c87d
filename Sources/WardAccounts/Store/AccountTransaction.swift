public import WardWebAuthn

/// What can be asked of a store inside one transaction.
///
/// It is the transaction of the relying party's ceremonies too: what `CredentialTransaction` asks for is answered by the
/// calls here, and what it keeps of a credential is a ``Passkey``.
///
/// Calls are made one after the other and see what earlier calls of the same transaction wrote. Each is atomic by itself: one that
/// throws has changed nothing. If the error is a refusal (``StoreError/Code/isRefusal``) the closure may catch it, go
/// on and commit what it did before; after any other error it must let it out.
///
/// Records come back exactly as they were given, byte for byte, scalar for scalar. The exception is text with U+0000,
/// which databases cannot hold: it is refused with ``StoreError/Code/notStorable``.
public protocol AccountTransaction: CredentialTransaction where Credential == Passkey {
    // MARK: Ceremonies

    /// Keeps a ceremony until it is taken or swept.
    ///
    /// - Parameter ceremony: The record; the identifier must be new.
    /// - Throws: ``StoreError/Code/conflict`` if the identifier is there already.
    func insert(_ ceremony: CeremonyRecord) async throws

    /// Reads a ceremony and deletes it, in one step.
    ///
    /// Of any number of transactions that take the same one, exactly one that commits gets it; if that one is rolled
    /// back, the ceremony is there again. An expired ceremony is returned like any other: the taker checks the time.
    ///
    /// - Parameter id: The ceremony's identifier, of any length and content.
    /// - Returns: The ceremony, or `nil` if it was never there or is taken.
    /// - Throws: ``StoreError`` if the store failed.
    func takeCeremony(id: [UInt8]) async throws -> CeremonyRecord?

    /// Deletes the ceremonies nobody answered.
    ///
    /// - Parameter time: Ceremonies that expired earlier than this second go.
    /// - Returns: How many went.
    /// - Throws: ``StoreError`` if the store failed.
    @discardableResult
    func deleteExpiredCeremonies(before time: Int64) async throws -> Int

    // MARK: Accounts

    /// Makes an account.
    ///
    /// Of any number of transactions that insert names with the same mapped form, exactly one commits it.
    ///
    /// - Parameter account: The record.
    /// - Throws: ``StoreError/Code/usernameTaken`` if the name is in use; ``StoreError/Code/conflict`` if the account
    ///   id or the user handle is.
    func insert(_ account: Account) async throws

    /// Looks an account up by its identifier.
    func account(id: AccountID) async throws -> Account?

    /// Looks an account up by the mapped form of its name: ``Username/mapped``.
    func account(username mapped: String) async throws -> Account?

    /// Looks an account up by what authenticators know it by.
    func account(userHandle: UserHandle) async throws -> Account?

    /// Writes what can change of an account: ``Account/username`` and ``Account/displayName``.
    ///
    /// Everything else stays as it was inserted, whatever the record says. Of any number of transactions that give names
    /// with the same mapped form, exactly one commits it.
    ///
    /// - Parameter account: The record, found by its ID.
    /// - Returns: Whether the account is there; if not, nothing is written.
    /// - Throws: ``StoreError/Code/usernameTaken`` if another account has the name.
    @discardableResult
    func update(_ account: Account) async throws -> Bool

    /// Deletes an account with its password and all its passkeys and sessions.
    ///
    /// Whoever takes the name afterwards starts from nothing: neither an old passkey nor an old session leads there.
    ///
    /// - Parameter id: Whose account.
    /// - Returns: Whether it was there.
    /// - Throws: ``StoreError`` if the store failed.
    @discardableResult
    func deleteAccount(id: AccountID) async throws -> Bool

    // MARK: Passkeys

    /// Adds a passkey to an account.
    ///
    /// - Parameter passkey: The record, with the account's user handle.
    /// - Throws: ``StoreError/Code/credentialExists`` if any account has the credential ID;
    ///   ``StoreError/Code/accountNotFound`` if there is no such account, or its user handle is another.
    func insert(_ passkey: Passkey) async throws

    /// Looks a passkey up by its credential ID, whoever owns it: the caller compares ``Passkey/accountID``.
    func passkey(credentialID: CredentialID) async throws -> Passkey?

    /// An account's passkeys, oldest first (by ``Passkey/createdAt``, then by credential ID).
    func passkeys(of account: AccountID) async throws -> [Passkey]

    /// How many passkeys an account has.
    func passkeyCount(of account: AccountID) async throws -> Int

    /// Writes what a sign-in changes.
    ///
    /// That is the record's `signCount`, `uvInitialized`, `transports`, `backupEligible` and `backedUp`, and
    /// ``Passkey/lastUsedAt``. Everything else stays as it was inserted, and the name as it was last given, whatever the
    /// record says.
    ///
    /// - Parameter passkey: The record, found by credential ID and account together.
    /// - Returns: Whether that account has that passkey; if not, nothing is written.
    /// - Throws: ``StoreError`` if the store failed.
    @discardableResult
    func update(_ passkey: Passkey) async throws -> Bool

    /// Renames a passkey, if that account owns it.
    ///
    /// - Parameters:
    ///   - credentialID: Which passkey.
    ///   - account: Who asks.
    ///   - name: The new name.
    /// - Returns: Whether that account has that passkey; if not, nothing is written.
    /// - Throws: ``StoreError`` if the store failed.
    func renamePasskey(credentialID: CredentialID, of account: AccountID, to name: String) async throws -> Bool

    /// Deletes a passkey, if that account owns it; whether it may lose its last one is the caller's to decide.
    ///
    /// - Parameters:
    ///   - credentialID: Which passkey.
    ///   - account: Who asks.
    /// - Returns: Whether that account had that passkey; if not, nothing is deleted.
    /// - Throws: ``StoreError`` if the store failed.
    func deletePasskey(credentialID: CredentialID, of account: AccountID) async throws -> Bool

    // MARK: Passwords

    /// An account's password, or `nil` if it has none.
    func password(of account: AccountID) async throws -> PasswordRecord?

    /// Gives an account a password, in place of the one it may have.
    ///
    /// - Parameter password: The record.
    /// - Throws: ``StoreError/Code/accountNotFound`` if there is no such account.
    func setPassword(_ password: PasswordRecord) async throws

    /// Takes an account's password away; whether it may be without one is the caller's to decide.
    ///
    /// - Parameter account: Whose password.
    /// - Returns: Whether there was one.
    /// - Throws: ``StoreError`` if the store failed.
    @discardableResult
    func deletePassword(of account: AccountID) async throws -> Bool

    // MARK: Sessions

    /// Begins a session.
    ///
    /// - Parameter session: The record.
    /// - Throws: ``StoreError/Code/accountNotFound`` if there is no such account; ``StoreError/Code/conflict`` if the
    ///   session id or the token's hash is in use.
    func insert(_ session: Session) async throws

    /// Looks a session up by the hash of its token, expired or not: see ``Session/isExpired(at:)`` and
    /// ``liveSession(tokenHash:at:)``.
    func session(tokenHash: [UInt8]) async throws -> Session?

    /// An account's sessions, expired ones included, oldest first (by ``Session/createdAt``, then by id).
    func sessions(of account: AccountID) async throws -> [Session]

    /// Notes that a session's browser was heard of; neither time ever goes back, and nothing else changes.
    ///
    /// - Parameters:
    ///   - id: Which session.
    ///   - lastSeenAt: When; an earlier time than the stored one leaves the session as it is.
    ///   - idleExpiresAt: The new limit, `nil` for none.
    /// - Returns: Whether the session is there.
    /// - Throws: ``StoreError`` if the store failed.
    @discardableResult
    func touchSession(id: SessionID, lastSeenAt: Int64, idleExpiresAt: Int64?) async throws -> Bool

    /// Ends a session, if it is that account's.
    ///
    /// - Parameters:
    ///   - id: Which session.
    ///   - account: Who asks.
    /// - Returns: Whether that account had that session; if not, nothing is deleted.
    /// - Throws: ``StoreError`` if the store failed.
    func deleteSession(id: SessionID, of account: AccountID) async throws -> Bool

    /// Ends the session a token belongs to.
    ///
    /// - Parameter tokenHash: The token's hash.
    /// - Returns: Whether there was one.
    /// - Throws: ``StoreError`` if the store failed.
    @discardableResult
    func deleteSession(tokenHash: [UInt8]) async throws -> Bool

    /// Deletes the sessions that are over.
    ///
    /// - Parameter now: What ``Session/isExpired(at:)`` is asked with.
    /// - Returns: How many went.
    /// - Throws: ``StoreError`` if the store failed.
    @discardableResult
    func deleteExpiredSessions(at now: Int64) async throws -> Int

    // MARK: Secrets

    /// Reads a secret of the service itself, such as the key that decoys are derived with.
    func secret(named name: String) async throws -> [UInt8]?

    /// Keeps a secret unless there is one of that name: the first writer wins, for ever.
    ///
    /// - Parameters:
    ///   - name: What it is read by.
    ///   - bytes: The secret.
    /// - Returns: The secret that counts, which is another one if somebody was faster.
    /// - Throws: ``StoreError`` if the store failed.
    @discardableResult
    func insertSecret(named name: String, _ bytes: [UInt8]) async throws -> [UInt8]
}

extension AccountTransaction {
    /// Looks an account up by its name; names with the same mapped form find the same account.
    public func account(username: Username) async throws -> Account? {
        try await account(username: username.mapped)
    }

    /// The session a token belongs to, unless it is over.
    public func liveSession(tokenHash: [UInt8], at now: Int64) async throws -> Session? {
        guard let session = try await session(tokenHash: tokenHash), !session.isExpired(at: now) else { return nil }
        return session
    }
}

/// The relying party's questions, answered from accounts and passkeys.
extension AccountTransaction {
    /// Keeps a ceremony that was begun.
    public func insert(_ ceremony: Ceremony) async throws {
        try await insert(CeremonyRecord(ceremony))
    }

    /// Reads and deletes a ceremony at once; one whose bytes cannot be read is deleted and not there.
    public func takeCeremony(id: CeremonyID) async throws -> Ceremony? {
        try await takeCeremony(id: id.bytes).flatMap { try? Ceremony(encoded: $0.payload) }
    }

    /// Reads a passkey, but only if the account with that user handle owns it.
    public func credential(id: CredentialID, of user: UserHandle) async throws -> Passkey? {
        try await passkey(credentialID: id).flatMap { $0.record.userHandle == user ? $0 : nil }
    }

    /// Reads the passkeys of the account with that user handle, oldest first.
    public func credentials(of user: UserHandle) async throws -> [Passkey] {
        guard let account = try await account(userHandle: user) else { return [] }
        return try await passkeys(of: account.id)
    }

    /// Whether any account has a passkey of this credential ID.
    public func isRegistered(_ id: CredentialID) async throws -> Bool {
        try await passkey(credentialID: id) != nil
    }
}
