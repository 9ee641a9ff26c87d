import Testing
import WardAgent
import WardAgentClient
import WardText

@Suite(.agents, .timeLimit(.minutes(15))) struct `A locked manager` {
    private let password = AppRequest(.password, domain: SignInFixture.domain)

    /// A person without a vault of Ward's who uses another manager.
    private func setting() async throws -> (SignInFixture, ScriptedManager) {
        let fixture = try await SignInFixture()
        let manager = try await ScriptedManager.start(in: fixture.agent)
        _ = try await fixture.call(EnableProvider(identifier: ScriptedManager.identifier))
        _ = try await fixture.call(DisableProvider(identifier: "ward"))
        return (fixture, manager)
    }

    private func close(_ fixture: SignInFixture, _ manager: ScriptedManager) async throws {
        try await manager.end()
        try await fixture.close()
    }

    @Test func `is asked to unlock after the person picked one of its entries, and not before`() async throws {
        let (fixture, manager) = try await setting()
        manager.has("bob", "b")
        manager.locks(.named)
        #expect(try await fixture.call(SuggestForApp(requests: [password])).suggestions.map(\.user) == ["bob"])
        await #expect(throws: AgentError(.denied, "")) { try await fixture.ask(password) }
        #expect(!manager.seen.contains("provider.unlock"))
        fixture.waitAfterNo()
        fixture.person.will(.agreed)
        #expect(try await fixture.ask(password).password == "b")
        #expect(manager.seen.suffix(3) == ["provider.entries", "provider.unlock", "provider.password"])
        try await close(fixture, manager)
    }

    @Test func `that keeps its names secret is known by what it listed when it was open`() async throws {
        let (fixture, manager) = try await setting()
        manager.has("bob", "b")
        fixture.person.will(.agreed)
        _ = try await fixture.ask(password)
        manager.locks(.secret)
        #expect(try await fixture.call(SuggestForApp(requests: [password])).suggestions.map(\.user) == ["bob"])
        fixture.person.will(.agreed)
        #expect(try await fixture.ask(password).user == "bob")
        #expect(fixture.person.asked.last?.text.contains("bob") == true)
        // After eight hours nothing is known of it, but that it is locked.
        manager.locks(.secret)
        fixture.clock.advance(.seconds(8 * 60 * 60 + 1))
        #expect(try await fixture.call(SuggestForApp(requests: [password])).suggestions.isEmpty)
        fixture.person.will(.agreed, .agreed)
        #expect(try await fixture.ask(password).user == "bob")
        #expect(fixture.person.asked.suffix(2).first?.text.contains("Scripted is locked") == true)
        try await close(fixture, manager)
    }

    @Test func `is forgotten when it is disabled, and when it says that it has nothing any more`() async throws {
        let (fixture, manager) = try await setting()
        manager.has("bob", "b")
        fixture.person.will(.agreed)
        _ = try await fixture.ask(password)
        manager.locks(.secret)
        let suggest = SuggestForApp(requests: [password])
        #expect(try await fixture.call(suggest).suggestions.count == 1)
        _ = try await fixture.call(DisableProvider(identifier: ScriptedManager.identifier))
        _ = try await fixture.call(EnableProvider(identifier: ScriptedManager.identifier))
        #expect(try await fixture.call(suggest).suggestions.isEmpty)
        manager.locks(.open)
        #expect(try await fixture.call(suggest).suggestions.count == 1)
        manager.will(.change("entries", []), at: "provider.entries")
        #expect(try await fixture.call(suggest).suggestions.isEmpty)
        manager.will(nil, at: "provider.entries")
        manager.locks(.secret)
        #expect(try await fixture.call(suggest).suggestions.isEmpty)
        try await close(fixture, manager)
    }

    @Test func `whose person says no gives nothing, and its no is the person's`() async throws {
        let (fixture, manager) = try await setting()
        manager.has("bob", "b")
        manager.locks(.named)
        manager.will(.refuse("denied"), at: "provider.unlock")
        fixture.person.will(.agreed)
        await #expect(throws: AgentError(.denied, "")) { try await fixture.ask(password) }
        #expect(!manager.seen.contains("provider.password"))
        try await close(fixture, manager)
    }

    @Test(arguments: [ScriptedManager.Trick.hang, .die, .refuse("unknown_method")])
    func `that does not unlock is named`(trick: ScriptedManager.Trick) async throws {
        let fixture = try await SignInFixture(use: .milliseconds(200))
        let manager = try await ScriptedManager.start(in: fixture.agent)
        _ = try await fixture.call(EnableProvider(identifier: ScriptedManager.identifier))
        manager.has("bob", "b")
        manager.locks(.named)
        manager.will(trick, at: "provider.unlock")
        fixture.person.will(.agreed)
        await #expect(throws: AgentError(.providerFailed, "")) { try await fixture.ask(password) }
        #expect(!manager.seen.contains("provider.password"))
        try await close(fixture, manager)
    }

    @Test func `makes a passkey after it was unlocked, and not without a question`() async throws {
        let fixture = try await SignInFixture()
        try await fixture.agent.create()
        let manager = try await ScriptedManager.start(in: fixture.agent)
        _ = try await fixture.call(EnableProvider(identifier: ScriptedManager.identifier))
        manager.has("ada", "a")
        fixture.person.will(.agreed)
        _ = try await fixture.ask(password)
        manager.locks(.secret)
        await #expect(throws: AgentError(.nothingAvailable, "")) {
            try await fixture.ask(fixture.registration(isConditional: true).request, quiet: true)
        }
        #expect(!manager.seen.contains("provider.unlock"))
        let (request, ceremony) = fixture.registration()
        fixture.person.will(.other, .agreed, SignInFixture.typed)
        _ = try fixture.verify(try await fixture.ask(request), ceremony)
        #expect(
            manager.seen.suffix(4) == [
                "provider.entries", "provider.unlock", "provider.entries", "provider.registration",
            ]
        )
        try await close(fixture, manager)
    }
}
