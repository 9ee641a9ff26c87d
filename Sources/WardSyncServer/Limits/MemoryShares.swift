import Synchronization
import WardLog
import WardSyncRecords

/// Who has a part of the memory: an account with all its vaults, a vault without one, or who brings a vault that is not there yet.
enum MemoryOwner: Hashable, Sendable {
    case account(String)
    case vault(VaultID)
    case invitation(TokenHash)

    init(_ vault: SyncVault) {
        if let account = vault.account { self = .account(account) } else { self = .vault(vault.id) }
    }
}

/// Memory for what clients send or read as slowly as they like: uploads, or answers.
///
/// All of them together have a length at most, and so have those of one owner. One client has a number of them at most.
final class MemoryShares<Client: Hashable & Sendable>: Sendable {
    /// A part of the memory, until ``leave()`` or until nothing refers to it any more.
    ///
    /// A connection can end before the body of its answer begins, and then nobody leaves.
    final class Place: Sendable {
        let client: Client
        let owner: MemoryOwner
        let length: Int
        private let shares: MemoryShares<Client>
        private let isTaken = Atomic(true)

        fileprivate init(_ client: Client, _ owner: MemoryOwner, _ length: Int, in shares: MemoryShares<Client>) {
            (self.client, self.owner, self.length) = (client, owner, length)
            self.shares = shares
        }

        deinit { leave() }

        /// Gives the memory back.
        func leave() {
            guard isTaken.exchange(false, ordering: .relaxed) else { return }
            shares.give(back: length, client, owner)
        }
    }

    private struct State {
        var counts: [Client: Int] = [:]
        var bytes = 0
        var bytesOfOwner: [MemoryOwner: Int] = [:]
    }

    /// How soon a client can try again, in seconds.
    private static var patience: Int64 { 2 }

    private let room: Int
    private let limit: Int
    private let share: Int
    private let state = Mutex(State())

    /// - Parameters:
    ///   - room: The length of everything, in bytes.
    ///   - limit: The number of places of one client.
    ///   - share: The length of everything of one owner, in bytes.
    init(room: Int, forEach limit: Int, share: Int) {
        (self.room, self.limit, self.share) = (room, limit, share)
    }

    /// The number of places that are taken.
    var count: Int { state.withLock { $0.counts.values.reduce(0, +) } }

    /// Takes a place.
    ///
    /// - Parameters:
    ///   - client: The client.
    ///   - owner: Whose share it is.
    ///   - length: How much memory it can need, in bytes.
    /// - Returns: The place.
    /// - Throws: ``SyncError`` with `busy` if there is no room, or `too_many_requests` if the client or the owner has too much already.
    func take(by client: Client, of owner: MemoryOwner, _ length: Int) throws -> Place {
        try state.withLock { state throws -> Void in
            guard length <= room - state.bytes else {
                throw SyncError(
                    .busy,
                    "The service has too much to do. Try again in a moment.",
                    retryAfter: Self.patience
                )
            }
            guard state.counts[client, default: 0] < limit,
                length <= share - state.bytesOfOwner[owner, default: 0]
            else {
                throw SyncError(
                    .tooManyRequests,
                    "Too many requests are in progress. Try again in a moment.",
                    retryAfter: Self.patience
                )
            }
            state.counts[client, default: 0] += 1
            state.bytes += length
            state.bytesOfOwner[owner, default: 0] += length
        }
        return Place(client, owner, length, in: self)
    }

    /// Runs a closure that takes an upload, with a place for it.
    ///
    /// - Parameters:
    ///   - client: The client.
    ///   - owner: Whose share it is.
    ///   - length: How long the upload can be.
    ///   - body: The closure.
    /// - Returns: What the closure returns.
    /// - Throws: What the closure throws, and what ``take(by:of:_:)`` throws.
    func run<T>(
        by client: Client,
        of owner: MemoryOwner,
        _ length: Int,
        _ body: () async throws -> T
    ) async throws -> T {
        let place = try take(by: client, of: owner, length)
        defer { place.leave() }
        return try await body()
    }

    private func give(back length: Int, _ client: Client, _ owner: MemoryOwner) {
        state.withLock { state in
            let rest = (state.counts[client] ?? 1) - 1
            state.counts[client] = rest > 0 ? rest : nil
            state.bytes -= length
            let left = (state.bytesOfOwner[owner] ?? length) - length
            state.bytesOfOwner[owner] = left > 0 ? left : nil
        }
    }
}
