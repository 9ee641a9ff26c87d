import Foundation
import Testing

import WardAgentClient

@Suite(.timeLimit(.minutes(15))) struct `Whether an app may use a domain` {
    /// What comes of it, seen from the socket: a signal does nothing but ask.
    private func refusal(
        of domain: String,
        for app: AppIdentity.Result,
        namedBy domains: [String: Set<String>] = ["example.com": ["com.example.shiny"]]
    ) async throws -> AgentError? {
        let fixture = try await AgentFixture.forApp(app, namedBy: domains)
        var refusal: AgentError?
        do {
            _ = try await fixture.call(
                SignalFromApp(.unusedPassword, options: "{\"rpId\":\"\(domain)\",\"name\":\"ada\"}")
            )
        } catch {
            refusal = error as? AgentError
        }
        try await fixture.close()
        return refusal
    }

    @Test func `is what the domain says`() async throws {
        #expect(try await refusal(of: "example.com", for: AppFixture.registered()) == nil)
        let other = try #require(try await refusal(of: "example.com", for: AppFixture.registered("com.example.other")))
        #expect(other.code == .notAssociated && other.message.contains("does not list com.example.other"))
        #expect(try await refusal(of: "example.net", for: AppFixture.registered())?.code == .notAssociated)
        // The file of the RP ID itself counts, not one above or below it.
        #expect(try await refusal(of: "login.example.com", for: AppFixture.registered())?.code == .notAssociated)
    }

    @Test(arguments: ["COM.EXAMPLE.SHINY", "com.example.shiny.evil", "com.example", "com.example.shin", "*", ""])
    func `is asked with the whole identifier`(identifier: String) async throws {
        #expect(try await refusal(of: "example.com", for: AppFixture.registered(identifier))?.code == .notAssociated)
    }

    @Test func `is no for a domain that it was not registered for`() async throws {
        let domains: [String: Set<String>] = [
            "example.com": ["com.example.shiny"], "example.net": ["com.example.shiny"],
        ]
        let app = AppFixture.registered(domains: ["example.net"])
        let refused = try #require(try await refusal(of: "example.com", for: app, namedBy: domains))
        #expect(refused.code == .notAssociated && refused.message.contains("registered for example.net"))
        #expect(try await refusal(of: "example.net", for: app, namedBy: domains) == nil)
    }

    @Test func `is yes for localhost and any program, and nothing else for a program that nobody vouches for`()
        async throws
    {
        #expect(try await refusal(of: "localhost", for: AppFixture.unknown) == nil)
        #expect(try await refusal(of: "shiny.localhost", for: AppFixture.unknown) == nil)
        #expect(try await refusal(of: "localhost", for: AppFixture.registered()) == nil)
        let named = try #require(
            try await refusal(of: "example.com", for: AppFixture.unknown, namedBy: ["example.com": [""]])
        )
        #expect(named.code == .appUnknown && named.message.contains("ward apps add"))
    }

    @Test(arguments: [
        "com", "co.uk", "github.io", "127.0.0.1", "[::1]", "example.com:8443", "Example.com", "example.com.", "a b", "",
        "https://example.com", "localhost.evil.example", "exаmple.com",
    ])
    func `is no for what strangers share, and for what is not a domain`(domain: String) async throws {
        let domains = [domain: Set(["com.example.shiny"])]
        let refused = try #require(
            try await refusal(
                of: domain,
                for: AppFixture.registered(),
                namedBy: domain.contains("evil") ? [:] : domains
            )
        )
        #expect(refused.code == (domain.contains("evil") ? .notAssociated : .invalidValue))
    }
}
