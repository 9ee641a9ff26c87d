internal import Synchronization
internal import WardAgentClient

/// The limits for one connection, one program and all apps together.
struct ConnectionLimits: Sendable {
    /// The maximum number of requests of one connection that run at the same time.
    ///
    /// Further requests are read after one is answered.
    var requests = 32
    /// The maximum number of unread bytes of answers to an app.
    ///
    /// If there are more, the connection is closed.
    ///
    /// The agent waits for a manager program instead, because its answers can be megabytes.
    var unread = 64 << 10
    /// The maximum number of connections of one process.
    var perProcess = 16
    /// The maximum number of connections of all processes of one app.
    var perApp = 32
    /// All connections.
    var total = 64
    /// Connections that are reserved for manager programs.
    var keptForManagers = 8

    /// The maximum length of a program's message, in bytes.
    func messageLength(isManager: Bool) -> Int { isManager ? Envelope.maximumLength : 256 << 10 }
    /// The maximum number of message bytes that one connection can have in progress.
    func bytesInWork(isManager: Bool) -> Int { isManager ? 4 * Envelope.maximumLength : 1 << 20 }
}

/// The current connections, by program.
final class Connections: Sendable {
    /// One connection.
    ///
    /// It counts until it is released.
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

    /// Accepts a connection.
    ///
    /// - Throws: `AgentError` with `busy` if the process, its program, all apps, or all programs have reached their
    ///   limit.
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

    /// Releases a connection.
    func leave(_ place: Place) { state.withLock { _ = $0.places.remove(place) } }

    private static func busy(_ what: String) -> AgentError {
        AgentError(.busy, "\(what), and more are not possible: close one, then try again")
    }
}
