import Foundation
import WardAgentClient
import WardFolders

/// The agent of the person's default vault: where it listens, and how it is started.
struct AgentPlace: Sendable {
    /// The maximum time for the agent's answer to `hello`, in seconds.
    private static let patience = 20

    private var paths: AgentPaths {
        var paths = AgentPaths.ofThisPerson()
        paths.vault = vault
        return paths
    }

    /// The file of the default vault.
    private var vault: String { BaseFolders.ofThisProcess.data + "/ward/vault.db" }

    /// Whether there is a vault.
    var hasVault: Bool { FileManager.default.fileExists(atPath: vault) }

    /// Connects and says hello.
    ///
    /// If no agent runs and there is a vault, one is started.
    ///
    /// - Returns: The socket, which the caller closes.
    /// - Throws: `AgentError` with `unavailable`, or the agent's answer to hello.
    func connect(as extensionID: String) async throws -> CInt {
        guard let program = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"),
            !program.hasSuffix(" (deleted)")
        else {
            // The browser starts the new program when the extension connects again.
            exit(0)
        }
        let paths = paths
        let folder = URL(fileURLWithPath: program).deletingLastPathComponent().path
        let deadline = ContinuousClock.now + .seconds(Self.patience)
        while true {
            try await start(paths, folder + "/ward")
            do {
                return try greet(paths, extensionID)
            } catch is Unanswered {
                // An agent that is ending at this moment can still take a connection. The next try finds it gone.
                guard ContinuousClock.now < deadline else {
                    throw AgentError(.unavailable, "The agent at \(paths.currentSocket) does not answer. Try again.")
                }
                try await Task.sleep(for: .milliseconds(50))
            }
        }
    }

    /// Nobody answered at the socket.
    private struct Unanswered: Error {}

    /// Starts an agent if none runs and there is a vault.
    private func start(_ paths: AgentPaths, _ program: String) async throws {
        guard await !AgentClient.isListening(at: paths.currentSocket) else { return }
        guard hasVault else {
            throw AgentError(.unavailable, "There is no vault on this machine yet. Make one: ward init")
        }
        let launch = AgentClient.Launch(program: program, arguments: ["agent", "--quiet", "--vault", "default"])
        do { try await AgentClient.start(launch, unlessListening: paths) } catch let error as AgentError {
            throw AgentError(.unavailable, error.message)
        }
    }

    private func greet(_ paths: AgentPaths, _ extensionID: String) throws -> CInt {
        // The agent checks the program that connects. So this process stays visible until the agent has answered hello.
        Hardening.showExecutable()
        defer { Hardening.hideMemory() }
        let path = paths.currentSocket
        let descriptor = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0, UnixAddress.connect(descriptor, to: path) else {
            close(descriptor)
            throw Unanswered()
        }
        do {
            var limit = timeval(tv_sec: Self.patience, tv_usec: 0)
            _ = unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
            try hello(paths, extensionID, on: descriptor)
            limit.tv_sec = 0
            _ = unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
            return descriptor
        } catch {
            close(descriptor)
            throw error
        }
    }

    private func hello(_ paths: AgentPaths, _ extensionID: String, on descriptor: CInt) throws {
        var hello = Hello(client: "ward-browser", terminal: .init())
        hello.extensionID = extensionID
        var lines = AnswerLines(descriptor)
        let request = try Envelope.encode(Envelope.Request(id: 0, method: Hello.name, params: hello))
        guard NativeOutput.write(request + [0x0a], to: descriptor), let line = lines.next() else {
            throw Unanswered()
        }
        let outcome = try Envelope.outcome(Hello.Result.self, from: line)
        if let error = outcome.error {
            throw AgentError(AgentError.Code(rawValue: error.data?.code ?? "failed"), error.message)
        }
        guard paths.accepts(outcome.result?.vault) else {
            throw AgentError(.unavailable, "The agent at \(paths.currentSocket) serves another vault. End it.")
        }
    }
}
