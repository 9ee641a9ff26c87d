public import WardAccounts

/// The checks that every `AccountStore` must pass.
///
/// Run them on your own store.
///
/// They do not depend on a test framework. With Swift Testing:
///
/// ```swift
/// @Test(arguments: AccountStoreSuite.checks)
/// func `behaves like every store`(check: AccountStoreSuite.Check) async throws {
/// try await check.run(on: MyStore.empty())
/// }
/// ```
public enum AccountStoreSuite {
    /// One check of a property that the protocol promises.
    public struct Check: Sendable, CustomStringConvertible {
        /// The promised property, as a sentence.
        public let name: String
        /// A description: the same text as ``name``.
        public var description: String { name }

        private let body: @Sendable (Subject) async throws -> Void

        init(_ name: String, _ body: @escaping @Sendable (Subject) async throws -> Void) {
            self.name = name
            self.body = body
        }

        /// Runs the check.
        ///
        /// - Parameter store: An empty store without other users; it is not empty afterwards.
        /// - Throws: ``Failure`` if the promise is not kept, or the store's errors.
        public func run(on store: some AccountStore) async throws {
            do {
                try await body(Subject(store))
            } catch let failure as Failure {
                throw failure
            } catch {
                throw Failure(reason: "\(name): unexpected error: \(error)")
            }
        }
    }

    /// A store did not have a promised property.
    public struct Failure: Error, Hashable, Sendable, CustomStringConvertible {
        /// What was expected, what happened, and the line in the suite.
        public let reason: String
        /// A description: the same text as ``reason``.
        public var description: String { reason }
    }

    /// All checks.
    public static let checks: [Check] =
        transactions + ceremonies + accounts + passkeys + passwords + sessions + appSessions + invitations
        + recoveryLinks + factors + attempts + audit + administration + secrets + clients + grants + devices + mail
        + webhooks + upgrades + helpers
}

/// The store under test.
///
/// The type of its transaction is erased, so that checks can be in an array.
struct Subject: Sendable {
    typealias Body = @Sendable (any AccountTransaction) async throws -> Void

    private let perform: @Sendable (_ isWriting: Bool, @escaping Body) async throws -> Void

    init(_ store: some AccountStore) {
        perform = { isWriting, body in
            if isWriting {
                try await store.write { try await body($0) }
            } else {
                try await store.read { try await body($0) }
            }
        }
    }

    func read<T: Sendable>(_ body: @escaping @Sendable (any AccountTransaction) async throws -> T) async throws -> T {
        let result = Kept<T>()
        try await perform(false) { result.keep(try await body($0)) }
        return try result.get()
    }

    @discardableResult
    func write<T: Sendable>(_ body: @escaping @Sendable (any AccountTransaction) async throws -> T) async throws -> T {
        let result = Kept<T>()
        try await perform(true) { result.keep(try await body($0)) }
        return try result.get()
    }

    /// Runs a closure that must be refused.
    func refused(
        _ code: StoreError.Code,
        line: UInt = #line,
        _ body: @escaping @Sendable (any AccountTransaction) async throws -> Void
    ) async throws {
        do {
            try await write(body)
        } catch let error as StoreError where error.code == code {
            return
        } catch {
            throw AccountStoreSuite.Failure(reason: "line \(line): expected \(code.name), got \(error)")
        }
        throw AccountStoreSuite.Failure(reason: "line \(line): expected \(code.name), nothing was refused")
    }
}

/// Runs many closures at the same time and returns their results.
func parallel<T: Sendable>(
    _ count: Int,
    _ body: @escaping @Sendable (_ index: Int) async throws -> T
) async -> [Result<T, any Error>] {
    await withTaskGroup(of: Result<T, any Error>.self) { group in
        for index in 0..<count {
            group.addTask {
                do {
                    return .success(try await body(index))
                } catch {
                    return .failure(error)
                }
            }
        }
        return await group.reduce(into: []) { $0.append($1) }
    }
}

func expect(_ condition: Bool, _ what: String, line: UInt = #line, file: StaticString = #fileID) throws {
    guard condition else { throw AccountStoreSuite.Failure(reason: "\(file):\(line): \(what)") }
}

func expect<T: Equatable>(
    _ found: T,
    equals expected: T,
    _ what: String = "",
    line: UInt = #line,
    file: StaticString = #fileID
) throws {
    guard found != expected else { return }
    throw AccountStoreSuite.Failure(reason: "\(file):\(line): \(what) expected \(expected), found \(found)")
}
