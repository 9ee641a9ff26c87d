import Logging
import Testing
@testable import WardAgent
import WardAgentClient
import WardWebAuthn

@Suite(.agents, .timeLimit(.minutes(15))) struct `Passkeys that are switched off` {
    private let password = AppRequest(.password, domain: SignInFixture.domain)

    @Test func `are left out beside passwords of the same vault, and come back`() async throws {
        let fixture = try await SignInFixture()
        try await fixture.agent.create()
        let record = try await fixture.register()
        try await fixture.keep("bob")
        #expect(try await fixture.call(SwitchPasskeys(isOn: false)).arePasskeysSwitchedOff)
        let asked = fixture.person.asked.count
        fixture.person.will(.agreed)
        let filled = try await fixture.ask(fixture.assertion().request, password)
        #expect(filled.request == 1 && filled.user == "bob")
        #expect(fixture.person.asked.count == asked + 1, "one line, so that there is nothing to pick")
        await #expect(throws: AgentError(.nothingAvailable, "")) {
            try await fixture.ask(fixture.assertion(allowing: [record.descriptor]).request)
        }
        let suggested = try await fixture.call(SuggestForApp(requests: [fixture.assertion().request, password]))
            .suggestions
        #expect(suggested.map(\.kind) == [.password])
        #expect(try await fixture.call(Status()).passkeysAreOff == true)

        #expect(try await !fixture.call(SwitchPasskeys(isOn: true)).passkeysAreOff)
        #expect(try await fixture.call(Status()).passkeysAreOff == nil)
        fixture.person.will(.agreed, SignInFixture.typed)
        let (request, ceremony) = fixture.assertion()
        try fixture.verify(try await fixture.ask(request, password), ceremony, record)
        try await fixture.close()
    }

    @Test func `are not made, with a question or without, for an app or for a page`() async throws {
        let fixture = try await SignInFixture()
        try await fixture.agent.create()
        try await fixture.keep("ada")
        fixture.person.will(.agreed)
        _ = try await fixture.ask(password)
        _ = try await fixture.call(SwitchPasskeys(isOn: false))
        let asked = fixture.person.asked.count
        for isConditional in [true, false] {
            let error = await #expect(throws: AgentError.self) {
                try await fixture.ask(fixture.registration(isConditional: isConditional).request)
            }
            #expect(error?.code == .passkeysOff && error?.message.contains("ward passkeys on") == true)
        }
        let authorization = Authorization(passphrase: AgentFixture.passphrase)
        for method in [
            CreatePasskey(authorization: authorization, origin: "https://example.com", options: "{}"),
            UsePasskey(authorization: authorization, origin: "https://example.com", options: "{}"),
        ] as [any AgentMethod] {
            await #expect(throws: AgentError(.passkeysOff, "")) { try await fixture.agent.call(method) }
        }
        #expect(fixture.person.asked.count == asked)
        try await fixture.close()
    }

    @Test func `stay off for the next agent, and change nothing else`() async throws {
        let fixture = try await SignInFixture()
        let path = fixture.agent.agent.configuration.providers.settings
        _ = try await fixture.call(DisableProvider(identifier: "ward"))
        _ = try await fixture.call(SwitchPasskeys(isOn: false))
        let read = ProviderSettings(path: path, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        #expect(read.arePasskeysOff && read.enabled.isEmpty)
        _ = try await fixture.call(EnableProvider(identifier: "ward"))
        #expect(read.arePasskeysOff && read.enabled == ["ward"])
        _ = try await fixture.call(SwitchPasskeys(isOn: true))
        #expect(!read.arePasskeysOff && read.enabled == ["ward"])
        try await fixture.close()
    }
}
