internal import Foundation

extension AgentClient {
    /// As ``withConnection(to:as:_:)``, and starts an agent where none listens.
    ///
    /// Of several programs that start one at the same time one wins, and all get the same agent. An agent that lost its socket
    /// ends by itself, and is waited for.
    ///
    /// - Throws: As there; `unreachable` with the agent's own reason when it does not start.
    public static func withConnection<T: Sendable>(
        to paths: AgentPaths,
        as hello: Hello,
        startingWith launch: Launch,
        _ body: @Sendable (AgentClient) async throws -> T
    ) async throws -> T {
        // One that was found may be about to end: nothing was asked of it yet, so another one is started.
        for _ in 0..<3 {
            try await start(launch, unlessListening: paths)
            do { return try await once(paths, hello, AgentClient.patience, body) } catch is NobodyThere {}
            try await Task.sleep(for: .milliseconds(100))
        }
        return try await withConnection(to: paths, as: hello, body)
    }

    private static func start(_ launch: Launch, unlessListening paths: AgentPaths) async throws {
        guard await !isListening(at: paths.currentSocket) else { return }
        if let lost = paths.livingAgent, try await !waitUntilGone(paths) {
            throw AgentError(
                .unreachable,
                "The agent that has your vault (process \(lost.pid)) does not answer. End it: ward agent --stop"
            )
        }
        let child = try StartedAgent(launch)
        let deadline = ContinuousClock.now + .seconds(10)
        var pause = Duration.milliseconds(5)
        while await !isListening(at: paths.currentSocket) {
            // Another one may have been faster: this one then ends, and the other one listens soon.
            if let reason = child.failure, !paths.hasAgent { throw AgentError(.unreachable, reason) }
            guard ContinuousClock.now < deadline else {
                throw AgentError(
                    .unreachable,
                    "The agent (process \(child.pid)) starts, and does not listen within 10 seconds. Try again."
                )
            }
            try await Task.sleep(for: pause)
            pause = min(pause * 2, .milliseconds(100))
        }
    }

    /// Waits until an agent that was told to end is gone, and has given the vault's file free.
    ///
    /// - Returns: Whether it went within the time.
    public static func waitUntilGone(_ paths: AgentPaths, within limit: Duration = .seconds(10)) async throws -> Bool {
        let deadline = ContinuousClock.now + limit
        while paths.hasAgent {
            guard ContinuousClock.now < deadline else { return false }
            try await Task.sleep(for: .milliseconds(10))
        }
        return true
    }

    /// Whether somebody takes connections.
    package static func isListening(at path: String) async -> Bool {
        let descriptor = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        // An agent that takes no connections for a while has a full queue, in which this waits.
        var limit = timeval(tv_sec: 5, tv_usec: 0)
        _ = unsafe setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        return UnixAddress.connect(descriptor, to: path) || errno == EAGAIN
    }
}

/// An agent that was started and does not listen yet: what it writes to its standard error is why it ended.
private final class StartedAgent {
    let pid: pid_t
    private let errors: PipeEnds

    /// - Throws: ``AgentError`` with `unreachable` when it cannot be started.
    init(_ launch: AgentClient.Launch) throws(AgentError) {
        errors = try PipeEnds()
        pid = try AgentClient.start(launch, errors: errors.writing)
        errors.closeWriting()
        // Something that the agent started may keep the other end open.
        _ = fcntl(errors.reading, F_SETFL, O_NONBLOCK)
    }

    /// Why it ended; `nil` as long as it runs.
    var failure: String? {
        var status: CInt = 0
        guard unsafe waitpid(pid, &status, WNOHANG) != 0 else { return nil }
        var piece = [UInt8](repeating: 0, count: 4096)
        let count = unsafe read(errors.reading, &piece, piece.count)
        let lines = String(decoding: piece.prefix(max(0, count)), as: UTF8.self).split(whereSeparator: \.isNewline)
        guard let line = lines.first(where: { $0.hasPrefix("Error: ") }) ?? lines.last else {
            return "The agent ended without a word. See why: ward agent"
        }
        return line.hasPrefix("Error: ") ? String(line.dropFirst("Error: ".count)) : "The agent does not start: \(line)"
    }
}
