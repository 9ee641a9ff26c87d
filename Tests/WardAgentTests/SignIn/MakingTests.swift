import Foundation
import Testing
import WardAgent
import WardAgentClient
import WardRelyingParty
import WardWebAuthn

@Suite(.timeLimit(.minutes(15))) struct `What apps have made` {
    private func shop() async throws -> Shop {
        let shop = try await Shop()
        try await shop.office.create()
        return shop
    }

    // MARK: Upgrades

    @Test func `an upgrade shows nothing, and is made after the password was filled in`() async throws {
        let shop = try await shop()
        try await shop.keep("ada")
        let (silent, _) = shop.registration(isConditional: true)
        await #expect(throws: AgentError(.nothingAvailable, "")) { try await shop.ask(silent, quiet: true) }
        shop.person.will(.agreed)
        _ = try await shop.ask(AppRequest(.password, domain: Shop.domain))
        let asked = shop.person.asked.count
        let (request, ceremony) = shop.registration(isConditional: true)
        let record = try shop.verify(try await shop.ask(request, quiet: true), ceremony)
        #expect(shop.person.asked.count == asked)
        #expect(shop.office.notes.shown.contains { $0.contains("A passkey was made") && $0.contains("ada") })
        let (assertion, signIn) = shop.assertion()
        shop.person.will(Shop.typed)
        try shop.verify(try await shop.ask(assertion), signIn, record)
        try await shop.close()
    }

    @Test func `another account's password allows no upgrade, nor does a locked vault`() async throws {
        let shop = try await shop()
        try await shop.keep("bob")
        shop.person.will(.agreed)
        _ = try await shop.ask(AppRequest(.password, domain: Shop.domain))
        await #expect(throws: AgentError(.nothingAvailable, "")) {
            try await shop.ask(shop.registration(isConditional: true).request)
        }
        try await shop.lock()
        let asked = shop.person.asked.count
        await #expect(throws: AgentError(.nothingAvailable, "")) {
            try await shop.ask(shop.registration("bob", isConditional: true).request)
        }
        #expect(shop.person.asked.count == asked)
        try await shop.close()
    }

    @Test func `an upgrade of an account that has a passkey errs, and nothing is shown`() async throws {
        let shop = try await shop()
        try await shop.keep("ada")
        _ = try await shop.register()
        shop.person.will(.agreed)
        _ = try await shop.ask(AppRequest(.password, domain: Shop.domain))
        let asked = shop.person.asked.count
        await #expect(throws: AgentError(.nothingAvailable, "")) {
            try await shop.ask(shop.registration(isConditional: true).request)
        }
        #expect(shop.person.asked.count == asked && shop.office.notes.shown.isEmpty)
        try await shop.close()
    }

    // MARK: New passwords

    @Test func `a new password is strong, kept, handed out, and good for an upgrade`() async throws {
        let shop = try await shop()
        var request = AppRequest(.newPassword, domain: Shop.domain)
        request.user = "ada"
        shop.person.will(.declined)
        await #expect(throws: AgentError(.denied, "")) { try await shop.ask(request) }
        shop.waitAfterNo()
        shop.person.will(.agreed)
        let result = try await shop.ask(request)
        let password = try #require(result.password)
        #expect(password.count == 20 && result.user == "ada")
        let item = try await shop.call(GetItem(authorization: Shop.quiet, item: "ada", reveal: true))
        #expect(item.password?.value == password && item.sites.map(\.address) == ["https://example.com"])
        let text = try #require(shop.person.asked.last?.text)
        #expect(
            text.contains("ada") && text.contains("example.com") && text.contains("Shiny") && !text.contains(password)
        )
        let (silent, ceremony) = shop.registration(isConditional: true)
        _ = try shop.verify(try await shop.ask(silent, quiet: true), ceremony)
        try await shop.close()
    }

    @Test func `a new password for a known account keeps the one before in the history`() async throws {
        let shop = try await shop()
        try await shop.keep("ada", "old")
        var request = AppRequest(.newPassword, domain: Shop.domain)
        request.user = "ada"
        shop.person.will(.agreed)
        let result = try await shop.ask(request)
        #expect(shop.person.asked.last?.text.contains("takes the place of") == true)
        let items = try await shop.call(ListItems(authorization: Shop.quiet)).items
        #expect(items.count == 1)
        let item = try await shop.call(GetItem(authorization: Shop.quiet, item: items[0].id, reveal: true))
        #expect(item.password?.value == result.password && item.password?.history?.map(\.value) == ["old"])
        try await shop.close()
    }

    // MARK: New accounts

    private func accountCreation(_ shop: Shop, _ contacts: [String], wantsName: Bool) -> (AppRequest, Ceremony) {
        let user = PublicKeyCredentialUserEntity(id: UserHandle([7, 7])!, name: "x", displayName: "x")
        let (options, ceremony) = shop.service.registrationOptions(for: user)
        var members = options.value.objectValue ?? []
        // An app that makes an account has no name for it yet.
        members = members.map { $0.name == "user" ? .init("user", ["id": .string("Bwc")]) : $0 }
        let text = String(decoding: JSONValue.object(members).serialized, as: UTF8.self)
        var request = AppRequest(.accountCreation, domain: Shop.domain, options: text)
        request.contacts = contacts
        request.wantsName = wantsName
        return (request, ceremony)
    }

    private func addIdentity(_ shop: Shop) async throws {
        var change = ItemChange()
        change.title = "Me"
        change.fields = [
            .init(label: "email", value: "ada@example.org"), .init(label: "Phone", value: "+44 20 7946 0000"),
            .init(label: "Name", value: "Ada Lovelace"), .init(label: "email", value: "ada@example.org"),
        ]
        _ = try await shop.call(AddItem(authorization: Shop.quiet, kind: "identity", change: change))
    }

    @Test func `a new account is named after an identity of the vault`() async throws {
        let shop = try await shop()
        try await addIdentity(shop)
        let (request, ceremony) = accountCreation(shop, ["email", "phoneNumber"], wantsName: true)
        // The second contact, the name, the passphrase.
        shop.person.will(.other, .agreed, .agreed, Shop.typed)
        let result = try await shop.ask(request)
        #expect(result.user == "+44 20 7946 0000" && result.personName == "Ada Lovelace")
        _ = try shop.verify(result, ceremony)
        let passkeys = try await shop.call(ListPasskeys(authorization: Shop.quiet)).passkeys
        #expect(passkeys.map(\.userName) == ["+44 20 7946 0000"] && passkeys.map(\.userDisplayName) == ["Ada Lovelace"])
        #expect(shop.person.asked.allSatisfy { $0.text.contains("Shiny") && $0.text.contains("example.com") })
        try await shop.close()
    }

    @Test func `without an identity the contact is typed, and a name can be kept back`() async throws {
        let shop = try await shop()
        let (request, ceremony) = accountCreation(shop, ["email"], wantsName: true)
        shop.person.will(
            .secret(Array("no address".utf8)),
            .secret(Array("ada@example.org".utf8)),
            .other,
            .agreed,
            Shop.typed
        )
        let result = try await shop.ask(request)
        #expect(result.user == "ada@example.org" && result.personName == nil)
        #expect(shop.person.asked[1].error != nil && shop.person.asked.last?.text.contains("ada@example.org") == true)
        _ = try shop.verify(result, ceremony)
        try await shop.close()
    }

    @Test(arguments: 0..<3) func `an account is made with all of it or not at all`(step: Int) async throws {
        let shop = try await shop()
        try await addIdentity(shop)
        let (request, _) = accountCreation(shop, ["email"], wantsName: true)
        let answers: [PromptAnswer] = [.agreed, .agreed, Shop.typed]
        for answer in answers.prefix(step) { shop.person.will(answer) }
        await #expect(throws: AgentError(.denied, "")) { try await shop.ask(request) }
        #expect(try await shop.call(ListPasskeys(authorization: Shop.quiet)).passkeys.isEmpty)
        try await shop.close()
    }

    // MARK: Passkeys off

    @Test func `with passkeys off a registration errs and an assertion is passed over`() async throws {
        let shop = try await shop()
        try await shop.keep("ada")
        _ = try await shop.register()
        let after = try await shop.call(DisableProvider(identifier: "ward"))
        #expect(after.passkeysAreOff && after.providers.allSatisfy { !$0.isEnabled })
        let asked = shop.person.asked.count
        for request in [shop.registration().request, shop.registration(isConditional: true).request] {
            await #expect(throws: AgentError(.passkeysOff, "")) { try await shop.ask(request) }
        }
        await #expect(throws: AgentError(.passkeysOff, "")) {
            try await shop.ask(accountCreation(shop, ["email"], wantsName: false).0)
        }
        await #expect(throws: AgentError(.nothingAvailable, "")) { try await shop.ask(shop.assertion().request) }
        #expect(shop.person.asked.count == asked)
        _ = try await shop.call(EnableProvider(identifier: "ward"))
        shop.person.will(.other, .agreed)
        #expect(try await shop.ask(shop.assertion().request, AppRequest(.password, domain: Shop.domain)).user == "ada")
        try await shop.close()
    }

    // MARK: Text fields

    @Test func `suggestions tell accounts of the app's domains and no secret, and picking one asks`() async throws {
        let shop = try await shop()
        let record = try await shop.register()
        try await shop.keep("bob", "hunter2")
        try await shop.keep("eve", at: "https://example.net")
        let asked = shop.person.asked.count
        let (assertion, ceremony) = shop.assertion()
        let password = AppRequest(.password, domain: Shop.domain)
        let found = try await shop.call(SuggestForApp(requests: [password, assertion]))
        #expect(!found.isLocked && found.suggestions.map(\.user).sorted() == ["ada", "bob"])
        #expect(found.suggestions.allSatisfy { $0.domain == Shop.domain && $0.provider == "ward" })
        let text = String(decoding: try JSONEncoder().encode(found), as: UTF8.self)
        #expect(!text.contains("hunter2") && !text.contains("eve"))
        #expect(shop.person.asked.count == asked)

        let passkey = try #require(found.suggestions.first { $0.kind == .passkeyAssertion })
        shop.person.will(Shop.typed)
        let result = try await shop.ask(assertion, password, suggestion: passkey.id)
        try shop.verify(result, ceremony, record)
        let other = try #require(found.suggestions.first { $0.kind == .password })
        await #expect(throws: AgentError(.denied, "")) { try await shop.ask(assertion, password, suggestion: other.id) }
        shop.waitAfterNo()
        shop.person.will(.agreed)
        #expect(try await shop.ask(assertion, password, suggestion: other.id).password == "hunter2")
        try await shop.close()
    }

    @Test func `a suggestion is worth nothing to another app, and an invented one nothing to anybody`() async throws {
        let shop = try await shop()
        try await shop.keep("bob")
        let password = AppRequest(.password, domain: Shop.domain)
        let found = try await shop.call(SuggestForApp(requests: [password]))
        let id = try #require(found.suggestions.first?.id)
        var twin = Shop.app("Shiny")
        twin.executable = "/tmp/shiny"
        shop.becomes(twin)
        await #expect(throws: AgentError(.nothingAvailable, "")) { try await shop.ask(password, suggestion: id) }
        shop.becomes(Shop.app("Shiny"))
        await #expect(throws: AgentError(.nothingAvailable, "")) { try await shop.ask(password, suggestion: "x") }
        #expect(shop.person.asked.isEmpty)
        try await shop.close()
    }

    @Test func `a locked vault suggests that it can be opened, and nothing more`() async throws {
        let shop = try await shop()
        try await shop.keep("ada")
        try await shop.lock()
        let requests = [AppRequest(.password, domain: Shop.domain), AppRequest(.newPassword, domain: Shop.domain)]
        let locked = try await shop.call(SuggestForApp(requests: [requests[0]]))
        #expect(locked.isLocked && locked.suggestions.map(\.kind) == [.unlock])
        #expect(locked.suggestions.allSatisfy { $0.user.isEmpty })
        await #expect(throws: AgentError(.denied, "")) { try await shop.call(UnlockForApp()) }
        shop.waitAfterNo()
        shop.person.will(Shop.typed)
        _ = try await shop.call(UnlockForApp())
        #expect(shop.person.asked.last?.text.contains("Shiny") == true)
        let open = try await shop.call(SuggestForApp(requests: [requests[0]]))
        #expect(!open.isLocked && open.suggestions.map(\.user) == ["ada"])
        let new = try await shop.call(SuggestForApp(requests: [requests[1]]))
        #expect(new.suggestions.map(\.kind) == [.newPassword])
        try await shop.close()
    }

    @Test func `picking the locked vault opens it, and shows what it has`() async throws {
        let shop = try await shop()
        try await shop.keep("ada")
        try await shop.lock()
        let password = AppRequest(.password, domain: Shop.domain)
        let id = try #require(try await shop.call(SuggestForApp(requests: [password])).suggestions.first?.id)
        shop.person.will(Shop.typed, .agreed)
        #expect(try await shop.ask(password, immediately: true, suggestion: id).user == "ada")
        try await shop.close()
    }

    @Test func `a password that its service no longer takes is not offered`() async throws {
        let shop = try await shop()
        try await shop.keep("ada")
        _ = try await shop.call(
            SignalFromApp(.unusedPassword, options: "{\"rpId\":\"example.com\",\"name\":\"ada\"}")
        )
        await #expect(throws: AgentError(.nothingAvailable, "")) {
            try await shop.ask(AppRequest(.password, domain: Shop.domain))
        }
        try await shop.close()
    }
}
