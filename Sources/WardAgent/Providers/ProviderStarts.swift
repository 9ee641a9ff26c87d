internal import Foundation
internal import WardAgentClient

/// Starts managers that are not running. Each is started only once at a time. If a manager ends again and again, the agent
/// waits longer before each start.
///
/// The agent waits for each process that it started, so that no zombie process stays.
actor ProviderStarts {
    /// The time limit for a manager to listen.
    ///
    /// A manager that ends within this time counts as failed.
    static let patience = Duration.seconds(10)
    /// The longest wait before a failed manager is started again.
    static let longestPause = Duration.seconds(300)
    /// How long a manager has to end by itself, and how long after a signal.
    static let grace = Duration.seconds(2)

    /// A manager that the agent started.
    private struct Child {
        let pid: Int32
        let startedAt: ContinuousClock.Instant
        /// The manager's standard input.
        ///
        /// It is closed when the agent ends, so the manager notices that the agent ended.
        let input: PipeEnds
        /// The manager's exit status, after it ended.
        var status: CInt?
    }

    /// How often in a row a manager failed.
    private struct Trouble {
        var count = 0
        var until: ContinuousClock.Instant
    }

    private let now: @Sendable () -> ContinuousClock.Instant
    private let sleep: @Sendable (Duration) async throws -> Void
    private var under: [String: Task<Void, any Error>] = [:]
    private var children: [String: Child] = [:]
    /// The processes that were started and not waited for yet.
    ///
    /// No other process can get their numbers.
    private var running: Set<Int32> = []
    private var troubles: [String: Trouble] = [:]

    init(
        now: @escaping @Sendable () -> ContinuousClock.Instant,
        sleep: @escaping @Sendable (Duration) async throws -> Void
    ) {
        self.now = now
        self.sleep = sleep
    }

    /// Starts a manager, passes it the agent's secret, and waits until it listens.
    ///
    /// A manager that ends within ten seconds is started once more. If that happens again, or if it does not listen in time,
    /// the agent waits ten seconds before the next start, then twice as long each time, up to five minutes.
    ///
    /// - Throws: `AgentError` with `providerFailed` when there is nothing to start, or it does not come up.
    func start(_ declaration: ProviderDeclaration, _ proof: String) async throws {
        guard let program = declaration.program, let first = program.first else {
            throw AgentError(.providerFailed, "\(declaration.name) is not running, or ends without an answer: start it")
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
                    "\(declaration.name) ended shortly after its start. Try again in \(seconds) seconds; \(first) shows why."
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

    /// Ends a manager that the agent started.
    ///
    /// The agent closes the manager's standard input, as when the agent ends. A process that does not end gets SIGTERM, and
    /// then SIGKILL.
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
            // A manager that continues in the background ends its first process with the status 0.
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
        // The first failure may be an accident.
        note(identifier, isForgiven: troubles[identifier] == nil)
    }

    /// Records that a manager failed.
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
