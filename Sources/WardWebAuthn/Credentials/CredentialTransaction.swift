/// Ceremonies and credentials inside one transaction.
///
/// Calls are made one after the other. A database that answers later suspends in them; where the database answers at once,
/// a method without `async` does as well.
public protocol CredentialTransaction {
    /// What is kept of a credential.
    associatedtype Credential: CredentialEntry = CredentialRecord

    /// Keeps a ceremony that was begun.
    ///
    /// - Parameter ceremony: The ceremony, under its ID.
    /// - Throws: What the store throws when it cannot answer.
    func insert(_ ceremony: Ceremony) async throws

    /// Reads and deletes a ceremony at once: of any number of callers exactly one gets it.
    ///
    /// - Parameter id: Its ID.
    /// - Returns: The ceremony, expired or not, or `nil` when it was never there or is taken.
    /// - Throws: What the store throws when it cannot answer.
    func takeCeremony(id: CeremonyID) async throws -> Ceremony?

    /// Reads a credential, but only if that account owns it.
    ///
    /// - Parameters:
    ///   - id: The credential ID.
    ///   - user: The account's user handle.
    /// - Returns: The entry, or `nil` when the account has no such credential.
    /// - Throws: What the store throws when it cannot answer.
    func credential(id: CredentialID, of user: UserHandle) async throws -> Credential?

    /// Reads all credentials of an account.
    ///
    /// - Parameter user: The account's user handle.
    /// - Returns: The entries; an empty list when there is no such account.
    /// - Throws: What the store throws when it cannot answer.
    func credentials(of user: UserHandle) async throws -> [Credential]

    /// Whether any account has a credential of this ID.
    ///
    /// - Parameter id: The credential ID.
    /// - Returns: `true` also where another account has it.
    /// - Throws: What the store throws when it cannot answer.
    func isRegistered(_ id: CredentialID) async throws -> Bool

    /// Keeps a new credential.
    ///
    /// - Parameter credential: Its entry.
    /// - Throws: What the store throws when it cannot answer or the credential ID is taken.
    func insert(_ credential: Credential) async throws

    /// Writes what a sign-in changed of a credential.
    ///
    /// - Parameter credential: The entry, found by its credential ID and its owner.
    /// - Returns: Whether the owner has that credential; if not, nothing is written.
    /// - Throws: What the store throws when it cannot answer.
    @discardableResult
    func update(_ credential: Credential) async throws -> Bool
}
