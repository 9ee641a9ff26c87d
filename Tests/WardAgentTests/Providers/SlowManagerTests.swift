import Synchronization
import Testing
import WardAgent
import WardAgentClient

@Suite(.agents, .timeLimit(.minutes(15))) struct `A slow manager` {
    private let password = AppRequest(.password, domain: SignInFixture.domain)

    /// The time until a sheet is drawn is over at once, and all other time passes as it does.
    @Sendable private static func joiningIsOver(_ duration: Duration) async throws {
        guard duration > .milliseconds(300) else { return }
        try await Task.sleep(for: duration)
    }

    @Test func `joins a sheet that was drawn when its time was over`() async throws {
        let asked = Mutex<[Duration]>([])
        // The time is over at once.
        let fixture = try await SignInFixture { duration in
            asked.withLock { $0.append(duration) }
            try await Self.joiningIsOver(duration)
        }
        try await fixture.agent.create()
        let manager = try await ScriptedManager.start(in: fixture.agent)
        _ = try await fixture.call(EnableProvider(identifier: ScriptedManager.identifier))
        try await fixture.keep("ada")
        manager.has("bob", "b")
        manager.isSlow = true
        // The person looks around until the line that they want is there.
        fixture.person.decides { prompt in
            manager.isSlow = false
            return prompt.text.contains("bob") ? .agreed : .other
        }
        let result = try await fixture.ask(password)
        #expect(result.user == "bob" && result.password == "b")
        let texts = fixture.person.asked.map(\.text)
        #expect(texts.first?.contains("ada") == true && texts.first?.contains("(1 of 1)") == true)
        #expect(texts.last?.contains("(2 of 2)") == true)
        #expect(asked.withLock { $0 }.contains(.milliseconds(300)))
        try await manager.end()
        try await fixture.close()
    }

    @Test func `is not waited for by a person who picks something else`() async throws {
        let fixture = try await SignInFixture(sleep: Self.joiningIsOver)
        try await fixture.agent.create()
        let manager = try await ScriptedManager.start(in: fixture.agent)
        _ = try await fixture.call(EnableProvider(identifier: ScriptedManager.identifier))
        try await fixture.keep("ada")
        manager.has("bob", "b")
        manager.isSlow = true
        fixture.person.will(.agreed)
        #expect(try await fixture.ask(password).user == "ada")
        #expect(manager.isSlow)
        manager.isSlow = false
        try await manager.end()
        try await fixture.close()
    }

    @Test func `does not delay the suggestions of a text field, and joins the next ones`() async throws {
        let fixture = try await SignInFixture(sleep: Self.joiningIsOver)
        try await fixture.agent.create()
        let manager = try await ScriptedManager.start(in: fixture.agent)
        _ = try await fixture.call(EnableProvider(identifier: ScriptedManager.identifier))
        try await fixture.keep("ada")
        manager.has("bob", "b")
        manager.isSlow = true
        // The vault answers at once, or when the person looks again.
        var first = try await fixture.call(SuggestForApp(requests: [password]))
        while first.suggestions.isEmpty { first = try await fixture.call(SuggestForApp(requests: [password])) }
        #expect(first.suggestions.map(\.user) == ["ada"] && first.isPartial == true)
        async let whole = fixture.call(SuggestForApp(requests: [password], waitsForAll: true))
        manager.isSlow = false
        let all = try await whole
        #expect(all.suggestions.map(\.user) == ["ada", "bob"] && all.isPartial == nil)
        #expect(fixture.person.asked.isEmpty)
        try await manager.end()
        try await fixture.close()
    }

    @Test func `is waited for if nothing else is there`() async throws {
        let fixture = try await SignInFixture(sleep: Self.joiningIsOver)
        let manager = try await ScriptedManager.start(in: fixture.agent)
        _ = try await fixture.call(EnableProvider(identifier: ScriptedManager.identifier))
        manager.has("bob", "b")
        manager.isSlow = true
        async let answer = fixture.ask(password)
        while manager.texts.isEmpty, fixture.person.asked.isEmpty {
            try await Task.sleep(for: .milliseconds(5)); manager.isSlow = false
        }
        fixture.person.will(.agreed)
        #expect(try await answer.user == "bob")
        try await manager.end()
        try await fixture.close()
    }

    @Test func `is given up when its time is over by the agent's clock`() async throws {
        let asked = Mutex<[Duration]>([])
        let fixture = try await SignInFixture(listing: .seconds(5)) { duration in
            asked.withLock { $0.append(duration) }
            guard duration == .seconds(5) else { return try await Task.sleep(for: .seconds(600)) }
        }
        let manager = try await ScriptedManager.start(in: fixture.agent)
        _ = try await fixture.call(EnableProvider(identifier: ScriptedManager.identifier))
        manager.isSlow = true
        await #expect(throws: AgentError(.providerFailed, "")) { try await fixture.ask(password) }
        #expect(asked.withLock { $0 }.contains(.seconds(5)))
        manager.isSlow = false
        try await manager.end()
        try await fixture.close()
    }
}
