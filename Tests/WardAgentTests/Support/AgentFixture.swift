import Foundation
import Logging
import Synchronization
@testable import WardAgent
import WardAgentClient
import WardVault

/// An agent in this process, with a folder of its own and somebody who answers prompts as told.
final class AgentFixture: Sendable {
    static let passphrase = "correct horse battery staple"

    let folder: String
    let paths: AgentPaths
    let agent: Agent
    let person = ScriptedPerson()
    let notes = Notes()
    private let server: Task<Void, any Error>

    /// - Parameters:
    ///   - idleLock: Seconds until the vault locks.
    ///   - apps: How programs are told apart; as for a real agent, where this program is the manager's own.
    ///   - configure: What else is otherwise.
    init(
        idleLock: Int = 900,
        apps change: @Sendable (inout AppPolicy) -> Void = { _ in },
        configure: (inout Agent.Configuration) -> Void = { _ in }
    ) async throws {
        folder = NSTemporaryDirectory() + "wa-\(UUID().uuidString.prefix(8))"
        paths = AgentPaths(directory: folder + "/run")
        var configuration = Agent.Configuration(
            location: VaultLocation(directory: folder + "/data", stateDirectory: folder + "/state")
        )
        configuration.idleLock = idleLock
        // Tests say when a sync begins, and count them.
        configuration.syncStep = nil
        // Tests share their threads with Argon2id, and come late.
        configuration.helloPatience = .seconds(600)
        configuration.environment = ["XDG_RUNTIME_DIR": folder]
        configuration.apps = AppPolicy(
            environment: ["HOME": folder, "XDG_RUNTIME_DIR": folder],
            administratorFolder: folder + "/etc",
            fetch: AssociationFetch { _ in throw CancellationError() }
        )
        change(&configuration.apps)
        configure(&configuration)
        let agent = Agent(
            configuration,
            prompting: person,
            notifier: notes,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        )
        self.agent = agent
        let (ready, continuation) = AsyncStream<Void>.makeStream()
        let server = AgentServer(
            agent: agent,
            paths: paths,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        ) {
            continuation.finish()
        }
        self.server = Task { try await server.run() }
        for await _ in ready {}
    }

    func call<Method: AgentMethod>(_ method: Method) async throws -> Method.Result {
        let hello = Hello(client: "test", terminal: .init())
        let patience = Duration.seconds(600)
        guard !Method.name.hasPrefix("app.") else {
            return try await AgentClient.withAppConnection(to: paths, as: hello, patience: patience) {
                try await $0.call(method)
            }
        }
        return try await AgentClient.withConnection(to: paths, as: hello, patience: patience) {
            try await $0.call(method)
        }
    }

    func create() async throws { _ = try await call(CreateVault(passphrase: Self.passphrase)) }

    func close() async throws {
        _ = try await call(StopAgent())
        try await waitUntilEnded()
    }

    /// Waits for an agent that ends.
    func waitUntilEnded() async throws {
        try await server.value
        try FileManager.default.removeItem(atPath: folder)
    }
}

extension AgentFixture {
    /// Ends an agent that takes no orders from this program.
    func abandon() async throws {
        agent.stopping.signal()
        try await waitUntilEnded()
    }
}

/// Somebody who answers prompts as told, and remembers what was asked.
final class ScriptedPerson: Prompting {
    private let answers = Mutex<[PromptAnswer]>([])
    private let prompts = Mutex<[Prompt]>([])
    private let patience = Mutex(Duration.milliseconds(5))
    private let decision = Mutex<@Sendable (Prompt) -> PromptAnswer>({ _ in .declined })
    /// How many prompts were open at the same time, at most.
    private let openings = Mutex<(now: Int, most: Int)>((0, 0))

    func program(for place: PromptPlace) -> String { "scripted" }
    var asked: [Prompt] { prompts.withLock { $0 } }
    var mostAtOnce: Int { openings.withLock { $0.most } }

    func will(_ answers: PromptAnswer...) { self.answers.withLock { $0 += answers } }

    /// Answers each prompt that nothing else was said for.
    func decides(_ body: @escaping @Sendable (Prompt) -> PromptAnswer) { decision.withLock { $0 = body } }

    /// How long it takes until the answer is there.
    func takes(_ time: Duration) { patience.withLock { $0 = time } }

    func ask(_ prompt: Prompt, on place: PromptPlace) async throws -> PromptAnswer {
        prompts.withLock { $0.append(prompt) }
        openings.withLock { openings in
            openings.now += 1
            openings.most = max(openings.most, openings.now)
        }
        defer { openings.withLock { $0.now -= 1 } }
        try await Task.sleep(for: patience.withLock { $0 })
        return answers.withLock { $0.isEmpty ? nil : $0.removeFirst() } ?? decision.withLock { $0 }(prompt)
    }
}

/// Notes that were shown.
final class Notes: Notifying {
    private let all = Mutex<[(text: String, action: NotificationAction?)]>([])
    var shown: [String] { all.withLock { $0.map(\.text) } }
    func notify(title: String, text: String, action: NotificationAction?, on place: PromptPlace) {
        all.withLock { $0.append(("\(title): \(text)", action)) }
    }

    /// Clicks the button of the last note.
    func click() async -> String? {
        let action = all.withLock { $0.last?.action }
        await action?.perform()
        return action?.label
    }
}
