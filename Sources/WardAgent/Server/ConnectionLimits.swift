internal import Synchronization
internal import WardAgentClient

/// How much of the agent one connection, one program and all apps together may take at the same time.
struct ConnectionLimits: Sendable {
    /// Requests in work for one connection; further ones are read when one of them is answered.
    var requests = 32
    /// Bytes of an app's answers that the app has not read yet; the connection is closed when there are more.
    ///
    /// A manager program waits instead: its answers can be megabytes.
    var unread = 64 << 10
    /// Connections of one process.
    var perProcess = 16
    /// Connections of all processes that run the same app, for one that forks.
    var perApp = 32
    /// All connections.
    var total = 64
    /// Connections that no app gets.
    var keptForManagers = 8

    /// The longest message of a program, in bytes.
    func messageLength(isManager: Bool) -> Int { isManager ? Envelope.maximumLength : 256 << 10 }
    /// How many bytes of messages may be in work for one connection.
    func bytesInWork(isManager: Bool) -> Int { isManager ? 4 * Envelope.maximumLength : 1 << 20 }
}

/// The connections that are there, by who has them.
final class Connections: Sendable {
    /// One connection, until it is let go.
    struct Place: Hashable, Sendable {
        fileprivate let number: Int
        fileprivate let process: PeerProcess.Identity?
        fileprivate let executable: FileIdentity?
        /// Whether a manager program has the connection.
        let isManager: Bool
    }

    private struct State {
        var places: Set<Place> = []
        var number = 0
    }

    private let limits: ConnectionLimits
    private let state = Mutex(State())

    init(_ limits: ConnectionLimits) { self.limits = limits }

    /// Takes a connection in.
    ///
    /// - Throws: `AgentError` with `busy` when the process, its program, all apps, or all programs have as many as they may.
    func enter(
        process: PeerProcess.Identity?,
        executable: FileIdentity?,
        isManager: Bool
    ) throws(AgentError) -> Place {
        let result: Result<Place, AgentError> = state.withLock { state in
            let places = state.places
            if places.count(where: { $0.process == process }) >= limits.perProcess {
                return .failure(Self.busy("This process has \(limits.perProcess) connections to the agent"))
            }
            let apps = places.count { !$0.isManager }
            if !isManager, places.count(where: { !$0.isManager && $0.executable == executable }) >= limits.perApp {
                return .failure(Self.busy("This program has \(limits.perApp) connections to the agent"))
            }
            if !isManager, apps >= limits.total - limits.keptForManagers {
                return .failure(Self.busy("Apps have \(apps) connections to the agent"))
            }
            if places.count >= limits.total {
                return .failure(Self.busy("The agent has \(places.count) connections"))
            }
            state.number += 1
            let place = Place(number: state.number, process: process, executable: executable, isManager: isManager)
            state.places.insert(place)
            return .success(place)
        }
        return try result.get()
    }

    /// Lets a connection go.
    func leave(_ place: Place) { state.withLock { _ = $0.places.remove(place) } }

    private static func busy(_ what: String) -> AgentError {
        AgentError(.busy, "\(what), which is the most: close one, then try again")
    }
}
