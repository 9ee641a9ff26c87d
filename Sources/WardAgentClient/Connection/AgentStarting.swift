internal import CLinux
internal import Foundation

extension AgentClient {
    /// How an agent is started when none is there.
    public struct Launch: Sendable {
        /// The program, which is told to be the agent.
        public var program: String
        /// What it is told.
        public var arguments: [String]

        /// Names a program and its arguments.
        public init(program: String, arguments: [String]) {
            self.program = program
            self.arguments = arguments
        }
    }

    /// As ``withConnection(to:as:_:)``, and starts an agent where none listens.
    ///
    /// Of several programs that start one at the same time one wins, and all get the same agent.
    ///
    /// - Throws: As there; `unreachable` when the agent does not come up within ten seconds.
    public static func withConnection<T: Sendable>(
        to paths: AgentPaths,
        as hello: Hello,
        startingWith launch: Launch,
        _ body: @Sendable (AgentClient) async throws -> T
    ) async throws -> T {
        // One that was found may be about to end: nothing was asked of it yet, so another one is started.
        for _ in 0..<3 {
            try await start(launch, unlessListening: paths)
            do { return try await once(paths, hello, body) } catch is NobodyThere {}
            try await Task.sleep(for: .milliseconds(100))
        }
        return try await withConnection(to: paths, as: hello, body)
    }

    private static func start(_ launch: Launch, unlessListening paths: AgentPaths) async throws {
        guard await !isListening(at: paths.socket) else { return }
        try start(launch)
        let deadline = ContinuousClock.now + .seconds(10)
        var pause = Duration.milliseconds(5)
        while await !isListening(at: paths.socket) {
            guard ContinuousClock.now < deadline else {
                throw AgentError(.unreachable, "the agent does not start: ward agent in another terminal shows why")
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
        while ContinuousClock.now < deadline {
            guard FileManager.default.fileExists(atPath: paths.lock) else { return true }
            if try AgentLock(paths) != nil { return true }
            try await Task.sleep(for: .milliseconds(10))
        }
        return false
    }

    /// Whether somebody takes connections.
    package static func isListening(at path: String) async -> Bool {
        let descriptor = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let path = Array(path.utf8)
        guard path.count < MemoryLayout.size(ofValue: address.sun_path) else { return false }
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path) }
        let length = socklen_t(MemoryLayout<sockaddr_un>.size)
        return unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe connect(descriptor, $0, length) == 0
            }
        }
    }

    /// Starts a program, such as the agent, in a session of its own, so that it outlives the terminal, with nothing of this
    /// one open: a passphrase's descriptor least of all.
    package static func start(_ launch: Launch) throws(AgentError) {
        let words = [launch.program] + launch.arguments
        var arguments: [UnsafeMutablePointer<CChar>?] = unsafe words.map { unsafe strdup($0) }
        unsafe arguments.append(nil)
        defer { unsafe arguments.forEach { unsafe free($0) } }
        guard unsafe ward_spawn_daemon(launch.program, &arguments, Foundation.environ) == 0 else {
            throw AgentError(.unreachable, "\(launch.program) cannot be started")
        }
    }
}
