import Foundation
import Testing

@testable import WardAgent
import WardAgentClient

@Suite(.timeLimit(.minutes(15))) struct `A password from an app` {
    private static let quiet = Authorization(mayPrompt: false)

    private func save(
        _ office: Office,
        _ password: String = "hunter2",
        user: String = "ada",
        authorization: AppAuthorization = AppAuthorization(),
        title: String? = nil
    ) async throws {
        _ = try await office.call(
            SaveForApp(
                authorization: authorization,
                domain: "example.com",
                user: user,
                password: password,
                title: title
            )
        )
    }

    private func item(_ office: Office, _ name: String = "example.com") async throws -> ItemRecord {
        try await office.call(GetItem(authorization: Self.quiet, item: name, reveal: true))
    }

    @Test func `is kept after a question that says who asks`() async throws {
        let office = try await Office.forApp()
        try await office.create()
        office.person.will(.agreed)
        try await save(office)
        let text = try #require(office.person.asked.last?.text)
        #expect(text.contains("Keep the password of ada for example.com?"))
        #expect(text.contains("Shiny (com.example.shiny), program \"/usr/bin/shiny\"."))
        let kept = try await item(office)
        #expect(
            kept.username == "ada" && kept.password?.value == "hunter2"
                && kept.sites.first?.address == "https://example.com"
        )
        try await office.close()
    }

    @Test func `takes the place of the one before, which stays in the history`() async throws {
        let office = try await Office.forApp()
        try await office.create()
        office.person.will(.agreed, .agreed)
        try await save(office, title: "My Example")
        try await save(office, "hunter3")
        #expect(office.person.asked.last?.text.contains("stays in the history of My Example") == true)
        let kept = try await item(office, "My Example")
        #expect(kept.password?.value == "hunter3" && kept.password?.history?.map(\.value) == ["hunter2"])
        #expect(try await office.call(ListItems(authorization: Self.quiet)).items.count == 1)
        // Another person's is another login.
        office.person.will(.agreed)
        try await save(office, "swordfish", user: "bob")
        #expect(try await office.call(ListItems(authorization: Self.quiet)).items.count == 2)
        try await office.close()
    }

    @Test func `is asked about no more when it is there already`() async throws {
        let office = try await Office.forApp()
        try await office.create()
        office.person.will(.agreed)
        try await save(office)
        try await save(office)
        #expect(office.person.asked.count == 1)
        try await office.close()
    }

    @Test func `is not kept when the person says no, or may not be asked`() async throws {
        let office = try await Office.forApp()
        try await office.create()
        for answer in [PromptAnswer.declined, .timedOut] {
            office.person.will(answer)
            await #expect(throws: AgentError(.denied, "")) { try await save(office) }
        }
        await #expect(throws: AgentError(.denied, "")) {
            try await save(office, authorization: AppAuthorization(mayPrompt: false))
        }
        #expect(try await office.call(ListItems(authorization: Self.quiet)).items.isEmpty)
        try await office.close()
    }

    @Test func `never touches what belongs to a page above or beside the domain`() async throws {
        let office = try await Office.forApp(namedBy: ["login.example.com": ["com.example.shiny"]])
        try await office.create()
        for site in ["https://example.com", "https://mail.example.com"] {
            var change = ItemChange()
            change.title = site
            change.username = "ada"
            change.password = "untouched"
            change.addSites = [site]
            _ = try await office.call(AddItem(authorization: Self.quiet, change: change))
        }
        office.person.will(.agreed)
        _ = try await office.call(SaveForApp(domain: "login.example.com", user: "ada", password: "hunter2"))
        for site in ["https://example.com", "https://mail.example.com"] {
            #expect(try await item(office, site).password?.value == "untouched")
        }
        #expect(try await item(office, "login.example.com").password?.value == "hunter2")
        try await office.close()
    }

    @Test func `is refused for a domain that does not name the app, before anything is asked`() async throws {
        let office = try await Office.forApp(namedBy: [:])
        try await office.create()
        _ = try await office.call(Lock())
        await #expect(throws: AgentError(.notAssociated, "")) { try await save(office) }
        #expect(office.person.asked.isEmpty)
        try await office.close()
    }

    @Test(arguments: [
        ("", "ada"), (String(repeating: "x", count: 4097), "ada"), ("x", String(repeating: "x", count: 4097)),
    ])
    func `has a length`(password: String, user: String) async throws {
        let office = try await Office.forApp()
        try await office.create()
        await #expect(throws: AgentError(.invalidValue, "")) { try await save(office, password, user: user) }
        try await office.close()
    }
}

