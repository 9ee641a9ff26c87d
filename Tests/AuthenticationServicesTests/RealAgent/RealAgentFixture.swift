import AuthenticationServices
import AuthenticationServicesFixtures
import Foundation
import Logging
import Synchronization
import WardAgent
import WardAgentClient
import WardDomains
import WardVault

/// Ward's own agent in this process, with a vault, somebody who answers prompts, and a domain that names this app.
final class RealAgentFixture: Sendable {
    static let passphrase = "correct horse battery staple"
    static let typed = PromptAnswer.secret(Array(passphrase.utf8))

    let person = Answering()
    let paths: AgentPaths
    private let folder: String
    private let server: Task<Void, any Error>

    init() async throws {
        folder = NSTemporaryDirectory() + "rd-\(UUID().uuidString.prefix(8))"
        paths = AgentPaths(directory: folder + "/run")
        var configuration = Agent.Configuration(
            location: VaultLocation(directory: folder + "/data", stateDirectory: folder + "/state")
        )
        // Tests share their threads with Argon2id, and come late.
        configuration.helloPatience = .seconds(600)
        configuration.apps = AppPolicy(
            environment: ["HOME": folder, "XDG_RUNTIME_DIR": folder],
            administratorFolder: folder + "/etc",
            fetch: AssociationFetch { _ in throw CancellationError() }
        )
        configuration.apps.isManager = { _ in true }
        configuration.apps.identify = { _ in
            AppIdentity.Result(
                kind: .registered,
                identifier: "org.example.Shiny",
                displayName: "Shiny",
                executable: "/usr/bin/shiny",
                domains: []
            )
        }
        configuration.apps.appsNamed = { domain throws(AgentError) in
            guard domain.description == "example.com" else {
                throw AgentError(.notAssociated, "\(domain) does not name the app")
            }
            return ["org.example.Shiny"]
        }
        let silent = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let agent = Agent(configuration, prompting: person, notifier: Nobody(), logger: silent)
        let ready = Event()
        let server = AgentServer(agent: agent, paths: paths, logger: silent) { ready.happen() }
        self.server = Task { try await server.run() }
        await ready.wait()
        _ = try await call(CreateVault(passphrase: Self.passphrase))
    }

    func call<Method: AgentMethod>(_ method: Method) async throws -> Method.Result {
        try await AgentClient.withConnection(
            to: paths,
            as: Hello(client: "test", terminal: .init()),
            patience: .seconds(600)
        ) {
            client in
            try await client.call(method)
        }
    }

    /// Keeps a password for `example.com`.
    func keep(_ user: String, _ password: String) async throws {
        var change = ItemChange()
        change.title = "Example"
        change.username = user
        change.password = password
        change.addSites = ["https://example.com"]
        _ = try await call(AddItem(authorization: Authorization(mayPrompt: false), change: change))
    }

    /// Ends it as a kill would, but for what a kill leaves behind.
    func end() async throws {
        _ = try await call(StopAgent())
        try await server.value
        try FileManager.default.removeItem(atPath: folder)
    }

    /// Runs a body as an app that finds this agent.
    @MainActor
    func running<T>(_ body: @MainActor () async throws -> T) async throws -> T {
        let session = AutoFillSession()
        return try await AgentGateway.$local.withValue(AgentGateway(paths: paths)) {
            try await LocalAutoFill.$session.withValue(session) { try await body() }
        }
    }
}

/// Somebody who answers prompts as told, and otherwise says no.
final class Answering: Prompting {
    private struct State {
        var answers: [PromptAnswer] = []
        var asked: [Prompt] = []
        var open = 0
        var isThinking = false
        var failure: AgentError?
    }
    private let state = Mutex(State())

    func program(for place: PromptPlace) -> String { "answering" }
    var asked: [Prompt] { state.withLock { $0.asked } }
    var openPrompts: Int { state.withLock { $0.open } }

    func will(_ answers: PromptAnswer...) { state.withLock { $0.answers += answers } }
    /// Cannot be reached from now on.
    func fails(_ error: AgentError) { state.withLock { $0.failure = error } }
    /// Never answers from now on.
    func thinks() { state.withLock { $0.isThinking = true } }

    func ask(_ prompt: Prompt, on place: PromptPlace) async throws -> PromptAnswer {
        let isThinking = state.withLock { state in
            state.asked.append(prompt)
            state.open += 1
            return state.isThinking
        }
        defer { state.withLock { $0.open -= 1 } }
        if let failure = state.withLock({ $0.failure }) { throw failure }
        if isThinking { try await forever() }
        return state.withLock { $0.answers.isEmpty ? .declined : $0.answers.removeFirst() }
    }
}

/// Shows no notes.
private struct Nobody: Notifying {
    func notify(title: String, text: String, action: NotificationAction?, on place: PromptPlace) {}
}
