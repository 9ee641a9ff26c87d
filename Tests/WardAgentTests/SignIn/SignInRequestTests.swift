import Testing
import WardAgentClient

@testable import WardAgent

@Suite struct `What an app may ask for` {
    private func refused(_ code: AgentError.Code, _ request: AppRequest) {
        #expect(throws: AgentError(code, "")) { _ = try SignInRequest.subject(of: request) }
    }

    @Test func `a new account has a contact of a kind that is known`() throws {
        var request = AppRequest(.accountCreation, domain: "example.com")
        request.options = """
            {"rp":{"id":"example.com","name":"Example"},"user":{"id":"dXNlcg"},"challenge":"Y2hhbGxlbmdlLWNoYWxsZW5nZQ",\
            "pubKeyCredParams":[{"type":"public-key","alg":-7}]}
            """
        for contacts in [nil, [], ["fax"]] {
            request.contacts = contacts
            refused(.invalidRequest, request)
        }
        request.contacts = ["fax", "email"]
        guard case .registration(_, let account?)? = try SignInRequest.subject(of: request) else {
            Issue.record("not a registration")
            return
        }
        #expect(account.contacts == ["email"])
    }

    @Test func `names and options have a length`() throws {
        var new = AppRequest(.newPassword)
        new.user = String(repeating: "u", count: SocketProvider.maximumUser)
        _ = try SignInRequest.subject(of: new)
        new.user = String(repeating: "u", count: SocketProvider.maximumUser + 1)
        refused(.invalidValue, new)
        let options = "{\"challenge\":\"Y2hhbGxlbmdlLWNoYWxsZW5nZQ\"}"
        var use = AppRequest(.passkeyAssertion)
        use.options = options + String(repeating: " ", count: 65_536 - options.utf8.count)
        _ = try SignInRequest.subject(of: use)
        use.options?.append(" ")
        refused(.invalidRequest, use)
        use.options = nil
        refused(.invalidRequest, use)
    }

    @Test(arguments: [
        ("https://example.com", "example.com"), ("http://localhost:8080", "example.com"),
        ("http://localhost.example.com", "localhost.example.com"), ("localhost", "localhost"),
    ])
    func `an origin is told only for localhost`(origin: String, domain: String) {
        #expect(throws: AgentError(.invalidValue, "")) { _ = try SignInRequest.origin(origin, domain) }
    }

    @Test func `an entry of another kind or domain answers nothing`() {
        let wanted = SignInRequest.Wanted(index: 0, subject: .password, domains: ["example.com"], origin: nil)
        func isTaken(_ kind: ProviderEntry.Kind, _ domain: String) -> Bool {
            wanted.takes(ProviderEntry(provider: "ward", reference: "x", kind: kind, domain: domain, user: "ada"))
        }
        #expect(isTaken(.password, "example.com"))
        #expect(!isTaken(.password, "example.net"))
        #expect(!isTaken(.oneTimeCode, "example.com"))
    }
}