@Suite(.timeLimit(.minutes(15))) struct `What a service says through its app` {
    private static let quiet = Authorization(mayPrompt: false)
    private static let options = """
        {"rp":{"id":"example.com","name":"Example"},"user":{"id":"dXNlcg","name":"ada","displayName":"Ada"},\
        "challenge":"Y2hhbGxlbmdlLWNoYWxsZW5nZQ","pubKeyCredParams":[{"type":"public-key","alg":-7}]}
        """

    /// An office with a passkey of the account `user` at example.com.
    private func office(_ domains: [String: Set<String>]) async throws -> (Office, PasskeyRecord) {
        let office = try await Office.forApp(namedBy: domains)
        try await office.create()
        _ = try await office.call(
            CreatePasskey(
                authorization: Authorization(passphrase: Office.passphrase),
                origin: "https://example.com",
                options: Self.options
            )
        )
        let passkey = try await office.call(ListPasskeys(authorization: Self.quiet)).passkeys.first
        return (office, try #require(passkey))
    }

    private func passkey(_ office: Office) async throws -> PasskeyRecord {
        try #require(try await office.call(ListPasskeys(authorization: Self.quiet)).passkeys.first)
    }

    private static let named: [String: Set<String>] = ["example.com": ["com.example.shiny"]]

    @Test func `hides, shows and renames passkeys, and deletes none`() async throws {
        let (office, made) = try await office(Self.named)
        _ = try await office.call(
            SignalFromApp(
                .unknownCredential,
                options: "{\"rpId\":\"example.com\",\"credentialId\":\"\(made.credentialID)\"}"
            )
        )
        #expect(try await passkey(office).isHidden)
        let accepted = "{\"rpId\":\"example.com\",\"userId\":\"dXNlcg\",\"allAcceptedCredentialIds\":"
        _ = try await office.call(
            SignalFromApp(.allAcceptedCredentials, options: accepted + "[\"\(made.credentialID)\"]}")
        )
        #expect(try await !passkey(office).isHidden)
        _ = try await office.call(SignalFromApp(.allAcceptedCredentials, options: accepted + "[]}"))
        #expect(try await passkey(office).isHidden)
        _ = try await office.call(
            SignalFromApp(
                .currentUserDetails,
                options: "{\"rpId\":\"example.com\",\"userId\":\"dXNlcg\",\"name\":\"ada2\",\"displayName\":\"Ada L.\"}"
            )
        )
        #expect(try await passkey(office).userName == "ada2")
        try await office.close()
    }

    @Test func `is refused for a domain that does not name the app`() async throws {
        let (office, made) = try await office([:])
        await #expect(throws: AgentError(.notAssociated, "")) {
            try await office.call(
                SignalFromApp(
                    .unknownCredential,
                    options: "{\"rpId\":\"example.com\",\"credentialId\":\"\(made.credentialID)\"}"
                )
            )
        }
        #expect(try await !passkey(office).isHidden)
        try await office.close()
    }

    @Test func `leaves a password that is not used any more where it is, with a tag`() async throws {
        let (office, _) = try await office(Self.named)
        office.person.will(.agreed, .agreed)
        _ = try await office.call(SaveForApp(domain: "example.com", user: "ada", password: "hunter2"))
        let signal = SignalFromApp(.unusedPassword, options: "{\"rpId\":\"example.com\",\"name\":\"ada\"}")
        for _ in 0..<2 { _ = try await office.call(signal) }
        let tagged = try await office.call(GetItem(authorization: Self.quiet, item: "Example", reveal: true))
        #expect(tagged.tags == ["unused password"] && tagged.password?.value == "hunter2")
        // A password that is set is used again.
        _ = try await office.call(SaveForApp(domain: "example.com", user: "ada", password: "hunter3"))
        #expect(try await office.call(GetItem(authorization: Self.quiet, item: "Example")).tags.isEmpty)
        try await office.close()
    }

    @Test func `opens no vault, and is answered all the same`() async throws {
        let (office, made) = try await office(Self.named)
        _ = try await office.call(Lock())
        for id in [made.credentialID, "bm90aGluZw"] {
            _ = try await office.call(
                SignalFromApp(.unknownCredential, options: "{\"rpId\":\"example.com\",\"credentialId\":\"\(id)\"}")
            )
        }
        #expect(office.person.asked.isEmpty)
        try await office.close()
    }

    @Test(arguments: ["", "{}", "[]", "{\"rpId\":7,\"name\":\"ada\"}", "{\"rpId\":\"example.com\"}"])
    func `is refused when it is malformed`(options: String) async throws {
        let office = try await Office.forApp()
        for kind in [
            SignalFromApp.Kind.unknownCredential, .allAcceptedCredentials, .currentUserDetails, .unusedPassword,
        ] {
            await #expect(throws: AgentError(.invalidValue, "")) {
                try await office.call(SignalFromApp(kind, options: options))
            }
        }
        try await office.close()
    }
}
