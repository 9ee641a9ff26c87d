import Foundation
import Testing
import WardAgent
import WardAgentClient
import WardRelyingParty
import WardText
import WardWebAuthn

@Suite(.agents, .timeLimit(.minutes(15))) struct `What apps have made` {
    private func makeFixture() async throws -> SignInFixture {
        let fixture = try await SignInFixture()
        try await fixture.agent.create()
        return fixture
    }

    // MARK: Upgrades

    @Test func `an upgrade shows nothing, and is made after the password was filled in`() async throws {
        let fixture = try await makeFixture()
        try await fixture.keep("ada")
        let (silent, _) = fixture.registration(isConditional: true)
        await #expect(throws: AgentError(.nothingAvailable, "")) { try await fixture.ask(silent, quiet: true) }
        fixture.person.will(.agreed)
        _ = try await fixture.ask(AppRequest(.password, domain: SignInFixture.domain))
        let asked = fixture.person.asked.count
        let (request, ceremony) = fixture.registration(isConditional: true)
        let record = try fixture.verify(try await fixture.ask(request, quiet: true), ceremony)
        #expect(fixture.person.asked.count == asked)
        #expect(fixture.agent.notes.shown.contains { $0.contains("A passkey was made") && $0.contains("ada") })
        let (assertion, signIn) = fixture.assertion()
        fixture.person.will(SignInFixture.typed)
        try fixture.verify(try await fixture.ask(assertion), signIn, record)
        try await fixture.close()
    }

    @Test func `another account's password allows no upgrade, nor does a locked vault`() async throws {
        let fixture = try await makeFixture()
        try await fixture.keep("bob")
        fixture.person.will(.agreed)
        _ = try await fixture.ask(AppRequest(.password, domain: SignInFixture.domain))
        await #expect(throws: AgentError(.nothingAvailable, "")) {
            try await fixture.ask(fixture.registration(isConditional: true).request)
        }
        try await fixture.lock()
        let asked = fixture.person.asked.count
        await #expect(throws: AgentError(.nothingAvailable, "")) {
            try await fixture.ask(fixture.registration("bob", isConditional: true).request)
        }
        #expect(fixture.person.asked.count == asked)
        try await fixture.close()
    }

    @Test func `an upgrade of an account that has a passkey errs, and nothing is shown`() async throws {
        let fixture = try await makeFixture()
        try await fixture.keep("ada")
        _ = try await fixture.register()
        fixture.person.will(.agreed)
        _ = try await fixture.ask(AppRequest(.password, domain: SignInFixture.domain))
        let asked = fixture.person.asked.count
        await #expect(throws: AgentError(.nothingAvailable, "")) {
            try await fixture.ask(fixture.registration(isConditional: true).request)
        }
        #expect(fixture.person.asked.count == asked && fixture.agent.notes.shown.isEmpty)
        try await fixture.close()
    }

    // MARK: New passwords

    @Test func `a new password is strong, kept, handed out, and good for an upgrade`() async throws {
        let fixture = try await makeFixture()
        var request = AppRequest(.newPassword, domain: SignInFixture.domain)
        request.user = "ada"
        fixture.person.will(.declined)
        await #expect(throws: AgentError(.denied, "")) { try await fixture.ask(request) }
        fixture.waitAfterNo()
        fixture.person.will(.agreed)
        let result = try await fixture.ask(request)
        let password = try #require(result.password)
        #expect(password.count == 20 && result.user == "ada")
        let item = try await fixture.call(GetItem(authorization: SignInFixture.quiet, item: "ada", reveal: true))
        #expect(item.password?.value == password && item.sites.map(\.address) == ["https://example.com"])
        let text = try #require(fixture.person.asked.last?.text)
        #expect(
            text.contains("ada") && text.contains("example.com") && text.contains("Shiny") && !text.contains(password)
        )
        let (silent, ceremony) = fixture.registration(isConditional: true)
        _ = try fixture.verify(try await fixture.ask(silent, quiet: true), ceremony)
        try await fixture.close()
    }

    @Test func `a new password for a known account keeps the one before in the history`() async throws {
        let fixture = try await makeFixture()
        try await fixture.keep("ada", "old")
        var request = AppRequest(.newPassword, domain: SignInFixture.domain)
        request.user = "ada"
        fixture.person.will(.agreed)
        let result = try await fixture.ask(request)
        #expect(fixture.person.asked.last?.text.contains("replaces the one you have") == true)
        let items = try await fixture.call(ListItems(authorization: SignInFixture.quiet)).items
        #expect(items.count == 1)
        let item = try await fixture.call(GetItem(authorization: SignInFixture.quiet, item: items[0].id, reveal: true))
        #expect(item.password?.value == result.password && item.password?.history?.map(\.value) == ["old"])
        try await fixture.close()
    }

    // MARK: New accounts

    private func accountCreation(_ fixture: SignInFixture, _ contacts: [String], wantsName: Bool) -> (
        AppRequest, Ceremony
    ) {
        let user = PublicKeyCredentialUserEntity(id: UserHandle([7, 7])!, name: "x", displayName: "x")
        let (options, ceremony) = fixture.service.registrationOptions(for: user)
        var members = options.value.objectValue ?? []
        // An app that makes an account has no name for it yet.
        members = members.map { $0.name == "user" ? .init("user", ["id": .string("Bwc")]) : $0 }
        let text = String(decoding: JSONValue.object(members).serialized, as: UTF8.self)
        var request = AppRequest(.accountCreation, domain: SignInFixture.domain, options: text)
        request.contacts = contacts
        request.wantsName = wantsName
        return (request, ceremony)
    }

    private func addIdentity(_ fixture: SignInFixture) async throws {
        var change = ItemChange()
        change.title = "Me"
        change.fields = [
            .init(label: "email", value: "ada@example.org"), .init(label: "Phone", value: "+44 20 7946 0000"),
            .init(label: "Name", value: "Ada Lovelace"), .init(label: "email", value: "ada@example.org"),
        ]
        _ = try await fixture.call(AddItem(authorization: SignInFixture.quiet, kind: "identity", change: change))
    }

    @Test func `a new account is named after an identity of the vault`() async throws {
        let fixture = try await makeFixture()
        try await addIdentity(fixture)
        let (request, ceremony) = accountCreation(fixture, ["email", "phoneNumber"], wantsName: true)
        // The second contact, the name, the passphrase.
        fixture.person.will(.other, .agreed, .agreed, SignInFixture.typed)
        let result = try await fixture.ask(request)
        #expect(result.user == "+44 20 7946 0000" && result.personName == "Ada Lovelace")
        _ = try fixture.verify(result, ceremony)
        let passkeys = try await fixture.call(ListPasskeys(authorization: SignInFixture.quiet)).passkeys
        #expect(passkeys.map(\.userName) == ["+44 20 7946 0000"] && passkeys.map(\.userDisplayName) == ["Ada Lovelace"])
        #expect(fixture.person.asked.allSatisfy { $0.text.contains("Shiny") && $0.text.contains("example.com") })
        try await fixture.close()
    }

    @Test func `without an identity the contact is typed, and a name can be kept back`() async throws {
        let fixture = try await makeFixture()
        let (request, ceremony) = accountCreation(fixture, ["email"], wantsName: true)
        fixture.person.will(
            .secret(Array("no address".utf8)),
            .secret(Array("ada@example.org".utf8)),
            .other,
            .agreed,
            SignInFixture.typed
        )
        let result = try await fixture.ask(request)
        #expect(result.user == "ada@example.org" && result.personName == nil)
        #expect(
            fixture.person.asked[1].error != nil && fixture.person.asked.last?.text.contains("ada@example.org") == true
        )
        _ = try fixture.verify(result, ceremony)
        try await fixture.close()
    }

    @Test(arguments: 0..<3) func `an account is made with all of it or not at all`(step: Int) async throws {
        let fixture = try await makeFixture()
        try await addIdentity(fixture)
        let (request, _) = accountCreation(fixture, ["email"], wantsName: true)
        let answers: [PromptAnswer] = [.agreed, .agreed, SignInFixture.typed]
        for answer in answers.prefix(step) { fixture.person.will(answer) }
        await #expect(throws: AgentError(.denied, "")) { try await fixture.ask(request) }
        #expect(try await fixture.call(ListPasskeys(authorization: SignInFixture.quiet)).passkeys.isEmpty)
        try await fixture.close()
    }

    // MARK: Passkeys off

    @Test func `with passkeys off a registration errs and an assertion is passed over`() async throws {
        let fixture = try await makeFixture()
        try await fixture.keep("ada")
        _ = try await fixture.register()
        let after = try await fixture.call(DisableProvider(identifier: "ward"))
        #expect(after.passkeysAreOff && after.providers.allSatisfy { !$0.isEnabled })
        let asked = fixture.person.asked.count
        for request in [fixture.registration().request, fixture.registration(isConditional: true).request] {
            await #expect(throws: AgentError(.passkeysOff, "")) { try await fixture.ask(request) }
        }
        await #expect(throws: AgentError(.passkeysOff, "")) {
            try await fixture.ask(accountCreation(fixture, ["email"], wantsName: false).0)
        }
        await #expect(throws: AgentError(.nothingAvailable, "")) { try await fixture.ask(fixture.assertion().request) }
        #expect(fixture.person.asked.count == asked)
        _ = try await fixture.call(EnableProvider(identifier: "ward"))
        fixture.person.will(.other, .agreed)
        #expect(
            try await fixture.ask(fixture.assertion().request, AppRequest(.password, domain: SignInFixture.domain)).user
                == "ada"
        )
        try await fixture.close()
    }

    // MARK: Text fields

    @Test func `suggestions tell accounts of the app's domains and no secret, and picking one asks`() async throws {
        let fixture = try await makeFixture()
        let record = try await fixture.register()
        try await fixture.keep("bob", "hunter2")
        try await fixture.keep("eve", at: "https://example.net")
        let asked = fixture.person.asked.count
        let (assertion, ceremony) = fixture.assertion()
        let password = AppRequest(.password, domain: SignInFixture.domain)
        let found = try await fixture.call(SuggestForApp(requests: [password, assertion]))
        #expect(!found.isLocked && found.suggestions.map(\.user).sorted() == ["ada", "bob"])
        #expect(found.suggestions.allSatisfy { $0.domain == SignInFixture.domain && $0.provider == "ward" })
        let text = String(decoding: try JSONEncoder().encode(found), as: UTF8.self)
        // Random IDs can have any three letters in a row.
        #expect(!text.contains("hunter2") && !text.contains("\"eve\""))
        #expect(fixture.person.asked.count == asked)

        let passkey = try #require(found.suggestions.first { $0.kind == .passkeyAssertion })
        fixture.person.will(SignInFixture.typed)
        let result = try await fixture.ask(assertion, password, suggestion: passkey.id)
        try fixture.verify(result, ceremony, record)
        let other = try #require(found.suggestions.first { $0.kind == .password })
        await #expect(throws: AgentError(.denied, "")) {
            try await fixture.ask(assertion, password, suggestion: other.id)
        }
        fixture.waitAfterNo()
        fixture.person.will(.agreed)
        #expect(try await fixture.ask(assertion, password, suggestion: other.id).password == "hunter2")
        try await fixture.close()
    }

    @Test func `a suggestion is worth nothing to another app, and an invented one nothing to anybody`() async throws {
        let fixture = try await makeFixture()
        try await fixture.keep("bob")
        let password = AppRequest(.password, domain: SignInFixture.domain)
        let found = try await fixture.call(SuggestForApp(requests: [password]))
        let id = try #require(found.suggestions.first?.id)
        var twin = SignInFixture.app("Shiny")
        twin.executable = "/tmp/shiny"
        fixture.becomes(twin)
        await #expect(throws: AgentError(.nothingAvailable, "")) { try await fixture.ask(password, suggestion: id) }
        fixture.becomes(SignInFixture.app("Shiny"))
        await #expect(throws: AgentError(.nothingAvailable, "")) { try await fixture.ask(password, suggestion: "x") }
        #expect(fixture.person.asked.isEmpty)
        try await fixture.close()
    }

    @Test func `a suggestion can be taken for ten minutes, and not later`() async throws {
        let fixture = try await makeFixture()
        try await fixture.keep("bob")
        let password = AppRequest(.password, domain: SignInFixture.domain)
        let found = try await fixture.call(SuggestForApp(requests: [password]))
        let id = try #require(found.suggestions.first?.id)
        fixture.clock.advance(.seconds(600))
        fixture.person.will(.agreed)
        #expect(try await fixture.ask(password, suggestion: id).user == "bob")
        fixture.clock.advance(.seconds(1))
        await #expect(throws: AgentError(.nothingAvailable, "")) {
            try await fixture.ask(password, suggestion: id)
        }
        try await fixture.close()
    }

    @Test func `a locked vault suggests that it can be opened, and nothing more`() async throws {
        let fixture = try await makeFixture()
        try await fixture.keep("ada")
        try await fixture.lock()
        let requests = [
            AppRequest(.password, domain: SignInFixture.domain), AppRequest(.newPassword, domain: SignInFixture.domain),
        ]
        let locked = try await fixture.call(SuggestForApp(requests: [requests[0]]))
        #expect(locked.isLocked && locked.suggestions.map(\.kind) == [.unlock])
        #expect(locked.suggestions.allSatisfy { $0.user.isEmpty })
        await #expect(throws: AgentError(.denied, "")) { try await fixture.call(UnlockForApp()) }
        fixture.waitAfterNo()
        fixture.person.will(SignInFixture.typed)
        _ = try await fixture.call(UnlockForApp())
        #expect(fixture.person.asked.last?.text.contains("Shiny") == true)
        let open = try await fixture.call(SuggestForApp(requests: [requests[0]]))
        #expect(!open.isLocked && open.suggestions.map(\.user) == ["ada"])
        let new = try await fixture.call(SuggestForApp(requests: [requests[1]]))
        #expect(new.suggestions.map(\.kind) == [.newPassword])
        try await fixture.close()
    }

    @Test func `picking the locked vault opens it, and shows what it has`() async throws {
        let fixture = try await makeFixture()
        try await fixture.keep("ada")
        try await fixture.lock()
        let password = AppRequest(.password, domain: SignInFixture.domain)
        let id = try #require(try await fixture.call(SuggestForApp(requests: [password])).suggestions.first?.id)
        fixture.person.will(SignInFixture.typed, .agreed)
        #expect(try await fixture.ask(password, immediately: true, suggestion: id).user == "ada")
        try await fixture.close()
    }

    @Test func `a password that its service no longer takes is not offered`() async throws {
        let fixture = try await makeFixture()
        try await fixture.keep("ada")
        _ = try await fixture.call(
            SignalFromApp(.unusedPassword, options: "{\"rpId\":\"example.com\",\"name\":\"ada\"}")
        )
        await #expect(throws: AgentError(.nothingAvailable, "")) {
            try await fixture.ask(AppRequest(.password, domain: SignInFixture.domain))
        }
        try await fixture.close()
    }
}
