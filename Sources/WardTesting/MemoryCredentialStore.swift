internal import Synchronization
public import WardWebAuthn

/// A store in memory for ceremonies and credentials, for tests and first steps.
///
/// The data is lost when the process ends.
public final class MemoryCredentialStore: CredentialStore {
    private let state = Mutex(State())

    struct State: Sendable {
        var ceremonies: [CeremonyID: Ceremony] = [:]
        var credentials: [CredentialID: CredentialRecord] = [:]
    }

    /// Creates an empty store.
    public init() {}

    /// All stored credentials.
    public var credentials: [CredentialRecord] { state.withLock { Array($0.credentials.values) } }

    /// The number of stored ceremonies.
    public var ceremonyCount: Int { state.withLock { $0.ceremonies.count } }

    /// Runs the body exclusively and undoes its changes if it throws.
    ///
    /// - Parameter body: The work; it may wait only for the transaction.
    /// - Returns: The body's result.
    /// - Throws: The body's errors, or `SuspendedTransactionError`.
    public func withTransaction<T: Sendable>(
        _ body: @escaping @Sendable (Transaction) async throws -> T
    ) async throws -> T {
        try state.withLock { state in
            let transaction = Transaction(state)
            let result = try runSynchronously(body, with: transaction)
            state = transaction.current
            return result
        }
    }

    /// One transaction: a copy that replaces the original when the body returns.
    public final class Transaction: CredentialTransaction {
        private(set) var current: State

        init(_ state: State) { current = state }

        /// Stores a ceremony.
        public func insert(_ ceremony: Ceremony) {
            current.ceremonies[ceremony.id] = ceremony
        }

        /// Reads and deletes a ceremony.
        public func takeCeremony(id: CeremonyID) -> Ceremony? {
            current.ceremonies.removeValue(forKey: id)
        }

        /// Reads a credential of the account.
        public func credential(id: CredentialID, of user: UserHandle) -> CredentialRecord? {
            current.credentials[id].flatMap { $0.userHandle == user ? $0 : nil }
        }

        /// Reads the credentials of the account, ordered by credential ID.
        public func credentials(of user: UserHandle) -> [CredentialRecord] {
            current.credentials.values.filter { $0.userHandle == user }.sorted { $0.id.base64URL < $1.id.base64URL }
        }

        /// Whether the credential ID is registered.
        public func isRegistered(_ id: CredentialID) -> Bool {
            current.credentials[id] != nil
        }

        /// Stores a credential.
        ///
        /// - Parameter credential: Its record.
        /// - Throws: ``CredentialIDTaken`` when an account has a credential of this ID.
        public func insert(_ credential: CredentialRecord) throws(CredentialIDTaken) {
            guard current.credentials[credential.id] == nil else { throw CredentialIDTaken() }
            current.credentials[credential.id] = credential
        }

        /// Updates a credential if the account has it.
        @discardableResult
        public func update(_ credential: CredentialRecord) -> Bool {
            guard current.credentials[credential.id]?.userHandle == credential.userHandle else { return false }
            current.credentials[credential.id] = credential
            return true
        }
    }
}

/// The ``MemoryCredentialStore`` already has a credential with this ID.
public struct CredentialIDTaken: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong, and what to do instead.
    public var description: String { "the credential ID is taken: ask isRegistered(_:) first, in the same transaction" }

    init() {}
}
