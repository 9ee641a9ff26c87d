import Synchronization
import Testing
import WardAgent
import WardAgentClient

@Suite(.timeLimit(.minutes(15))) struct `A slow manager` {
    private let password = AppRequest(.password, domain: SignInFixture.domain)

    @Test func `joins a sheet that was drawn when its time was over`() async throws {
        let asked = Mutex<[Duration]>([])
        // The time is over at once.
        let fixture = try await SignInFixture { duration in asked.withLock { $0.append(duration) } }
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
        #expect(asked.withLock { $0 } == [.milliseconds(300)])
        try await manager.end()
        try await fixture.close()
    }

    @Test func `is not waited for by a person who picks something else`() async throws {
        let fixture = try await SignInFixture { _ in }
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

    @Test func `is waited for if nothing else is there`() async throws {
        let fixture = try await SignInFixture { _ in }
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
}
