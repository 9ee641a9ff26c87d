import Foundation
import Testing

@testable import WardAgent
import WardAgentClient
import WardWebAuthn

@Suite(.agents, .timeLimit(.minutes(15))) struct `A password from an app` {
    private static let quiet = Authorization(mayPrompt: false)

    private func save(
        _ fixture: AgentFixture,
        _ password: String = "hunter2",
        user: String = "ada",
        authorization: AppAuthorization = AppAuthorization(),
        title: String? = nil
    ) async throws {
        _ = try await fixture.call(
            SaveForApp(
                authorization: authorization,
                domain: "example.com",
                user: user,
                password: password,
                title: title
            )
        )
    }

    private func item(_ fixture: AgentFixture, _ name: String = "example.com") async throws -> ItemRecord {
        try await fixture.call(GetItem(authorization: Self.quiet, item: name, reveal: true))
    }

    @Test func `is kept after a question that says who asks`() async throws {
        let fixture = try await AgentFixture.forApp()
        try await fixture.create()
        fixture.person.will(.agreed)
        try await save(fixture)
        let text = try #require(fixture.person.asked.last?.text)
        #expect(text.contains("Keep the password of ada for example.com?"))
        #expect(text.contains("Shiny (com.example.shiny), program \"/usr/bin/shiny\"."))
        let kept = try await item(fixture)
        #expect(
            kept.username == "ada" && kept.password?.value == "hunter2"
                && kept.sites.first?.address == "https://example.com"
        )
        try await fixture.close()
    }

    @Test func `takes the place of the one before, which stays in the history`() async throws {
        let fixture = try await AgentFixture.forApp()
        try await fixture.create()
        fixture.person.will(.agreed, .agreed)
        try await save(fixture, title: "My Example")
        try await save(fixture, "hunter3")
        #expect(fixture.person.asked.last?.text.contains("stays in the history of My Example") == true)
        let kept = try await item(fixture, "My Example")
        #expect(kept.password?.value == "hunter3" && kept.password?.history?.map(\.value) == ["hunter2"])
        #expect(try await fixture.call(ListItems(authorization: Self.quiet)).items.count == 1)
        // Another person's is another login.
        fixture.person.will(.agreed)
        try await save(fixture, "swordfish", user: "bob")
        #expect(try await fixture.call(ListItems(authorization: Self.quiet)).items.count == 2)
        try await fixture.close()
    }

    @Test func `is asked about no more when it is there already`() async throws {
        let fixture = try await AgentFixture.forApp()
        try await fixture.create()
        fixture.person.will(.agreed)
        try await save(fixture)
        try await save(fixture)
        #expect(fixture.person.asked.count == 1)
        try await fixture.close()
    }

    @Test func `is not kept when the person says no, or may not be asked`() async throws {
        let fixture = try await AgentFixture.forApp()
        try await fixture.create()
        await #expect(throws: AgentError(.denied, "")) {
            try await save(fixture, authorization: AppAuthorization(mayPrompt: false))
        }
        #expect(fixture.person.asked.isEmpty)
        for answer in [PromptAnswer.declined, .timedOut] {
            fixture.person.will(answer)
            await #expect(throws: AgentError(.denied, "")) { try await save(fixture) }
        }
        #expect(try await fixture.call(ListItems(authorization: Self.quiet)).items.isEmpty)
        try await fixture.close()
    }

    @Test func `never touches what belongs to a page above or beside the domain`() async throws {
        let fixture = try await AgentFixture.forApp(namedBy: ["login.example.com": ["com.example.shiny"]])
        try await fixture.create()
        for site in ["https://example.com", "https://mail.example.com"] {
            var change = ItemChange()
            change.title = site
            change.username = "ada"
            change.password = "untouched"
            change.addSites = [site]
            _ = try await fixture.call(AddItem(authorization: Self.quiet, change: change))
        }
        fixture.person.will(.agreed)
        _ = try await fixture.call(SaveForApp(domain: "login.example.com", user: "ada", password: "hunter2"))
        for site in ["https://example.com", "https://mail.example.com"] {
            #expect(try await item(fixture, site).password?.value == "untouched")
        }
        #expect(try await item(fixture, "login.example.com").password?.value == "hunter2")
        try await fixture.close()
    }

    @Test func `is refused for a domain that does not name the app, before anything is asked`() async throws {
        let fixture = try await AgentFixture.forApp(namedBy: [:])
        try await fixture.create()
        _ = try await fixture.call(Lock())
        await #expect(throws: AgentError(.notAssociated, "")) { try await save(fixture) }
        #expect(fixture.person.asked.isEmpty)
        try await fixture.close()
    }

    @Test(arguments: [
        ("", "ada", "x"), (String(repeating: "x", count: 4097), "ada", "x"),
        ("x", String(repeating: "x", count: 4097), "x"), ("x", "ada", String(repeating: "x", count: 4097)),
    ])
    func `has a length`(password: String, user: String, title: String) async throws {
        let fixture = try await AgentFixture.forApp()
        try await fixture.create()
        await #expect(throws: AgentError(.invalidValue, "")) {
            try await save(fixture, password, user: user, title: title)
        }
        try await fixture.close()
    }
}

