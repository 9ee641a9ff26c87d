import Foundation
import Testing
import WardAgent
import WardAgentClient
import WardCOSE
import WardRelyingParty
import WardText
import WardWebAuthn

@Suite(.agents, .timeLimit(.minutes(15))) struct `Other credential managers` {
    private let password = AppRequest(.password, domain: SignInFixture.domain)

    /// Ward's own vault and another manager, both in use.
    private func setting(
        listing: Duration = .seconds(60),
        use: Duration = .seconds(60)
    ) async throws -> (SignInFixture, ScriptedManager) {
        let fixture = try await SignInFixture(listing: listing, use: use)
        try await fixture.agent.create()
        let manager = try await ScriptedManager.start(in: fixture.agent)
        let after = try await fixture.call(EnableProvider(identifier: ScriptedManager.identifier))
        #expect(after.providers.filter(\.isEnabled).map(\.identifier) == ["ward", ScriptedManager.identifier])
        return (fixture, manager)
    }

    private func close(_ fixture: SignInFixture, _ manager: ScriptedManager) async throws {
        try await manager.end()
        try await fixture.close()
    }

    /// A passkey in the other manager: the second of the two that are offered.
    private func register(_ fixture: SignInFixture, _ name: String = "ada") async throws -> CredentialRecord {
        let (request, ceremony) = fixture.registration(name)
        fixture.person.will(.other, .agreed, SignInFixture.typed)
        return try fixture.verify(try await fixture.ask(request), ceremony)
    }

    // MARK: What they are for

    @Test func `a passkey of another manager is made and used, and its service takes both`() async throws {
        let (fixture, manager) = try await setting()
        let record = try await register(fixture)
        let texts = fixture.person.asked.map(\.text)
        try #require(texts.count >= 2)
        #expect(texts[0].contains("kept in Ward") && texts[1].contains("kept in Scripted"))
        #expect(try await fixture.call(ListPasskeys(authorization: SignInFixture.quiet)).passkeys.isEmpty)
        let (request, ceremony) = fixture.assertion(.required)
        fixture.person.will(SignInFixture.typed)
        try fixture.verify(try await fixture.ask(request), ceremony, record)
        #expect(fixture.person.asked.last?.text.contains("kept in Scripted") == true)
        let (relaxed, second) = fixture.assertion(.discouraged)
        fixture.person.will(.agreed)
        try fixture.verify(try await fixture.ask(relaxed), second, record)
        try await close(fixture, manager)
    }

    @Test func `a manager is told a name and a hash, and neither client data nor a path`() async throws {
        let (fixture, manager) = try await setting()
        _ = try await register(fixture)
        let (request, ceremony) = fixture.assertion()
        fixture.person.will(SignInFixture.typed)
        let result = try await fixture.ask(request)
        _ = ceremony
        manager.has("bob", "b")
        fixture.person.will(.other, .agreed)
        _ = try await fixture.ask(request, password)
        let response = try AuthenticationResponse(json: Array((result.response ?? "").utf8))
        let texts = manager.texts
        #expect(texts.contains("\"app\":\"Shiny\"") && texts.contains("\"clientDataHash\""))
        for secret in ["/usr/bin", "org.example.Shiny", "challenge", "https://", AgentFixture.passphrase] {
            #expect(!texts.contains(secret), "\(secret)")
        }
        // Random text may have the digits of the process number.
        let words = texts.split { !($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") }
        #expect(!words.contains(Substring("\(getpid())")), "the process number")
        #expect(!texts.contains(Base64URL.encode(response.clientDataJSON)))
        try await close(fixture, manager)
    }

    @Test func `one sheet has what all of them have, and each line says whose it is`() async throws {
        let (fixture, manager) = try await setting()
        try await fixture.keep("ada")
        manager.has("bob", "from the other")
        fixture.person.will(.other, .agreed)
        let result = try await fixture.ask(password)
        #expect(result.user == "bob" && result.password == "from the other")
        #expect(
            fixture.person.asked[0].text.contains("in Ward") && fixture.person.asked[1].text.contains("in Scripted")
        )
        let found = try await fixture.call(SuggestForApp(requests: [password]))
        #expect(found.suggestions.map(\.provider) == ["ward", ScriptedManager.identifier])
        #expect(manager.seen == ["provider.entries", "provider.password", "provider.entries"])
        try await close(fixture, manager)
    }

    @Test func `what another manager has is there while the vault is locked, and opening it is one more line`()
        async throws
    {
        let (fixture, manager) = try await setting()
        try await fixture.keep("ada")
        manager.has("bob", "b")
        try await fixture.lock()
        fixture.person.will(.agreed)
        #expect(try await fixture.ask(password).user == "bob")
        fixture.person.will(.other, .agreed, SignInFixture.typed, .agreed)
        #expect(try await fixture.ask(password).user == "ada")
        try await close(fixture, manager)
    }

    @Test func `a code of another manager is handed out after a confirmation`() async throws {
        let (fixture, manager) = try await setting()
        manager.lies {
            $0.addsEntry = ["reference": "x", "kind": "oneTimeCode", "domain": "example.com", "user": "ada"]
        }
        fixture.person.will(.agreed)
        let request = AppRequest(.oneTimeCode, domain: SignInFixture.domain)
        #expect(try await fixture.ask(request).code == "123456")
        for code in ["", "12 34", "12345\n", String(repeating: "1", count: 65)] {
            manager.will(.change("code", .string(code)), at: "provider.code")
            fixture.person.will(.agreed)
            await failure(naming: "Scripted") { _ = try await fixture.ask(request) }
        }
        try await close(fixture, manager)
    }

    @Test func `the manager that handed out the password makes the upgrade, and shows nothing`() async throws {
        let (fixture, manager) = try await setting()
        manager.has("ada", "a")
        let (early, _) = fixture.registration(isConditional: true)
        await #expect(throws: AgentError(.nothingAvailable, "")) { try await fixture.ask(early, quiet: true) }
        fixture.person.will(.agreed)
        _ = try await fixture.ask(password)
        let asked = fixture.person.asked.count
        await #expect(throws: AgentError(.nothingAvailable, "")) {
            try await fixture.ask(fixture.registration("bob", isConditional: true).request)
        }
        let (request, ceremony) = fixture.registration(isConditional: true)
        _ = try fixture.verify(try await fixture.ask(request, quiet: true), ceremony)
        #expect(fixture.person.asked.count == asked && manager.texts.contains("\"isConditional\":true"))
        // It is there now, and is made once.
        await #expect(throws: AgentError(.nothingAvailable, "")) {
            try await fixture.ask(fixture.registration(isConditional: true).request)
        }
        try await close(fixture, manager)
    }

    @Test func `the manager that handed out the password is asked whether it may upgrade, and its no ends it`()
        async throws
    {
        let (fixture, manager) = try await setting()
        manager.has("ada", "a")
        fixture.person.will(.agreed)
        _ = try await fixture.ask(password)
        manager.will(.change("mayUpgrade", false), at: "provider.mayUpgrade")
        let (request, ceremony) = fixture.registration(isConditional: true)
        await #expect(throws: AgentError(.nothingAvailable, "")) { try await fixture.ask(request, quiet: true) }
        let trick = ScriptedManager.Trick.change("mayUpgrade", "yes")
        for trick in [trick, .die, .refuse("locked")] {
            manager.will(trick, at: "provider.mayUpgrade")
            await failure(naming: "Scripted") { _ = try await fixture.ask(request, quiet: true) }
        }
        #expect(!manager.seen.contains("provider.registration"))
        manager.will(nil, at: "provider.mayUpgrade")
        _ = try fixture.verify(try await fixture.ask(request, quiet: true), ceremony)
        #expect(manager.texts.contains("\"reference\":\"0\""))
        // It is not asked about what it did not hand out, or not to this app.
        let asked = manager.seen.count { $0 == "provider.mayUpgrade" }
        fixture.becomes(SignInFixture.app("Other"))
        for name in ["ada", "bob"] {
            _ = try? await fixture.ask(fixture.registration(name, isConditional: true).request, quiet: true)
            fixture.becomes(SignInFixture.app("Shiny"))
        }
        #expect(manager.seen.count { $0 == "provider.mayUpgrade" } == asked)
        try await close(fixture, manager)
    }

    @Test func `an excluded passkey of another manager is told of after the person agreed`() async throws {
        let (fixture, manager) = try await setting()
        let record = try await register(fixture)
        let (request, _) = fixture.registration("bob", excluding: [record.descriptor])
        fixture.person.will(.other, .agreed, .declined)
        await #expect(throws: AgentError(.denied, "")) { try await fixture.ask(request) }
        fixture.waitAfterNo()
        fixture.person.will(.other, .agreed, SignInFixture.typed)
        await #expect(throws: AgentError(.matchedExcluded, "")) { try await fixture.ask(request) }
        #expect(manager.seen.filter { $0 == "provider.registration" }.count == 1)
        try await close(fixture, manager)
    }

    @Test func `nothing is asked of a manager that the person did not agree to`() async throws {
        let (fixture, manager) = try await setting()
        _ = try await register(fixture)
        manager.has("bob", "b")
        let before = manager.seen.filter { $0 != "provider.entries" }
        await #expect(throws: AgentError(.denied, "")) { try await fixture.ask(fixture.assertion().request) }
        await #expect(throws: AgentError(.denied, "")) { try await fixture.ask(password) }
        fixture.person.will(.other, .agreed, .declined)
        await #expect(throws: AgentError(.denied, "")) { try await fixture.ask(fixture.registration("eve").request) }
        #expect(manager.seen.filter { $0 != "provider.entries" } == before)
        try await close(fixture, manager)
    }

    @Test func `without a vault nobody is verified, and what does not need it works`() async throws {
        let fixture = try await SignInFixture()
        let manager = try await ScriptedManager.start(in: fixture.agent)
        _ = try await fixture.call(EnableProvider(identifier: ScriptedManager.identifier))
        let (request, _) = fixture.registration()
        // The service insists on verification.
        await #expect(throws: AgentError.self) { try await fixture.ask(request) }
        #expect(!manager.seen.contains("provider.registration"))
        manager.has("bob", "b")
        fixture.person.will(.agreed)
        #expect(try await fixture.ask(password).user == "bob")
        try await close(fixture, manager)
    }

    @Test func `what a service says is passed on, and nothing comes back`() async throws {
        let (fixture, manager) = try await setting()
        let options = "{\"rpId\":\"example.com\",\"credentialId\":\"AQID\"}"
        manager.will(.die, at: "provider.signal")
        _ = try await fixture.call(SignalFromApp(.unknownCredential, options: options))
        while !manager.seen.contains("provider.signal") { try await Task.sleep(for: .milliseconds(5)) }
        #expect(manager.texts.contains("\"kind\":\"unknownCredential\""))
        let asked = manager.seen.count
        await #expect(throws: AgentError(.notAssociated, "")) {
            try await fixture.call(
                SignalFromApp(.unknownCredential, options: "{\"rpId\":\"example.net\",\"credentialId\":\"AQID\"}")
            )
        }
        #expect(manager.seen.count == asked)
        try await close(fixture, manager)
    }

    @Test func `a manager is asked for nothing that it did not declare`() async throws {
        let fixture = try await SignInFixture()
        try await fixture.agent.create()
        let manager = try await ScriptedManager.start(in: fixture.agent, capabilities: ["ProvidesPasswords"])
        _ = try await fixture.call(EnableProvider(identifier: ScriptedManager.identifier))
        // There is one place for it, so there is nothing to choose.
        let record = try await fixture.register()
        fixture.person.will(SignInFixture.typed)
        let (assertion, ceremony) = fixture.assertion()
        try fixture.verify(try await fixture.ask(assertion), ceremony, record)
        #expect(manager.seen.isEmpty)
        manager.has("bob", "b")
        fixture.person.will(.other, .agreed)
        #expect(try await fixture.ask(assertion, password).user == "bob")
        #expect(!manager.texts.contains("passkey"))
        await #expect(throws: AgentError(.nothingAvailable, "")) {
            try await fixture.ask(fixture.registration("bob", isConditional: true).request)
        }
        #expect(!manager.seen.contains("provider.registration"))
        _ = try await fixture.call(DisableProvider(identifier: "ward"))
        await #expect(throws: AgentError(.passkeysOff, "")) {
            try await fixture.ask(fixture.registration("eve").request)
        }
        try await close(fixture, manager)
    }

    @Test func `one that declares no silent registration is not asked for one`() async throws {
        let fixture = try await SignInFixture()
        let manager = try await ScriptedManager.start(
            in: fixture.agent,
            capabilities: ["ProvidesPasswords", "ProvidesPasskeys"]
        )
        _ = try await fixture.call(EnableProvider(identifier: ScriptedManager.identifier))
        manager.has("ada", "a")
        fixture.person.will(.agreed)
        _ = try await fixture.ask(password)
        await #expect(throws: AgentError(.nothingAvailable, "")) {
            try await fixture.ask(fixture.registration(isConditional: true).request)
        }
        #expect(!manager.seen.contains("provider.registration"))
        try await close(fixture, manager)
    }

    // MARK: Lies

    struct Lie: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let tell: @Sendable (inout ScriptedManager.Lies) -> Void

        static let both = [
            Lie(testDescription: "signs for another domain") { $0.rpID = "example.org" },
            Lie(testDescription: "says that nobody was there") { $0.flags = 0x01 },
            Lie(testDescription: "turns verification over") { $0.flags = 0x04 },
            Lie(testDescription: "is backed up and cannot be") { $0.flags = 0x10 },
        ]
        static let making =
            both + [
                Lie(testDescription: "makes a key of another kind") { $0.algorithm = .es384 },
                Lie(testDescription: "makes a key that is not on its curve") {
                    let number = [UInt8](repeating: 1, count: 32)
                    $0.publicKey =
                        [0xa5, 1, 2, 3, 0x26, 0x20, 1, 0x21, 0x58, 0x20] + number + [0x22, 0x58, 0x20] + number
                },
            ]
        static let using = both + [Lie(testDescription: "signs with another key") { $0.usesAnotherKey = true }]
    }

    @Test(arguments: Lie.making) func `a lie about a new passkey is an error that names the manager`(lie: Lie)
        async throws
    {
        let (fixture, manager) = try await setting()
        manager.lies(lie.tell)
        let (request, _) = fixture.registration()
        fixture.person.will(.other, .agreed, SignInFixture.typed)
        await failure(naming: "Scripted") { _ = try await fixture.ask(request) }
        // The others go on.
        let (again, ceremony) = fixture.registration()
        fixture.person.will(.agreed, SignInFixture.typed)
        _ = try fixture.verify(try await fixture.ask(again), ceremony)
        try await close(fixture, manager)
    }

    @Test(arguments: Lie.using) func `a lie in a signature is an error that names the manager`(lie: Lie) async throws {
        let (fixture, manager) = try await setting()
        _ = try await register(fixture)
        manager.lies(lie.tell)
        fixture.person.will(SignInFixture.typed)
        await failure(naming: "Scripted") { _ = try await fixture.ask(fixture.assertion().request) }
        try await close(fixture, manager)
    }

    @Test func `a credential that was there before is not a new one`() async throws {
        let (fixture, manager) = try await setting()
        let record = try await register(fixture)
        manager.lies { $0.credentialID = record.id.bytes }
        fixture.person.will(.other, .agreed, SignInFixture.typed)
        await failure(naming: "Scripted") { _ = try await fixture.ask(fixture.registration("bob").request) }
        try await close(fixture, manager)
    }

    struct Answer: Sendable, CustomTestStringConvertible {
        let method: String
        let member: String
        let value: JSONValue?
        var testDescription: String { "\(method) with \(member) \(value.map { "\($0)".prefix(40) } ?? "left out")" }

        static let using = [
            Answer(method: "provider.assertion", member: "credentialID", value: "AQID"),
            Answer(method: "provider.assertion", member: "credentialID", value: nil),
            Answer(method: "provider.assertion", member: "userHandle", value: "AQID"),
            Answer(method: "provider.assertion", member: "authenticatorData", value: "AQID"),
            Answer(method: "provider.assertion", member: "authenticatorData", value: "!"),
            Answer(method: "provider.assertion", member: "signature", value: ""),
            Answer(
                method: "provider.assertion",
                member: "signature",
                value: .string(String(repeating: "A", count: 16_000))
            ),
            Answer(method: "hello", member: "identifier", value: "org.example.Other"),
            Answer(method: "hello", member: "version", value: 1),
            Answer(method: "hello", member: "version", value: "2"),
        ]
        static let making = [
            Answer(method: "provider.registration", member: "attestationObject", value: "AQID"),
            Answer(method: "provider.registration", member: "attestationObject", value: nil),
        ]
        static let password = [
            Answer(method: "provider.password", member: "user", value: "eve"),
            Answer(method: "provider.password", member: "password", value: ""),
            Answer(
                method: "provider.password",
                member: "password",
                value: .string(String(repeating: "x", count: 5_000))
            ),
            Answer(method: "provider.password", member: "password", value: 7),
        ]
    }

    @Test(arguments: Answer.using) func `an answer that is not an assertion is an error`(answer: Answer) async throws {
        let (fixture, manager) = try await setting()
        _ = try await register(fixture)
        manager.will(.change(answer.member, answer.value), at: answer.method)
        fixture.person.will(SignInFixture.typed)
        await failure(naming: "Scripted") { _ = try await fixture.ask(fixture.assertion().request) }
        try await close(fixture, manager)
    }

    @Test(arguments: Answer.making) func `an answer that is not a registration is an error`(answer: Answer) async throws
    {
        let (fixture, manager) = try await setting()
        manager.will(.change(answer.member, answer.value), at: answer.method)
        fixture.person.will(.other, .agreed, SignInFixture.typed)
        await failure(naming: "Scripted") { _ = try await fixture.ask(fixture.registration().request) }
        try await close(fixture, manager)
    }

    @Test(arguments: Answer.password) func `an answer that is not a password is an error`(answer: Answer) async throws {
        let (fixture, manager) = try await setting()
        manager.has("ada", "a")
        manager.will(.change(answer.member, answer.value), at: answer.method)
        fixture.person.will(.agreed)
        await failure(naming: "Scripted") { _ = try await fixture.ask(password) }
        try await close(fixture, manager)
    }

    static let entries: [JSONValue] = [
        ["reference": "x", "kind": "password", "domain": "example.net", "user": "ada"],
        [
            "reference": "x", "kind": "passkey", "domain": "example.com", "user": "ada", "credentialID": "AQID",
            "userHandle": "AQ",
        ],
        ["reference": "x", "kind": "secret", "domain": "example.com", "user": "ada"],
        ["reference": "", "kind": "password", "domain": "example.com", "user": "ada"],
        ["reference": "0", "kind": "password", "domain": "example.com", "user": "twice"],
        [
            "reference": "x", "kind": "password", "domain": "example.com",
            "user": .string(String(repeating: "x", count: 2_000)),
        ],
        ["reference": "x", "kind": "password", "domain": "example.com"],
    ]

    @Test(arguments: entries) func `a list with a lie in it is left out, and the vault is not`(entry: JSONValue)
        async throws
    {
        let (fixture, manager) = try await setting()
        manager.has("bob", "b")
        manager.lies { $0.addsEntry = entry }
        await failure(naming: "Scripted") { _ = try await fixture.ask(password) }
        // An app with a form to fall back to is told to.
        await #expect(throws: AgentError(.nothingAvailable, "")) { try await fixture.ask(password, immediately: true) }
        try await fixture.keep("ada")
        fixture.person.will(.agreed)
        #expect(try await fixture.ask(password).user == "ada")
        #expect(try await fixture.call(SuggestForApp(requests: [password])).suggestions.map(\.user) == ["ada"])
        try await close(fixture, manager)
    }

    @Test func `a list has at most a thousand entries`() async throws {
        let (fixture, manager) = try await setting()
        for (count, isTaken) in [(1_000, true), (1_001, false)] {
            let entries = (0..<count).map { index in
                ["reference": .string("\(index)"), "kind": "password", "domain": "example.com", "user": "ada"]
                    as JSONValue
            }
            manager.will(.change("entries", .array(entries)), at: "provider.entries")
            guard isTaken else {
                await failure(naming: "Scripted") { _ = try await fixture.ask(password) }
                continue
            }
            await #expect(throws: AgentError(.denied, "")) { try await fixture.ask(password) }
            fixture.waitAfterNo()
        }
        try await close(fixture, manager)
    }

    @Test func `a passkey in a list without its account is a lie`() async throws {
        let (fixture, manager) = try await setting()
        manager.lies {
            $0.addsEntry = [
                "reference": "x", "kind": "passkey", "domain": "example.com", "user": "a", "credentialID": "AQID",
            ]
        }
        await failure(naming: "Scripted") { _ = try await fixture.ask(fixture.assertion().request) }
        try await close(fixture, manager)
    }

    // MARK: Deaths

    static let deaths: [(method: String, trick: ScriptedManager.Trick)] = [
        "hello", "provider.entries", "provider.password",
    ]
    .flatMap { method in
        [
            (method, .die), (method, .babble(Array("\u{0}\u{ff}what\n".utf8))), (method, .refuse("item_missing")),
            (method, .babble(Array(repeating: 0x61, count: 2 << 20))), (method, .babble(Array("{}\n".utf8))),
        ]
    }

    @Test(arguments: 0..<15) func `one that dies or babbles is an error, and leaves the vault usable`(index: Int)
        async throws
    {
        let (method, trick) = Self.deaths[index]
        let (fixture, manager) = try await setting()
        manager.has("bob", "b")
        manager.will(trick, at: method)
        fixture.person.will(.agreed)
        await failure(naming: "Scripted") { _ = try await fixture.ask(password) }
        try await fixture.keep("ada")
        fixture.person.will(.agreed)
        #expect(try await fixture.ask(password).user == "ada")
        try await close(fixture, manager)
    }

    @Test(arguments: ["hello", "provider.entries", "provider.password"])
    func `one that hangs is given up`(method: String) async throws {
        let (fixture, manager) = try await setting(
            listing: method == "provider.password" ? .seconds(60) : .milliseconds(200),
            use: .milliseconds(200)
        )
        manager.has("bob", "b")
        manager.will(.hang, at: method)
        fixture.person.will(.agreed)
        await failure(naming: "Scripted") { _ = try await fixture.ask(password) }
        try await close(fixture, manager)
    }

    @Test(arguments: ["provider.assertion", "provider.registration"])
    func `one that dies while a passkey is used or made is an error`(method: String) async throws {
        let (fixture, manager) = try await setting()
        _ = try await register(fixture)
        manager.will(.die, at: method)
        let isMaking = method == "provider.registration"
        if isMaking { fixture.person.will(.other, .agreed) }
        fixture.person.will(SignInFixture.typed)
        await failure(naming: "Scripted") {
            _ = try await fixture.ask(isMaking ? fixture.registration("bob").request : fixture.assertion().request)
        }
        try await close(fixture, manager)
    }

    @Test func `one that is not there is an error that says so`() async throws {
        let (fixture, manager) = try await setting()
        try await manager.end()
        await failure(naming: "Scripted") { _ = try await fixture.ask(password) }
        try await fixture.close()
    }

    @Test func `its own words go nowhere, and its no is the person's`() async throws {
        let (fixture, manager) = try await setting()
        manager.has("bob", "b")
        manager.will(.refuse("locked"), at: "provider.password")
        fixture.person.will(.agreed, .agreed)
        do {
            _ = try await fixture.ask(password)
            Issue.record("no error")
        } catch let error as AgentError {
            #expect(error.code == .providerFailed && !error.message.contains("evil"))
        }
        manager.will(.refuse("denied"), at: "provider.password")
        await #expect(throws: AgentError(.denied, "")) { try await fixture.ask(password) }
        try await close(fixture, manager)
    }

    @Test func `the app goes away while a manager hangs`() async throws {
        let (fixture, manager) = try await setting()
        manager.will(.hang, at: "provider.entries")
        let app = Task { try await fixture.ask(password) }
        while manager.seen.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
        app.cancel()
        _ = await app.result
        manager.will(nil, at: "provider.entries")
        manager.has("bob", "b")
        fixture.person.will(.agreed)
        #expect(try await fixture.ask(password).user == "bob")
        try await close(fixture, manager)
    }

    private func failure(naming name: String, _ body: () async throws -> Void) async {
        do {
            try await body()
            Issue.record("no error")
        } catch let error as AgentError {
            #expect(error.code == .providerFailed, "\(error)")
            #expect(error.message.contains(name), "\(error)")
        } catch {
            Issue.record(error)
        }
    }
}
