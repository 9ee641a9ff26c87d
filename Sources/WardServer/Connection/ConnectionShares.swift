package import NIOCore
import Synchronization

/// Shares the connections among clients, so that one client cannot take them all.
///
/// While there is room, a client may have any number of connections. Without room, a new connection closes one of the client
/// that has the most: the oldest idle one, or one that sends a request slowly. A trusted proxy has the connections of many
/// people, so one of its connections is closed only if nobody else has one to close. A connection whose request is being
/// answered is never closed for another.
package final class ConnectionShares: Sendable {
    /// Names a connection.
    package struct ID: Hashable, Sendable {
        fileprivate let number: Int
    }

    private struct Connection {
        let client: ClientAddress
        let isProxy: Bool
        let close: @Sendable () -> Void
        var waiting = ConnectionState.Waiting.forHead
        /// The time when the connection began to wait, as a number of changes.
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

        /// The connection to close: one of the client with the most connections, idle ones before slow ones, the oldest first.
        func surplus(besides new: Int) -> Int? {
            let candidates = connections.filter { $0.key != new && $0.value.waiting != .forAnswer }
            return candidates.min { first, second in rank(first.value) < rank(second.value) }?.key
        }

        private func rank(_ connection: Connection) -> (Int, Int, Int, Int) {
            let count = counts[connection.client] ?? 0
            return (connection.isProxy ? 1 : 0, -count, connection.waiting == .forBody ? 1 : 0, connection.since)
        }
    }

    private let room: Int
    private let proxies: TrustedProxies?
    private let onSurplus: @Sendable () -> Void
    private let state = Mutex(State())

    /// - Parameters:
    ///   - room: The number of connections from which on others are closed.
    ///   - proxies: The proxies that have the connections of many people.
    ///   - onSurplus: Called for each connection that is closed for another one.
    package init(_ room: Int, proxies: TrustedProxies? = nil, onSurplus: @escaping @Sendable () -> Void = {}) {
        self.room = room
        self.proxies = proxies
        self.onSurplus = onSurplus
    }

    /// The number of connections.
    package var count: Int { state.withLock { $0.connections.count } }

    /// Counts a new connection, and closes another one if there is no room.
    ///
    /// - Parameters:
    ///   - peer: The other end of the connection.
    ///   - close: Closes the connection; called at most once.
    /// - Returns: The connection's name.
    package func add(_ peer: SocketAddress?, close: @escaping @Sendable () -> Void) -> ID {
        let (client, isProxy) = (ClientAddress(peer), proxies?.trusts(peer: peer) ?? false)
        let (id, surplus) = state.withLock { state in
            let number = state.tick()
            state.connections[number] = Connection(client: client, isProxy: isProxy, close: close, since: number)
            state.counts[client, default: 0] += 1
            var surplus: Connection?
            if state.connections.count > room, let found = state.surplus(besides: number) {
                surplus = state.remove(found)
            }
            return (ID(number: number), surplus)
        }
        if let surplus {
            surplus.close()
            onSurplus()
        }
        return id
    }

    /// Records what a connection is waiting for.
    package func set(_ id: ID, _ waiting: ConnectionState.Waiting) {
        state.withLock { state in
            guard state.connections[id.number] != nil else { return }
            let since = state.tick()
            state.connections[id.number]?.waiting = waiting
            state.connections[id.number]?.since = since
        }
    }

    /// Removes a connection that was closed.
    package func remove(_ id: ID) {
        state.withLock { _ = $0.remove(id.number) }
    }
}
