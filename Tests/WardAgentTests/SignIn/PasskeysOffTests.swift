import Logging
import Testing
@testable import WardAgent
import WardAgentClient
import WardWebAuthn

@Suite(.timeLimit(.minutes(15))) struct `Passkeys that are switched off` {
    private let password = AppRequest(.password, domain: Shop.domain)

    @Test func `are left out beside passwords of the same vault, and come back`() async throws {
        let shop = try await Shop()
        try await shop.office.create()
        let record = try await shop.register()
        try await shop.keep("bob")
        #expect(try await shop.call(SwitchPasskeys(isOn: false)).arePasskeysSwitchedOff)
        let asked = shop.person.asked.count
        shop.person.will(.agreed)
        let filled = try await shop.ask(shop.assertion().request, password)
        #expect(filled.request == 1 && filled.user == "bob")
        #expect(shop.person.asked.count == asked + 1, "one line, so that there is nothing to pick")
        await #expect(throws: AgentError(.nothingAvailable, "")) {
            try await shop.ask(shop.assertion(allowing: [record.descriptor]).request)
        }
        let suggested = try await shop.call(SuggestForApp(requests: [shop.assertion().request, password])).suggestions
        #expect(suggested.map(\.kind) == [.password])
        #expect(try await shop.call(Status()).passkeysAreOff == true)

        #expect(try await !shop.call(SwitchPasskeys(isOn: true)).passkeysAreOff)
        #expect(try await shop.call(Status()).passkeysAreOff == nil)
        shop.person.will(.agreed, Shop.typed)
        let (request, ceremony) = shop.assertion()
        try shop.verify(try await shop.ask(request, password), ceremony, record)
        try await shop.close()
    }

    @Test func `are not made, with a question or without, for an app or for a page`() async throws {
        let shop = try await Shop()
        try await shop.office.create()
        try await shop.keep("ada")
        shop.person.will(.agreed)
        _ = try await shop.ask(password)
        _ = try await shop.call(SwitchPasskeys(isOn: false))
        let asked = shop.person.asked.count
        for isConditional in [true, false] {
            let error = await #expect(throws: AgentError.self) {
                try await shop.ask(shop.registration(isConditional: isConditional).request)
            }
            #expect(error?.code == .passkeysOff && error?.message.contains("ward passkeys on") == true)
        }
        let authorization = Authorization(passphrase: Office.passphrase)
        for method in [
            CreatePasskey(authorization: authorization, origin: "https://example.com", options: "{}"),
            UsePasskey(authorization: authorization, origin: "https://example.com", options: "{}"),
        ] as [any AgentMethod] {
            await #expect(throws: AgentError(.passkeysOff, "")) { try await shop.office.call(method) }
        }
        #expect(shop.person.asked.count == asked)
        try await shop.close()
    }

    @Test func `stay off for the next agent, and change nothing else`() async throws {
        let shop = try await Shop()
        let path = shop.office.agent.configuration.providers.settings
        _ = try await shop.call(DisableProvider(identifier: "ward"))
        _ = try await shop.call(SwitchPasskeys(isOn: false))
        let read = ProviderSettings(path: path, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        #expect(read.arePasskeysOff && read.enabled.isEmpty)
        _ = try await shop.call(EnableProvider(identifier: "ward"))
        #expect(read.arePasskeysOff && read.enabled == ["ward"])
        _ = try await shop.call(SwitchPasskeys(isOn: true))
        #expect(!read.arePasskeysOff && read.enabled == ["ward"])
        try await shop.close()
    }
}