@Suite(.agents, .timeLimit(.minutes(15))) struct `What a service says through its app` {
    private static let quiet = Authorization(mayPrompt: false)
    private static let options = """
        {"rp":{"id":"example.com","name":"Example"},"user":{"id":"dXNlcg","name":"ada","displayName":"Ada"},\
        "challenge":"Y2hhbGxlbmdlLWNoYWxsZW5nZQ","pubKeyCredParams":[{"type":"public-key","alg":-7}]}
        """

    /// A fixture with a passkey of the account `user` at example.com.
    private func makeFixture(_ domains: [String: Set<String>]) async throws -> (AgentFixture, PasskeyRecord) {
        let fixture = try await AgentFixture.forApp(namedBy: domains)
        try await fixture.create()
        _ = try await fixture.call(
            CreatePasskey(
                authorization: Authorization(passphrase: AgentFixture.passphrase),
                origin: "https://example.com",
                options: Self.options
            )
        )
        let passkey = try await fixture.call(ListPasskeys(authorization: Self.quiet)).passkeys.first
        return (fixture, try #require(passkey))
    }

    private func passkey(_ fixture: AgentFixture) async throws -> PasskeyRecord {
        try #require(try await fixture.call(ListPasskeys(authorization: Self.quiet)).passkeys.first)
    }

    private static let named: [String: Set<String>] = ["example.com": ["com.example.shiny"]]

    @Test func `hides, shows and renames passkeys, and deletes none`() async throws {
        let (fixture, made) = try await makeFixture(Self.named)
        _ = try await fixture.call(
            SignalFromApp(
                .unknownCredential,
                options: "{\"rpId\":\"example.com\",\"credentialId\":\"\(made.credentialID.base64URL)\"}"
            )
        )
        #expect(try await passkey(fixture).isHidden)
        let accepted = "{\"rpId\":\"example.com\",\"userId\":\"dXNlcg\",\"allAcceptedCredentialIds\":"
        _ = try await fixture.call(
            SignalFromApp(.allAcceptedCredentials, options: accepted + "[\"\(made.credentialID.base64URL)\"]}")
        )
        #expect(try await !passkey(fixture).isHidden)
        _ = try await fixture.call(SignalFromApp(.allAcceptedCredentials, options: accepted + "[]}"))
        #expect(try await passkey(fixture).isHidden)
        _ = try await fixture.call(
            SignalFromApp(
                .currentUserDetails,
                options: "{\"rpId\":\"example.com\",\"userId\":\"dXNlcg\",\"name\":\"ada2\",\"displayName\":\"Ada L.\"}"
            )
        )
        #expect(try await passkey(fixture).userName == "ada2")
        try await fixture.close()
    }

    @Test func `is refused for a domain that does not name the app`() async throws {
        let (fixture, made) = try await makeFixture([:])
        await #expect(throws: AgentError(.notAssociated, "")) {
            try await fixture.call(
                SignalFromApp(
                    .unknownCredential,
                    options: "{\"rpId\":\"example.com\",\"credentialId\":\"\(made.credentialID.base64URL)\"}"
                )
            )
        }
        #expect(try await !passkey(fixture).isHidden)
        try await fixture.close()
    }

    @Test func `leaves a password that is not used any more where it is, with a tag`() async throws {
        let (fixture, _) = try await makeFixture(Self.named)
        fixture.person.will(.agreed, .agreed)
        _ = try await fixture.call(SaveForApp(domain: "example.com", user: "ada", password: "hunter2"))
        let signal = SignalFromApp(.unusedPassword, options: "{\"rpId\":\"example.com\",\"name\":\"ada\"}")
        for _ in 0..<2 { _ = try await fixture.call(signal) }
        let tagged = try await fixture.call(GetItem(authorization: Self.quiet, item: "Example", reveal: true))
        #expect(tagged.tags == ["unused password"] && tagged.password?.value == "hunter2")
        // A password that is set is used again.
        _ = try await fixture.call(SaveForApp(domain: "example.com", user: "ada", password: "hunter3"))
        #expect(try await fixture.call(GetItem(authorization: Self.quiet, item: "Example")).tags.isEmpty)
        try await fixture.close()
    }

    @Test func `opens no vault, and is answered all the same`() async throws {
        let (fixture, made) = try await makeFixture(Self.named)
        _ = try await fixture.call(Lock())
        for id in [made.credentialID.base64URL, "bm90aGluZw"] {
            _ = try await fixture.call(
                SignalFromApp(.unknownCredential, options: "{\"rpId\":\"example.com\",\"credentialId\":\"\(id)\"}")
            )
        }
        #expect(fixture.person.asked.isEmpty)
        try await fixture.close()
    }

    @Test(arguments: ["", "{}", "[]", "{\"rpId\":7,\"name\":\"ada\"}", "{\"rpId\":\"example.com\"}"])
    func `is refused when it is malformed`(options: String) async throws {
        let fixture = try await AgentFixture.forApp()
        for kind in [
            SignalFromApp.Kind.unknownCredential, .allAcceptedCredentials, .currentUserDetails, .unusedPassword,
        ] {
            await #expect(throws: AgentError(.invalidValue, "")) {
                try await fixture.call(SignalFromApp(kind, options: options))
            }
        }
        try await fixture.close()
    }
}
