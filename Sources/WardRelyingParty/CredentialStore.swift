public import WardWebAuthn

/// Where ceremonies and credentials are kept.
///
/// One call is one trip and one transaction: what the body did is kept as a whole when it returns and undone as a whole when
/// it throws. Two transactions never see each other half done.
public protocol CredentialStore: Sendable {
    /// What the body works with.
    associatedtype Transaction: CredentialTransaction

    /// Runs the body in one transaction.
    ///
    /// - Parameter body: Synchronous work; it may be run on another thread.
    /// - Returns: What the body returned, after it is durable.
    /// - Throws: What the body threw, or what the store throws when it cannot answer.
    func withTransaction<T: Sendable>(
        _ body: @escaping @Sendable (Transaction) throws -> T
    ) async throws -> T
}

/// Ceremonies and credentials inside one transaction.
public protocol CredentialTransaction {
    /// Keeps a ceremony that was begun.
    ///
    /// - Parameter ceremony: The ceremony, under its identifier.
    /// - Throws: What the store throws when it cannot answer.
    func insert(_ ceremony: Ceremony) throws

    /// Reads and deletes a ceremony at once: of any number of callers exactly one gets it.
    ///
    /// - Parameter id: Its identifier.
    /// - Returns: The ceremony, expired or not, or `nil` when there is none.
    /// - Throws: What the store throws when it cannot answer.
    func takeCeremony(id: CeremonyID) throws -> Ceremony?

    /// Reads a credential, but only if that account owns it.
    ///
    /// - Parameters:
    ///   - id: Its identifier.
    ///   - user: The account's user handle.
    /// - Returns: The record, or `nil` when the account has no such credential.
    /// - Throws: What the store throws when it cannot answer.
    func credential(id: CredentialID, of user: UserHandle) throws -> CredentialRecord?

    /// Reads all credentials of an account.
    ///
    /// - Parameter user: The account's user handle.
    /// - Returns: The records, none when there is no such account.
    /// - Throws: What the store throws when it cannot answer.
    func credentials(of user: UserHandle) throws -> [CredentialRecord]

    /// Whether any account has a credential of this identifier.
    ///
    /// - Parameter id: The identifier.
    /// - Returns: `true` also where the account is another.
    /// - Throws: What the store throws when it cannot answer.
    func isRegistered(_ id: CredentialID) throws -> Bool

    /// Keeps a new credential.
    ///
    /// - Parameter credential: Its record.
    /// - Throws: What the store throws when it cannot answer or the identifier is taken.
    func insert(_ credential: CredentialRecord) throws

    /// Writes the changed fields of a credential back.
    ///
    /// - Parameter credential: The record, found by its identifier.
    /// - Throws: What the store throws when it cannot answer.
    func update(_ credential: CredentialRecord) throws
}
