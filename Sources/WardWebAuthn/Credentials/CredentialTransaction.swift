/// Ceremonies and credentials inside one transaction.
///
/// Calls are made one after the other. An asynchronous database suspends in them. A synchronous database can implement
/// them without `async`.
public protocol CredentialTransaction {
    /// The stored entry of a credential.
    associatedtype Credential: CredentialEntry = CredentialRecord

    /// Stores a new ceremony.
    ///
    /// - Parameter ceremony: The ceremony, stored under its ID.
    /// - Throws: The store's errors.
    func insert(_ ceremony: Ceremony) async throws

    /// Reads and deletes a ceremony atomically: only one of several callers gets it.
    ///
    /// - Parameter id: The ceremony's ID.
    /// - Returns: The ceremony, even if it has expired, or `nil` if it does not exist or was already taken.
    /// - Throws: The store's errors.
    func takeCeremony(id: CeremonyID) async throws -> Ceremony?

    /// Reads a credential if the account owns it.
    ///
    /// - Parameters:
    ///   - id: The credential ID.
    ///   - user: The account's user handle.
    /// - Returns: The entry, or `nil` if the account has no credential with this ID.
    /// - Throws: The store's errors.
    func credential(id: CredentialID, of user: UserHandle) async throws -> Credential?

    /// Reads all credentials of an account.
    ///
    /// - Parameter user: The account's user handle.
    /// - Returns: The entries; an empty list if the account does not exist.
    /// - Throws: The store's errors.
    func credentials(of user: UserHandle) async throws -> [Credential]

    /// Whether any account has a credential with this ID.
    ///
    /// - Parameter id: The credential ID.
    /// - Returns: `true` also if another account has it.
    /// - Throws: The store's errors.
    func isRegistered(_ id: CredentialID) async throws -> Bool

    /// Stores a new credential.
    ///
    /// - Parameter credential: The entry.
    /// - Throws: The store's errors; also if the credential ID is taken.
    func insert(_ credential: Credential) async throws

    /// Stores the changes of a sign-in to a credential.
    ///
    /// - Parameter credential: The entry; the store finds it by credential ID and owner.
    /// - Returns: Whether the owner has this credential; if not, nothing is written.
    /// - Throws: The store's errors.
    @discardableResult
    func update(_ credential: Credential) async throws -> Bool
}
