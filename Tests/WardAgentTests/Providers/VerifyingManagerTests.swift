import Testing
import WardAgent
import WardAgentClient
import WardRelyingParty
import WardText
import WardWebAuthn

@Suite(.agents, .timeLimit(.minutes(15))) struct `A manager that verifies its person` {
    private func setting() async throws -> (SignInFixture, ScriptedManager) {
        let fixture = try await SignInFixture()
        let manager = try await ScriptedManager.start(in: fixture.agent, ["verifiesUser": true])
        let after = try await fixture.call(EnableProvider(identifier: ScriptedManager.identifier))
        #expect(after.providers.last?.verifiesUser == true && after.providers.first?.verifiesUser == nil)
        return (fixture, manager)
    }

    private func close(_ fixture: SignInFixture, _ manager: ScriptedManager) async throws {
        try await manager.end()
        try await fixture.close()
    }

    /// A passkey of an account whose service insists on verification; the person agrees and types nothing.
    private func register(_ fixture: SignInFixture) async throws -> CredentialRecord {
        let (request, ceremony) = fixture.registration()
        fixture.person.will(.agreed)
        return try fixture.verify(try await fixture.ask(request), ceremony)
    }

    @Test func `is shown as one, and no passphrase is asked beside it`() async throws {
        let (fixture, manager) = try await setting()
        // Not even a vault is needed.
        let record = try await register(fixture)
        let (request, ceremony) = fixture.assertion(.required)
        fixture.person.will(.agreed)
        try fixture.verify(try await fixture.ask(request), ceremony, record)
        #expect(fixture.person.asked.count == 2)
        for prompt in fixture.person.asked {
            #expect(prompt.kind == .confirmation && prompt.text.contains("Scripted itself asks you to show"))
        }
        #expect(
            manager.texts.contains("\"wantsVerification\":true") && !manager.texts.contains("\"userVerified\":true")
        )
        try await close(fixture, manager)
    }

    @Test func `is not asked to where nobody wants to know, and may say so all the same`() async throws {
        let (fixture, manager) = try await setting()
        let record = try await register(fixture)
        for flags: UInt8 in [0, 0x04] {
            manager.lies { $0.flags = flags }
            let (request, ceremony) = fixture.assertion(.discouraged)
            fixture.person.will(.agreed)
            let response = try fixture.verify(try await fixture.ask(request), ceremony, record)
            let data = try AuthenticatorData(response.authenticatorData)
            #expect(data.flags.contains(.userVerified) == (flags != 0))
            #expect(fixture.person.asked.last?.text.contains("itself asks") == false)
        }
        try await close(fixture, manager)
    }

    @Test func `that does not do it is named`() async throws {
        let (fixture, manager) = try await setting()
        _ = try await register(fixture)
        manager.lies { $0.flags = 0x04 }
        fixture.person.will(.agreed, .agreed)
        await #expect(throws: AgentError(.providerFailed, "")) { try await fixture.ask(fixture.assertion().request) }
        await #expect(throws: AgentError(.providerFailed, "")) {
            try await fixture.ask(fixture.registration("bob").request)
        }
        try await close(fixture, manager)
    }

    @Test func `says nothing of it in a registration that nobody saw`() async throws {
        let (fixture, manager) = try await setting()
        let password = AppRequest(.password, domain: SignInFixture.domain)
        manager.has("ada", "a")
        fixture.person.will(.agreed)
        _ = try await fixture.ask(password)
        let (request, ceremony) = fixture.registration(isConditional: true)
        _ = try fixture.verify(try await fixture.ask(request, quiet: true), ceremony)
        manager.has("bob", "b")
        fixture.person.will(.other, .agreed)
        _ = try await fixture.ask(password)
        manager.lies { $0.flags = 0x04 }
        let (lied, _) = fixture.registration("bob", isConditional: true)
        await #expect(throws: AgentError(.providerFailed, "")) { try await fixture.ask(lied, quiet: true) }
        try await close(fixture, manager)
    }

    @Test func `is believed only where its declaration says so`() async throws {
        let fixture = try await SignInFixture()
        try await fixture.agent.create()
        let manager = try await ScriptedManager.start(in: fixture.agent)
        _ = try await fixture.call(EnableProvider(identifier: ScriptedManager.identifier))
        manager.lies { $0.flags = 0x04 }
        fixture.person.will(.other, .agreed, SignInFixture.typed)
        await #expect(throws: AgentError(.providerFailed, "")) { try await fixture.ask(fixture.registration().request) }
        #expect(manager.texts.contains("\"wantsVerification\":false"))
        try await close(fixture, manager)
    }
}
