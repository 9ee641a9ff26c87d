import Synchronization
import WardLog
import WardSyncRecords

/// Wakes the requests that wait for entries of a vault.
///
/// It carries no numbers: who is woken asks the store. So nothing is missed if two uploads come at once.
final class HeadNews: Sendable {
    enum Kind: Sendable {
        /// A request that is answered at the first news.
        case poll
        /// A stream of events.
        case stream
    }

    /// A request that waits, until ``leave(_:)`` or until nothing refers to it any more.
    ///
    /// A connection can end before the body of its answer begins, and then nobody leaves.
    final class Listening: Sendable {
        let vault: VaultID
        let id: UInt64
        /// An element for each time that there may be news, or that a stream must show that it is there; several at once are one.
        let wakes: AsyncStream<Void>
        let continuation: AsyncStream<Void>.Continuation
        private let possible: PossibleNews
        private let news: HeadNews

        fileprivate init(
            _ vault: VaultID,
            _ id: UInt64,
            _ wakes: AsyncStream<Void>,
            _ listener: Listener,
            of news: HeadNews
        ) {
            (self.vault, self.id, self.wakes) = (vault, id, wakes)
            (continuation, possible) = (listener.continuation, listener.news)
            self.news = news
        }

        deinit { news.leave(vault, id) }

        /// Whether there may be news since the last call; at first there may be.
        func takeNews() -> Bool { possible.take() }
    }

    /// Whether there may be news that a request has not looked for.
    fileprivate final class PossibleNews: Sendable {
        private let isThere = Atomic(true)

        func note() { isThere.store(true, ordering: .releasing) }

        func take() -> Bool { isThere.exchange(false, ordering: .acquiring) }
    }

    fileprivate struct Listener {
        let subject: SyncSubject
        let kind: Kind
        let continuation: AsyncStream<Void>.Continuation
        let news: PossibleNews
    }

    private struct State {
        var listeners: [VaultID: [UInt64: Listener]] = [:]
        var count = 0
        var nextID: UInt64 = 0
        var told: UInt64 = 0
        var isClosed = false
    }

    private let limit: Int
    private let share: Int
    private let state = Mutex(State())

    /// - Parameters:
    ///   - limit: The maximum number of requests that wait.
    ///   - share: The maximum number of those of one vault.
    init(limit: Int, ofVault share: Int) { (self.limit, self.share) = (limit, share) }

    /// The number of requests that wait.
    var count: Int { state.withLock { $0.count } }

    /// A number that grows whenever there may be news, of any vault.
    ///
    /// Who reads the store, then begins to listen, and finds the same number as before has missed nothing.
    var told: UInt64 { state.withLock { $0.told } }

    /// Begins to listen.
    ///
    /// A second stream of a device ends the first one, which may be one that nobody reads any more.
    ///
    /// - Throws: ``SyncError`` if too many listen, in all or of this vault.
    func listen(_ kind: Kind, _ vault: VaultID, _ subject: SyncSubject) throws -> Listening {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let listener = Listener(subject: subject, kind: kind, continuation: continuation, news: PossibleNews())
        let (id, ended) = try state.withLock { state throws -> (UInt64, [Listener]) in
            guard !state.isClosed, state.count < limit else {
                throw SyncError(.busy, "Too many clients wait for news. Try again later.", retryAfter: 30)
            }
            let all = state.listeners[vault] ?? [:]
            let own = all.filter { $0.value.subject == subject && $0.value.kind == kind }
            if kind == .poll, own.count >= SyncLimits.waitingOfDevice {
                throw SyncError(.tooManyRequests, "The device waits for news already.", retryAfter: SyncLimits.wait)
            }
            let ended = kind == .stream ? own : [:]
            guard all.count - ended.count < share else {
                throw SyncError(
                    .tooManyRequests,
                    "Too many devices of the vault wait for news already.",
                    retryAfter: SyncLimits.wait
                )
            }
            for id in ended.keys { state.listeners[vault]?[id] = nil }
            state.count += 1 - ended.count
            state.nextID += 1
            state.listeners[vault, default: [:]][state.nextID] = listener
            return (state.nextID, Array(ended.values))
        }
        for listener in ended { listener.continuation.finish() }
        return Listening(vault, id, stream, listener, of: self)
    }

    /// Ends the waiting of a request.
    func leave(_ listening: Listening) { leave(listening.vault, listening.id) }

    private func leave(_ vault: VaultID, _ id: UInt64) {
        let left = state.withLock { state -> Listener? in
            guard let left = state.listeners[vault]?.removeValue(forKey: id) else { return nil }
            state.count -= 1
            if state.listeners[vault]?.isEmpty == true { state.listeners[vault] = nil }
            return left
        }
        left?.continuation.finish()
    }

    /// There are new entries, a session may have ended, or the vault is gone.
    func tell(_ vault: VaultID) {
        let found = state.withLock { state in
            state.told += 1
            return Array((state.listeners[vault] ?? [:]).values)
        }
        for listener in found {
            listener.news.note()
            listener.continuation.yield()
        }
    }

    /// Wakes a part of the streams, so that each shows its client that the server is still there.
    ///
    /// - Parameters:
    ///   - part: The number of the part, from 0.
    ///   - parts: How many parts there are.
    func beat(_ part: UInt64, of parts: UInt64) {
        let found = state.withLock { state in
            state.listeners.values.flatMap { listeners in
                listeners.compactMap {
                    $0.key % parts == part && $0.value.kind == .stream ? $0.value.continuation : nil
                }
            }
        }
        for continuation in found { continuation.yield() }
    }

    /// Ends all waiting: the service stops.
    func close() {
        let found = state.withLock { state in
            state.isClosed = true
            return state.listeners.values.flatMap(\.values)
        }
        for listener in found { listener.continuation.finish() }
    }
}
