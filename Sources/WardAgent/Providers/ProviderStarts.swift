internal import Foundation
internal import WardAgentClient

/// Starts managers that are not running, each once, and not again and again where one does not stay.
///
/// Each process that was started is waited for, so that none that ended stays behind.
actor ProviderStarts {
    /// How long a manager has to listen, and has to live to count as one that stays.
    static let patience = Duration.seconds(10)
    /// The longest time that a manager is left alone.
    static let longestPause = Duration.seconds(300)
    /// How long a manager has to end by itself, and then to end when it is told to.
    static let grace = Duration.seconds(2)

    /// A manager that was started.
    private struct Child {
        let pid: Int32
        let startedAt: ContinuousClock.Instant
        /// Its standard input: it ends with the agent, and so a manager knows that the agent ended.
        let input: PipeEnds
        /// Its exit status, once it ended.
        var status: CInt?
    }

    /// How often in a row a manager did not stay.
    private struct Trouble {
        var count = 0
        var until: ContinuousClock.Instant
    }

    private let now: @Sendable () -> ContinuousClock.Instant
    private let sleep: @Sendable (Duration) async throws -> Void
    private var under: [String: Task<Void, any Error>] = [:]
    private var children: [String: Child] = [:]
    /// The processes that were started and not waited for yet: their numbers belong to no other process.
    private var running: Set<Int32> = []
    private var troubles: [String: Trouble] = [:]

    init(
        now: @escaping @Sendable () -> ContinuousClock.Instant,
        sleep: @escaping @Sendable (Duration) async throws -> Void
    ) {
        self.now = now
        self.sleep = sleep
    }

    /// Starts a manager, hands it the agent's proof, and waits until it listens.
    ///
    /// A manager that ends within ten seconds is started once more. If it does so again, or does not listen in time, it is left alone
    /// for ten seconds, each time twice as long, up to five minutes.
    ///
    /// - Throws: `AgentError` with `providerFailed` when there is nothing to start, or it does not come up.
    func start(_ declaration: ProviderDeclaration, _ proof: String) async throws {
        guard let program = declaration.program, let first = program.first else {
            throw AgentError(.providerFailed, "\(declaration.name) is not running, or ends when it is asked: start it")
        }
        guard await !AgentClient.isListening(at: declaration.socket) else { return }
        let task: Task<Void, any Error>
        if let running = under[declaration.identifier] {
            task = running
        } else {
            if let trouble = troubles[declaration.identifier], now() < trouble.until {
                let seconds = max(1, now().duration(to: trouble.until).components.seconds)
                throw AgentError(
                    .providerFailed,
                    "\(declaration.name) did not stay when it was started. Try again in \(seconds) seconds; \(first) shows why."
                )
            }
            task = Task {
                defer { under[declaration.identifier] = nil }
                try await startNow(first, program, declaration, proof)
            }
            under[declaration.identifier] = task
        }
        try await task.value
    }

    /// Ends a manager that was started.
    ///
    /// Its standard input closes, as when the agent ends. A process that stays is told to end, and then made to.
    func end(_ identifier: String) {
        troubles[identifier] = nil
        guard let child = children.removeValue(forKey: identifier) else { return }
        child.input.closeWriting()
        guard running.contains(child.pid) else { return }
        Task { [sleep] in
            for signal in [SIGTERM, SIGKILL] {
                try await sleep(Self.grace)
                guard running.contains(child.pid) else { return }
                kill(child.pid, signal)
            }
        }
    }

    private func startNow(
        _ first: String,
        _ program: [String],
        _ declaration: ProviderDeclaration,
        _ proof: String
    ) async throws {
        let folder = URL(fileURLWithPath: declaration.socket).deletingLastPathComponent().path
        try? FileManager.default.createDirectory(
            atPath: folder,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        let identifier = declaration.identifier
        let startedAt = now()
        let input = try PipeEnds()
        input.write(proof + "\n")
        do {
            let pid = try AgentClient.start(
                .init(program: first, arguments: program.dropFirst() + [declaration.socket]),
                input: input.reading
            )
            children[identifier] = Child(pid: pid, startedAt: startedAt, input: input)
            running.insert(pid)
            Thread.detachNewThread { [self] in
                var information = unsafe siginfo_t()
                while unsafe waitid(P_PID, id_t(pid), &information, WEXITED | WNOWAIT) < 0, errno == EINTR {}
                Task { await ended(identifier, pid) }
            }
        } catch {
            try fail(declaration, first)
        }
        while await !AgentClient.isListening(at: declaration.socket) {
            // One that went on in the background says so with the status 0.
            let hasFailed = children[identifier].map { $0.status ?? 0 != 0 } ?? true
            if hasFailed { throw failure(declaration, first) }
            guard startedAt.duration(to: now()) < Self.patience else { return try fail(declaration, first) }
            try await sleep(.milliseconds(20))
        }
    }

    /// A manager ended.
    private func ended(_ identifier: String, _ pid: Int32) {
        var status: CInt = 0
        while unsafe waitpid(pid, &status, 0) < 0, errno == EINTR {}
        running.remove(pid)
        guard var child = children[identifier], child.pid == pid else { return }
        child.status = status
        children[identifier] = child
        guard child.startedAt.duration(to: now()) < Self.patience else {
            troubles[identifier] = nil
            return
        }
        // The first time may be an accident.
        note(identifier, isForgiven: troubles[identifier] == nil)
    }

    /// Notes that a manager did not stay.
    private func note(_ identifier: String, isForgiven: Bool = false) {
        let count = troubles[identifier]?.count ?? 0
        let pause = isForgiven ? .zero : min(Self.longestPause, Self.patience * (1 << min(max(0, count - 1), 8)))
        troubles[identifier] = Trouble(count: count + 1, until: now() + pause)
    }

    private func fail(_ declaration: ProviderDeclaration, _ first: String) throws {
        note(declaration.identifier)
        throw failure(declaration, first)
    }

    private func failure(_ declaration: ProviderDeclaration, _ first: String) -> AgentError {
        AgentError(.providerFailed, "\(declaration.name) does not start: \(first) shows why")
    }
}
