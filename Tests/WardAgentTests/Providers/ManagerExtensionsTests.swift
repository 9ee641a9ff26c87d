import Testing
import WardAgent
import WardAgentClient
import WardText

@Suite(.agents, .timeLimit(.minutes(15))) struct `Extensions and texts of other managers` {
    private static let salt = JSONValue.string(Base64URL.encode(Array("salt".utf8)))
    private static let prf: JSONValue = ["prf": ["eval": ["first": salt]]]

    private func setting(_ extensions: [JSONValue]) async throws -> (SignInFixture, ScriptedManager) {
        let fixture = try await SignInFixture()
        let manager = try await ScriptedManager.start(
            in: fixture.agent,
            ["verifiesUser": true, "extensions": .array(extensions)]
        )
        _ = try await fixture.call(EnableProvider(identifier: ScriptedManager.identifier))
        return (fixture, manager)
    }

    private func close(_ fixture: SignInFixture, _ manager: ScriptedManager) async throws {
        try await manager.end()
        try await fixture.close()
    }

    /// A request whose options have extensions.
    private func with(_ extensions: JSONValue, _ request: AppRequest) throws -> AppRequest {
        var request = request
        let options = try JSONValue(Array((request.options ?? "").utf8))
        let members = (options.objectValue ?? []).filter { $0.name != "extensions" }
        let all = JSONValue.object(members + [.init("extensions", extensions)])
        request.options = String(decoding: all.serialized, as: UTF8.self)
        return request
    }

    /// What the app gets for a request that the person agrees to.
    private func outputs(
        _ extensions: JSONValue,
        _ request: AppRequest,
        _ fixture: SignInFixture
    ) async throws -> JSONValue? {
        fixture.person.will(.agreed)
        let result = try await fixture.ask(try with(extensions, request))
        return try JSONValue(Array((result.response ?? "").utf8))["clientExtensionResults"]
    }

    @Test func `are passed on where they are declared, and the results come back`() async throws {
        let (fixture, manager) = try await setting(["prf", "largeBlob", "unknown"])
        let wanted: JSONValue = ["prf": ["eval": ["first": Self.salt]], "largeBlob": ["support": "required"]]
        let made = try await outputs(wanted, fixture.registration().request, fixture)
        #expect(made?["prf"]?["enabled"]?.boolValue == true && made?["largeBlob"]?["supported"]?.boolValue == true)
        let first = made?["prf"]?["results"]?["first"]?.base64URLValue
        #expect(first?.count == 32)
        let two: JSONValue = ["prf": ["eval": ["first": Self.salt, "second": "AAAA"]], "largeBlob": ["read": true]]
        let used = try await outputs(two, fixture.assertion().request, fixture)
        #expect(used?["prf"]?["results"]?["first"]?.base64URLValue == first)
        #expect(used?["prf"]?["results"]?["second"]?.base64URLValue?.count == 32)
        #expect(used?["largeBlob"]?["blob"]?.base64URLValue == Array("blob".utf8))
        #expect(!manager.texts.contains("\(Base64URL.encode(Array("salt".utf8)))"), "salts are hashed before")
        try await close(fixture, manager)
    }

    @Test func `are not asked of a manager that does not declare them`() async throws {
        let (fixture, manager) = try await setting([])
        let made = try await outputs(Self.prf, fixture.registration().request, fixture)
        #expect(made?["prf"]?["enabled"]?.boolValue == false)
        let used = try await outputs(Self.prf, fixture.assertion().request, fixture)
        #expect(used?["prf"]?["results"] == nil)
        #expect(!manager.texts.contains("\"prf\"") && !manager.texts.contains("argeBlob"))
        try await close(fixture, manager)
    }

    private static let thirtyTwo = JSONValue.string(Base64URL.encode([UInt8](repeating: 1, count: 32)))
    static let lies: [(String, JSONValue)] = [
        ("prf", ["first": "AAAA"]), ("prf", ["second": "AAAA"]), ("prf", "x"),
        ("prf", ["first": thirtyTwo, "second": "AAAA"]),
        ("prf", ["first": thirtyTwo, "second": thirtyTwo]), ("largeBlob", "AAAA"), ("largeBlob", 7),
    ]

    @Test(arguments: 0..<7) func `that answer with something else are an error`(index: Int) async throws {
        let (fixture, manager) = try await setting(["prf", "largeBlob"])
        _ = try await outputs(Self.prf, fixture.registration().request, fixture)
        let (member, value) = Self.lies[index]
        manager.will(.change(member, value), at: "provider.assertion")
        let request = try with(Self.prf, fixture.assertion().request)
        fixture.person.will(.agreed)
        await #expect(throws: AgentError(.providerFailed, "")) { try await fixture.ask(request) }
        try await close(fixture, manager)
    }

    @Test func `have no results where nobody was verified, and no blob that is too long`() async throws {
        let (fixture, manager) = try await setting(["prf", "largeBlob"])
        _ = try await outputs(Self.prf, fixture.registration().request, fixture)
        let long = JSONValue.string(String(repeating: "A", count: 8_000))
        manager.will(.change("largeBlob", long), at: "provider.assertion")
        let request = try with(["largeBlob": ["read": true]], fixture.assertion().request)
        fixture.person.will(.agreed)
        await #expect(throws: AgentError(.providerFailed, "")) { try await fixture.ask(request) }
        try await close(fixture, manager)
    }

    // MARK: Texts

    private let text = AppRequest(.textToInsert)

    @Test func `a text is chosen in a manager after the person agreed`() async throws {
        let (fixture, manager) = try await setting([])
        await #expect(throws: AgentError(.denied, "")) { try await fixture.ask(text) }
        #expect(manager.seen.isEmpty)
        fixture.waitAfterNo()
        fixture.person.will(.agreed)
        #expect(try await fixture.ask(text).text == "snippet")
        #expect(fixture.person.asked.last?.text.contains("Choose a text in Scripted") == true)
        #expect(manager.texts.contains("\"app\":\"Shiny\""))
        for value: JSONValue in ["", .string(String(repeating: "x", count: 5_000)), 7] {
            manager.will(.change("text", value), at: "provider.textToInsert")
            fixture.person.will(.agreed)
            await #expect(throws: AgentError(.providerFailed, "")) { try await fixture.ask(text) }
        }
        try await close(fixture, manager)
    }

    @Test func `a text is not for a program that nobody vouches for, nor of a manager without any`() async throws {
        let fixture = try await SignInFixture()
        let manager = try await ScriptedManager.start(in: fixture.agent, capabilities: ["ProvidesPasswords"])
        _ = try await fixture.call(EnableProvider(identifier: ScriptedManager.identifier))
        await #expect(throws: AgentError(.nothingAvailable, "")) { try await fixture.ask(text) }
        fixture.becomes(SignInFixture.app("Stranger", kind: .unknown))
        await #expect(throws: AgentError(.appUnknown, "")) { try await fixture.ask(text) }
        #expect(manager.seen.isEmpty && fixture.person.asked.isEmpty)
        try await close(fixture, manager)
    }
}
