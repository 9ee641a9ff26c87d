public import WardSyncRecords

/// The checks that every `SyncStore` must pass.
///
/// They do not depend on a test framework. Give each check an empty store without other users.
public enum SyncStoreSuite {
    /// One check of a property that the protocol promises.
    public struct Check: Sendable, CustomStringConvertible {
        /// The promised property, as a sentence.
        public let name: String
        /// The promised property.
        public var description: String { name }
        private let body: @Sendable (any SyncStore) async throws -> Void

        init(_ name: String, _ body: @escaping @Sendable (any SyncStore) async throws -> Void) {
            self.name = name
            self.body = body
        }

        /// Runs the check.
        ///
        /// - Parameter store: An empty store; it is not empty afterwards.
        /// - Throws: `AccountStoreSuite.Failure` if the promise is not kept, or the store's errors.
        public func run(on store: some SyncStore) async throws {
            do {
                try await body(store)
            } catch let failure as AccountStoreSuite.Failure {
                throw failure
            } catch {
                throw AccountStoreSuite.Failure(reason: "\(name): unexpected error: \(error)")
            }
        }
    }

    /// All checks.
    public static let checks: [Check] = vaults + entries + sessions + clearing

    /// Runs a call that must be refused.
    static func refused(
        _ code: SyncStoreError.Code,
        line: UInt = #line,
        _ body: () async throws -> Void
    ) async throws {
        do {
            try await body()
        } catch let error as SyncStoreError where error.code == code {
            return
        } catch {
            throw AccountStoreSuite.Failure(reason: "line \(line): expected \(code.name), got \(error)")
        }
        throw AccountStoreSuite.Failure(reason: "line \(line): expected \(code.name), nothing was refused")
    }
}
