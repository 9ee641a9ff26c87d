import Testing
import WardAgent
import WardAgentClient
import WardText

@Suite(.agents, .timeLimit(.minutes(15))) struct `Enabling a manager from its settings` {
    private let request = EnableProviderForApp(identifier: ScriptedManager.identifier)

    private func enabled(_ fixture: SignInFixture) async throws -> [String] {
        try await fixture.call(ListProviders()).providers.filter(\.isEnabled).map(\.identifier)
    }

    @Test func `asks the person, naming the program, the manager and its file`() async throws {
        let fixture = try await SignInFixture()
        let program: [String: JSONValue] = ["program": ["/opt/scripted/manager"], "verifiesUser": true]
        try ScriptedManager.declare(in: fixture.agent, ScriptedManager.identifier, program)
        await #expect(throws: AgentError(.denied, "")) { try await fixture.call(request) }
        #expect(try await enabled(fixture) == ["ward"])
        let prompt = try #require(fixture.person.asked.first)
        #expect(prompt.kind == .confirmation && prompt.buttons.agree == "Turn on")
        for words in ["Scripted", "\(ScriptedManager.identifier).json", "/opt/scripted/manager", "itself asks you"] {
            #expect(prompt.text.contains(words), "\(words)")
        }
        #expect(prompt.asker.contains("Shiny") && prompt.asker.contains("/usr/bin/shiny"))
        // After a no the program waits without a prompt.
        await #expect(throws: AgentError(.denied, "")) { try await fixture.call(request) }
        #expect(fixture.person.asked.count == 1)
        fixture.waitAfterNo()
        fixture.person.will(.agreed)
        _ = try await fixture.call(request)
        #expect(try await enabled(fixture) == ["ward", ScriptedManager.identifier])
        // It is enabled, so there is nothing to ask.
        _ = try await fixture.call(request)
        #expect(fixture.person.asked.count == 2)
        try await fixture.close()
    }

    @Test func `enables nothing but the declaration that the person saw`() async throws {
        let fixture = try await SignInFixture()
        try ScriptedManager.declare(in: fixture.agent, ScriptedManager.identifier, ["program": ["/opt/good"]])
        fixture.person.takes(.milliseconds(500))
        fixture.person.will(.agreed)
        async let answer: Done = fixture.call(request)
        while fixture.person.asked.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
        try ScriptedManager.declare(in: fixture.agent, ScriptedManager.identifier, ["program": ["/opt/evil"]])
        do {
            _ = try await answer
            Issue.record("no error")
        } catch let error as AgentError {
            #expect(error.code == .conflict)
        }
        #expect(try await enabled(fixture) == ["ward"])
        try await fixture.close()
    }

    @Test func `asks nobody about what cannot be enabled`() async throws {
        let fixture = try await SignInFixture()
        await #expect(throws: AgentError(.providerMissing, "")) { try await fixture.call(request) }
        await #expect(throws: AgentError(.invalidValue, "")) {
            try await fixture.call(EnableProviderForApp(identifier: "ward"))
        }
        try ScriptedManager.declare(in: fixture.agent, ScriptedManager.identifier, ["version": 9])
        await #expect(throws: AgentError(.invalidValue, "")) { try await fixture.call(request) }
        for number in 0..<3 {
            let identifier = "org.example.n\(number)"
            try ScriptedManager.declare(in: fixture.agent, identifier, ["socket": "n.sock"])
            if number < 2 { _ = try await fixture.call(EnableProvider(identifier: identifier)) }
        }
        await #expect(throws: AgentError(.tooManyProviders, "")) {
            try await fixture.call(EnableProviderForApp(identifier: "org.example.n2"))
        }
        #expect(fixture.person.asked.isEmpty)
        try await fixture.close()
    }
}
