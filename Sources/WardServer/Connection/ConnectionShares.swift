import Synchronization

/// Shares the connections among clients, so that one client cannot take them all.
///
/// As long as there is room, a client may have as many as it likes; a proxy has them all. Without room, a new connection
/// closes one of the client that has the most: the oldest idle one, or one that slowly sends a request. A connection
/// whose request is being answered is never closed for another.
package final class ConnectionShares: Sendable {
    /// Names a connection.
    package struct ID: Hashable, Sendable {
        fileprivate let number: Int
    }

    private struct Connection {
        let client: ClientAddress
        let close: @Sendable () -> Void
        var waiting = ConnectionState.Waiting.forHead
        /// When it began to wait, counted in changes.
        var since: Int
    }

    private struct State {
        var connections: [Int: Connection] = [:]
        var counts: [ClientAddress: Int] = [:]
        var clock = 0

        mutating func tick() -> Int {
            clock += 1
            return clock
        }

        /// Removes a connection and returns it.
        mutating func remove(_ number: Int) -> Connection? {
            guard let connection = connections.removeValue(forKey: number) else { return nil }
            let count = (counts[connection.client] ?? 1) - 1
            counts[connection.client] = count > 0 ? count : nil
            return connection
        }

        /// The connection that must go: of the client with the most, idle before slow, the oldest first.
        func surplus(besides new: Int) -> Int? {
            let candidates = connections.filter { $0.key != new && $0.value.waiting != .forAnswer }
            return candidates.min { first, second in rank(first.value) < rank(second.value) }?.key
        }

        private func rank(_ connection: Connection) -> (Int, Int, Int) {
            (-(counts[connection.client] ?? 0), connection.waiting == .forBody ? 1 : 0, connection.since)
        }
    }

    private let room: Int
    private let state = Mutex(State())

    /// - Parameter room: The number of connections from which on others are closed.
    package init(_ room: Int) {
        self.room = room
    }

    /// The number of connections.
    package var count: Int { state.withLock { $0.connections.count } }

    /// Counts a new connection, and closes another one if there is no room.
    ///
    /// - Parameters:
    ///   - client: The client.
    ///   - close: Closes the connection; called at most once.
    /// - Returns: The connection's name.
    package func add(_ client: ClientAddress, close: @escaping @Sendable () -> Void) -> ID {
        let (id, surplus) = state.withLock { state in
            let number = state.tick()
            state.connections[number] = Connection(client: client, close: close, since: number)
            state.counts[client, default: 0] += 1
            var surplus: Connection?
            if state.connections.count > room, let found = state.surplus(besides: number) {
                surplus = state.remove(found)
            }
            return (ID(number: number), surplus)
        }
        surplus?.close()
        return id
    }

    /// Notes what a connection waits for.
    package func set(_ id: ID, _ waiting: ConnectionState.Waiting) {
        state.withLock { state in
            guard state.connections[id.number] != nil else { return }
            let since = state.tick()
            state.connections[id.number]?.waiting = waiting
            state.connections[id.number]?.since = since
        }
    }

    /// Forgets a connection that is closed.
    package func remove(_ id: ID) {
        state.withLock { _ = $0.remove(id.number) }
    }
}
