public import WardWebAuthn

/// The checks that every `CredentialStore` must pass.
///
/// Run them on your own store.
///
/// They do not depend on a test framework. With Swift Testing:
///
/// ```swift
/// @Test(arguments: CredentialStoreSuite.checks)
/// func `keeps what a credential store promises`(check: CredentialStoreSuite.Check) async throws {
///     let store = try await MyStore.empty()
///     try await check.run(on: store, entry: { MyPasskey(record: $0, nickname: "") }) { userHandle in
///         try await store.addUser(userHandle)
///     }
/// }
/// ```
public enum CredentialStoreSuite {
    /// One property that the protocol promises.
    public struct Check: Sendable, CustomStringConvertible {
        /// The promised property, as a sentence.
        public let name: String
        /// A description: the same text as ``name``.
        public var description: String { name }

        private let body: @Sendable (CredentialSubject) async throws -> Void

        init(_ name: String, _ body: @escaping @Sendable (CredentialSubject) async throws -> Void) {
            self.name = name
            self.body = body
        }

        /// Checks the property with a store whose entries have more than the record.
        ///
        /// - Parameters:
        ///   - store: An empty store that nobody else uses; it is not empty afterwards.
        ///   - entry: Makes the entry of a record.
        ///   - addAccount: Makes an account with that user handle. The check calls it before it uses the account.
        /// - Throws: `AccountStoreSuite.Failure` if the promise is not kept, or what `addAccount` threw.
        public func run<Store: CredentialStore>(
            on store: Store,
            entry: @escaping @Sendable (CredentialRecord) -> Store.Transaction.Credential,
            addAccount: @escaping @Sendable (UserHandle) async throws -> Void
        ) async throws {
            for account in CredentialSubject.accounts { try await addAccount(account) }
            do {
                try await body(CredentialSubject(store, entry))
            } catch let failure as AccountStoreSuite.Failure {
                throw failure
            } catch {
                throw AccountStoreSuite.Failure(reason: "\(name): unexpected error: \(error)")
            }
        }

        /// Checks the property with a store that has only the record.
        ///
        /// - Parameters:
        ///   - store: An empty store that nobody else uses; it is not empty afterwards.
        ///   - addAccount: Makes an account with that user handle, in a store that has accounts.
        /// - Throws: `AccountStoreSuite.Failure` if the promise is not kept, or what `addAccount` threw.
        public func run<Store: CredentialStore>(
            on store: Store,
            addAccount: @escaping @Sendable (UserHandle) async throws -> Void = { _ in }
        ) async throws where Store.Transaction.Credential == CredentialRecord {
            try await run(on: store, entry: { $0 }, addAccount: addAccount)
        }
    }

    /// All promises.
    public static let checks: [Check] = ceremonies + credentials + transactions
}

/// The store under test.
///
/// Its types are erased, so that checks can be in an array.
struct CredentialSubject: Sendable {
    typealias Transaction = any RecordTransaction
    typealias Body = @Sendable (Transaction) async throws -> Void

    /// The user handles of the two accounts in the store.
    static let accounts = [Sample.userHandle(1), Sample.userHandle(2)]

    private let perform: @Sendable (@escaping Body) async throws -> Void

    init<Store: CredentialStore>(
        _ store: Store,
        _ entry: @escaping @Sendable (CredentialRecord) -> Store.Transaction.Credential
    ) {
        perform = { body in
            try await store.withTransaction { try await body(RecordsOnly(base: $0, entry: entry)) }
        }
    }

    @discardableResult
    func write<T: Sendable>(_ body: @escaping @Sendable (Transaction) async throws -> T) async throws -> T {
        let result = Kept<T>()
        try await perform { result.keep(try await body($0)) }
        return try result.get()
    }
}

/// A transaction that stores only the record.
protocol RecordTransaction: CredentialTransaction where Credential == CredentialRecord {}

/// A transaction that shows only the record of each entry.
private struct RecordsOnly<Base: CredentialTransaction>: RecordTransaction {
    let base: Base
    let entry: @Sendable (CredentialRecord) -> Base.Credential

    func insert(_ ceremony: Ceremony) async throws { try await base.insert(ceremony) }
    func takeCeremony(id: CeremonyID) async throws -> Ceremony? { try await base.takeCeremony(id: id) }
    func isRegistered(_ id: CredentialID) async throws -> Bool { try await base.isRegistered(id) }
    func insert(_ credential: CredentialRecord) async throws { try await base.insert(entry(credential)) }
    func update(_ credential: CredentialRecord) async throws -> Bool { try await base.update(entry(credential)) }

    func credential(id: CredentialID, of user: UserHandle) async throws -> CredentialRecord? {
        try await base.credential(id: id, of: user)?.record
    }

    func credentials(of user: UserHandle) async throws -> [CredentialRecord] {
        try await base.credentials(of: user).map(\.record)
    }
}
