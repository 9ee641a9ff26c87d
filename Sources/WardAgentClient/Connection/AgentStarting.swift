internal import Foundation

extension AgentClient {
    /// The same as ``withConnection(to:as:patience:_:)``, but starts an agent if none runs.
    ///
    /// If several programs start an agent at the same time, one wins, and all connect to it. An agent that lost its
    /// socket ends by itself; this call waits for that.
    ///
    /// - Throws: The same errors; `unreachable` with the agent's own reason if it does not start.
    package static func withConnection<T: Sendable>(
        to paths: AgentPaths,
        as hello: Hello,
        startingWith launch: Launch,
        _ body: @Sendable (AgentClient) async throws -> T
    ) async throws -> T {
        // An agent that was found may be ending. It has not received a request yet, so start another one.
        for _ in 0..<3 {
            try await start(launch, unlessListening: paths)
            do { return try await once(paths, hello, AgentClient.patience, body) } catch is NobodyThere {}
            try await Task.sleep(for: .milliseconds(100))
        }
        return try await withConnection(to: paths, as: hello, body)
    }

    /// Starts an agent if none listens, and returns when one does.
    ///
    /// - Throws: ``AgentError`` with `unreachable`.
    package static func start(_ launch: Launch, unlessListening paths: AgentPaths) async throws {
        guard await !isListening(at: paths.currentSocket) else { return }
        var deadline = ContinuousClock.now + .seconds(10)
        if let found = paths.livingAgent {
            while paths.hasAgent {
                // It may have lost its socket and end soon. Or another program started it a moment ago, and it listens now.
                if await isListening(at: paths.currentSocket) { return }
                guard ContinuousClock.now < deadline else {
                    throw AgentError(
                        .unreachable,
                        "The agent that has your vault (process \(found.pid)) does not answer. Stop it: ward agent --stop"
                    )
                }
                try await Task.sleep(for: .milliseconds(10))
            }
        }
        let child = try StartedAgent(launch)
        deadline = ContinuousClock.now + .seconds(10)
        var pause = Duration.milliseconds(5)
        var failure: String?
        while await !isListening(at: paths.currentSocket) {
            if failure == nil { failure = child.failure }
            // Another agent may have been faster. Then this agent ends, and the other one listens soon.
            if let failure, !paths.hasAgent { throw AgentError(.unreachable, failure) }
            guard ContinuousClock.now < deadline else {
                let silence = "The agent (process \(child.pid)) did not listen within 10 seconds. Try again."
                throw AgentError(.unreachable, failure ?? silence)
            }
            try await Task.sleep(for: pause)
            pause = min(pause * 2, .milliseconds(100))
        }
    }

    /// Waits until a stopping agent has ended and released the vault's file.
    ///
    /// - Returns: Whether it ended within the time.
    package static func waitUntilGone(_ paths: AgentPaths, within limit: Duration = .seconds(10)) async throws -> Bool {
        let deadline = ContinuousClock.now + limit
        while paths.hasAgent {
            guard ContinuousClock.now < deadline else { return false }
            try await Task.sleep(for: .milliseconds(10))
        }
        return true
    }

    /// Whether a process accepts connections at a path.
    package static func isListening(at path: String) async -> Bool {
        let descriptor = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        // If the agent is busy, its queue is full, and this call waits in it.
        var limit = timeval(tv_sec: 5, tv_usec: 0)
        _ = unsafe setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        return UnixAddress.connect(descriptor, to: path) || errno == EAGAIN
    }
}

/// An agent that was started and does not listen yet.
///
/// The agent's standard error, which says why it ended.
private final class StartedAgent {
    let pid: pid_t
    private let errors: PipeEnds

    /// - Throws: ``AgentError`` with `unreachable` if it cannot be started.
    init(_ launch: AgentClient.Launch) throws(AgentError) {
        errors = try PipeEnds()
        pid = try AgentClient.start(launch, errors: errors.writing)
        errors.closeWriting()
        // Another process that the agent started may still have the other end of the pipe open.
        _ = fcntl(errors.reading, F_SETFL, O_NONBLOCK)
    }

    /// The reason why the agent ended, or `nil` while it runs.
    var failure: String? {
        var status: CInt = 0
        guard unsafe waitpid(pid, &status, WNOHANG) != 0 else { return nil }
        var piece = [UInt8](repeating: 0, count: 4096)
        let count = unsafe read(errors.reading, &piece, piece.count)
        let lines = String(decoding: piece.prefix(max(0, count)), as: UTF8.self).split(whereSeparator: \.isNewline)
        guard let line = lines.first(where: { $0.hasPrefix("Error: ") }) ?? lines.last else {
            return "The agent ended without an error message. Start it in the foreground to see why: ward agent"
        }
        return line.hasPrefix("Error: ") ? String(line.dropFirst("Error: ".count)) : "The agent does not start: \(line)"
    }
}
