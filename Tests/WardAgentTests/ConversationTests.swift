import Foundation
import Logging
import Testing
import WardAgentClient
import WardVault

@testable import WardAgent

@Suite(.agents, .timeLimit(.minutes(15))) struct `The conversation with the agent` {
    private func logger() -> Logger { Logger(label: "test") { _ in SwiftLogNoOpLogHandler() } }

    @Test func `begins with a greeting`() async throws {
        let fixture = try await AgentFixture()
        let agent = fixture.agent
        let session = AgentSession(
            reception: Reception(
                methods: agent.methods,
                policy: agent.configuration.apps,
                person: agent.person,
                vault: "",
                processID: agent.processID
            ),
            peer: Peer(PeerProcess.own, pid: getpid()),
            door: .manager,
            logger: logger()
        )
        let line = Array("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"vault.lock\",\"params\":{}}".utf8)
        let answer = String(decoding: await session.answer(to: line), as: UTF8.self)
        #expect(answer.contains("invalid_request") && answer.contains("must be hello"))
        try await fixture.close()
    }

    @Test func `is one agent's alone, also where the other serves another vault`() async throws {
        let fixture = try await AgentFixture()
        var configuration = Agent.Configuration(
            location: VaultLocation(directory: fixture.folder + "/other", stateDirectory: fixture.folder + "/other")
        )
        configuration.environment = ["XDG_RUNTIME_DIR": fixture.folder]
        let other = Agent(configuration, prompting: fixture.person, notifier: fixture.notes, logger: logger())
        let server = AgentServer(agent: other, paths: fixture.paths, logger: logger())
        let error = await #expect(throws: AgentError.self) { try await server.run() }
        #expect(error?.code == .failed && error?.message.contains("another vault") == true)
        try await fixture.close()
    }
}
