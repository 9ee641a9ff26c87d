import Testing
import WardAgent
import WardAgentClient
import WardText

@Suite(.agents, .timeLimit(.minutes(15))) struct `A manager that keeps passwords` {
    private let password = AppRequest(.password, domain: SignInFixture.domain)
    private let new: AppRequest = {
        var request = AppRequest(.newPassword, domain: SignInFixture.domain)
        request.user = "ada"
        return request
    }()
    private let save = SaveForApp(domain: SignInFixture.domain, user: "ada", password: "typed", title: "Shop")

    private func setting(vault: Bool) async throws -> (SignInFixture, ScriptedManager) {
        let fixture = try await SignInFixture()
        if vault { try await fixture.agent.create() }
        let manager = try await ScriptedManager.start(
            in: fixture.agent,
            capabilities: ProviderCapabilitiesNames.all + ["SupportsSavePasswordCredentials"]
        )
        _ = try await fixture.call(EnableProvider(identifier: ScriptedManager.identifier))
        return (fixture, manager)
    }

    private func close(_ fixture: SignInFixture, _ manager: ScriptedManager) async throws {
        try await manager.end()
        try await fixture.close()
    }

    @Test func `gets what was typed into an app if the person picks it, and the vault does not`() async throws {
        let (fixture, manager) = try await setting(vault: true)
        fixture.person.will(.other, .agreed)
        _ = try await fixture.call(save)
        #expect(
            fixture.person.asked.map(\.text).map { $0.contains("in Ward") || $0.contains("in Scripted") } == [
                true, true,
            ]
        )
        #expect(manager.texts.contains("\"password\":\"typed\"") && manager.texts.contains("\"isGenerated\":false"))
        #expect(try await fixture.call(ListItems(authorization: SignInFixture.quiet)).items.isEmpty)
        // The other way round, with one question.
        let asked = fixture.person.asked.count
        fixture.person.will(.agreed)
        _ = try await fixture.call(save)
        #expect(manager.seen.count { $0 == "provider.save" } == 1 && fixture.person.asked.count == asked + 1)
        #expect(try await fixture.call(ListItems(authorization: SignInFixture.quiet)).items.count == 1)
        // What is in the open vault already is not asked about.
        _ = try await fixture.call(save)
        #expect(fixture.person.asked.count == asked + 1)
        // Nor does a vault matter that is not in use, or is locked.
        _ = try await fixture.call(DisableProvider(identifier: "ward"))
        fixture.person.will(.agreed)
        _ = try await fixture.call(save)
        #expect(manager.seen.count { $0 == "provider.save" } == 2 && fixture.person.asked.count == asked + 2)
        _ = try await fixture.call(EnableProvider(identifier: "ward"))
        try await fixture.lock()
        fixture.person.will(.other, .agreed)
        _ = try await fixture.call(save)
        #expect(manager.seen.count { $0 == "provider.save" } == 3 && fixture.person.asked.count == asked + 4)
        try await close(fixture, manager)
    }

    @Test func `gets nothing without a yes, and its failure is named`() async throws {
        let (fixture, manager) = try await setting(vault: false)
        var quiet = save
        quiet.authorization = AppAuthorization(mayPrompt: false)
        await #expect(throws: AgentError(.denied, "")) { try await fixture.call(quiet) }
        #expect(fixture.person.asked.isEmpty)
        await #expect(throws: AgentError(.denied, "")) { try await fixture.call(save) }
        #expect(!manager.seen.contains("provider.save"))
        fixture.waitAfterNo()
        for trick in [
            ScriptedManager.Trick.die, .refuse("full"), .change("reference", ""),
            .change("reference", .string(String(repeating: "x", count: 257))),
        ] {
            manager.will(trick, at: "provider.save")
            fixture.person.will(.agreed)
            await #expect(throws: AgentError(.providerFailed, "")) { try await fixture.call(save) }
        }
        _ = try await fixture.call(DisableProvider(identifier: ScriptedManager.identifier))
        _ = try await fixture.call(DisableProvider(identifier: "ward"))
        await #expect(throws: AgentError(.nothingAvailable, "")) { try await fixture.call(save) }
        try await close(fixture, manager)
    }

    @Test func `keeps a new password before an app gets it, and it is good for an upgrade`() async throws {
        let (fixture, manager) = try await setting(vault: true)
        manager.will(.refuse("full"), at: "provider.save")
        fixture.person.will(.other, .agreed)
        await #expect(throws: AgentError(.providerFailed, "")) { try await fixture.ask(new) }
        manager.will(nil, at: "provider.save")
        fixture.person.will(.other, .agreed)
        let made = try await fixture.ask(new)
        #expect(made.user == "ada" && made.password?.isEmpty == false)
        #expect(manager.texts.contains("\"isGenerated\":true"))
        fixture.person.will(.agreed)
        #expect(try await fixture.ask(password).password == made.password)
        let (request, ceremony) = fixture.registration(isConditional: true)
        _ = try fixture.verify(try await fixture.ask(request, quiet: true), ceremony)
        try await close(fixture, manager)
    }
}
