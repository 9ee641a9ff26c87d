import WardAccounts
import WardTesting

/// A store whose state is another one for each call: the calls of a task see the fork that the task has.
///
/// So one service goes on from the same state in many ways. What runs beside the calls, such as the sender of messages, sees the
/// base, in which nothing happens meanwhile.
final class ForkedStore: AccountStore {
    typealias Transaction = MemoryTransaction

    @TaskLocal static var fork: MemoryAccountStore?
    let base = MemoryAccountStore()

    func read<T: Sendable>(_ body: @escaping @Sendable (MemoryTransaction) async throws -> T) async throws -> T {
        try await (Self.fork ?? base).read(body)
    }

    @discardableResult
    func write<T: Sendable>(_ body: @escaping @Sendable (MemoryTransaction) async throws -> T) async throws -> T {
        try await (Self.fork ?? base).write(body)
    }
}
