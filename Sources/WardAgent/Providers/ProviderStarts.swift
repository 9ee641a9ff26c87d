internal import Foundation
internal import WardAgentClient

/// Starts managers that are not running, each once, and not again and again where one does not come up.
actor ProviderStarts {
    /// How long one that did not come up is left alone.
    private static let pause = Duration.seconds(10)

    private let now: @Sendable () -> ContinuousClock.Instant
    private var under: [String: Task<Void, any Error>] = [:]
    private var failures: [String: ContinuousClock.Instant] = [:]
    /// The standard inputs of those that were started: they end with the agent, and so a manager knows that it ended.
    private var inputs: [String: PipeEnds] = [:]

    init(now: @escaping @Sendable () -> ContinuousClock.Instant) { self.now = now }

    /// Starts a manager, hands it the agent's proof, and waits until it listens.
    ///
    /// - Throws: `AgentError` with `providerFailed` when there is nothing to start, or it does not come up.
    func start(_ declaration: ProviderDeclaration, _ proof: String) async throws {
        guard let program = declaration.program, let first = program.first else {
            throw AgentError(.providerFailed, "\(declaration.name) is not running, or ends when it is asked: start it")
        }
        guard await !AgentClient.isListening(at: declaration.socket) else { return }
        if let failure = failures[declaration.identifier], failure.duration(to: now()) < Self.pause {
            throw AgentError(.providerFailed, "\(declaration.name) did not start a moment ago: \(first) shows why")
        }
        let task: Task<Void, any Error>
        if let running = under[declaration.identifier] {
            task = running
        } else {
            let input = try PipeEnds()
            input.write(proof + "\n")
            inputs[declaration.identifier] = input
            let reading = input.reading
            task = Task { try await Self.start(first, program, declaration, reading) }
        }
        under[declaration.identifier] = task
        do {
            try await task.value
        } catch {
            failures[declaration.identifier] = now()
            under[declaration.identifier] = nil
            throw error
        }
        under[declaration.identifier] = nil
    }

    private static func start(
        _ first: String,
        _ program: [String],
        _ declaration: ProviderDeclaration,
        _ input: CInt
    ) async throws {
        let folder = URL(fileURLWithPath: declaration.socket).deletingLastPathComponent().path
        try? FileManager.default.createDirectory(
            atPath: folder,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        let failure = AgentError(.providerFailed, "\(declaration.name) does not start: \(first) shows why")
        do {
            try AgentClient.start(
                .init(program: first, arguments: program.dropFirst() + [declaration.socket]),
                input: input
            )
        } catch {
            throw failure
        }
        let deadline = ContinuousClock.now + pause
        while await !AgentClient.isListening(at: declaration.socket) {
            guard ContinuousClock.now < deadline else { throw failure }
            try await Task.sleep(for: .milliseconds(20))
        }
    }
}
