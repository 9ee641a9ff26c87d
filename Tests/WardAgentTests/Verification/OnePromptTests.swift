import Testing
@testable import WardAgent
import WardRelyingParty
import WardWebAuthn

@Suite(.agents, .timeLimit(.minutes(15))) struct `A locked vault and an app's passkey` {
    @Test func `are one prompt, which opens the vault and verifies the person`() async throws {
        let fixture = try await SignInFixture()
        try await fixture.agent.create()
        let record = try await fixture.register()
        try await fixture.lock()
        let asked = fixture.person.asked.count
        fixture.person.will(SignInFixture.typed)
        let (request, ceremony) = fixture.assertion(.required)
        let response = try fixture.verify(try await fixture.ask(request), ceremony, record)
        #expect(try AuthenticatorData(response.authenticatorData).flags.contains(.userVerified))
        let prompts = fixture.person.asked.dropFirst(asked)
        #expect(prompts.count == 1)
        #expect(prompts.first?.question == "Your vault is locked. Unlock it to sign in to example.com?")
        #expect(prompts.first?.asker.contains("Shiny") == true)
        try await fixture.close()
    }

    @Test func `are one prompt where a passkey is made, which names the account`() async throws {
        let fixture = try await SignInFixture()
        try await fixture.agent.create()
        try await fixture.lock()
        fixture.person.will(SignInFixture.typed)
        let (request, ceremony) = fixture.registration()
        _ = try fixture.verify(try await fixture.ask(request), ceremony)
        #expect(
            fixture.person.asked.map(\.question) == [
                "Your vault is locked. Unlock it to make a passkey for ada at example.com?"
            ]
        )
        try await fixture.close()
    }

    @Test func `are a yes where verification is preferred and the vault is open`() async throws {
        let fixture = try await SignInFixture()
        try await fixture.agent.create()
        let record = try await fixture.register()
        fixture.person.will(.agreed)
        let (request, ceremony) = fixture.assertion(.preferred)
        let response = try fixture.verify(try await fixture.ask(request), ceremony, record)
        #expect(try !AuthenticatorData(response.authenticatorData).flags.contains(.userVerified))
        #expect(fixture.person.asked.last?.kind == .confirmation)
        try await fixture.close()
    }
}
