import Testing
import WardCTAP
import WardClient
import WardDomains
import WardWebAuthn

/// Which origin may use which RP ID; `nil` stands for options without one.
@Suite struct `Origin against RP ID` {
    @Test(arguments: [
        ("https://example.com", "example.com", "example.com"),
        ("https://login.example.com", "example.com", "example.com"),
        ("https://login.example.com", "login.example.com", "login.example.com"),
        ("https://a.b.example.co.uk", "example.co.uk", "example.co.uk"),
        ("https://login.example.com:8443", "example.com", "example.com"),
        ("https://login.example.com", nil, "login.example.com"),
        ("https://ada.github.io", nil, "ada.github.io"),
        ("https://ada.github.io", "ada.github.io", "ada.github.io"),
        ("https://xn--bcher-kva.example", "xn--bcher-kva.example", "xn--bcher-kva.example"),
        ("http://localhost:8080", "localhost", "localhost"),
        ("http://localhost:8080", nil, "localhost"),
        ("https://app.localhost", "localhost", "localhost"),
        // A host of one label, as on an intranet: nobody else has it.
        ("https://intranet", "intranet", "intranet"),
    ])
    func `the host, or a suffix that one owner has`(origin: String, rpID: String?, expected: String) async throws {
        let authenticator = ScriptedAuthenticator()
        let client = WebAuthnClient(authenticator)
        let response = try await client.create(
            ClientFixture.creation { $0.rp.id = rpID },
            from: ClientFixture.caller(origin)
        )
        #expect(authenticator.seen.made.first?.relyingParty.id == expected)
        #expect(try CollectedClientData(parsing: response.clientDataJSON).origin == origin)
        _ = try await client.get(ClientFixture.request { $0.rpID = rpID }, from: ClientFixture.caller(origin))
        #expect(authenticator.seen.got.first?.rpID == expected)
    }

    @Test(arguments: [
        // Suffixes of letters are not suffixes of labels.
        ("https://evil-example.com", "example.com"), ("https://example.com.evil.net", "example.com"),
        ("https://xample.com", "example.com"), ("https://example.org", "example.com"),
        // Below the caller, not above.
        ("https://example.com", "login.example.com"),
        // Open to strangers.
        ("https://example.co.uk", "co.uk"), ("https://ada.github.io", "github.io"), ("https://example.com", "com"),
        // Strangers somewhere between: a cloud's customers may not speak for the cloud.
        ("https://bucket.s3.amazonaws.com", "amazonaws.com"), ("https://ada.blogspot.com", "blogspot.com"),
        // Other spellings.
        ("https://example.com", "example.com."), ("https://example.com", ".example.com"),
        ("https://example.com", "Example.com"), ("https://example.com", "example.com:443"),
        ("https://example.com", "https://example.com"), ("https://example.com", "example.com/"),
        ("https://example.com", ""), ("https://example.com", " example.com"), ("https://example.com", "*.example.com"),
        ("https://example.com", "ex\u{430}mple.com"), ("https://xn--bcher-kva.example", "bücher.example"),
        ("https://example.com", "example.com\0"), ("https://example.com", "example..com"),
        // Addresses.
        ("https://example.com", "127.0.0.1"), ("https://example.com", "[::1]"), ("https://example.com", "0x7f.1"),
        ("https://example.com", "localhost"), ("http://localhost", "example.com"),
    ])
    func `everything else is a SecurityError, and no authenticator hears of it`(
        origin: String,
        rpID: String
    ) async throws {
        let authenticator = ScriptedAuthenticator()
        let client = WebAuthnClient(authenticator)
        let caller = try ClientFixture.caller(origin)
        let create = await ClientError.thrown {
            try await client.create(ClientFixture.creation { $0.rp.id = rpID }, from: caller)
        }
        let get = await ClientError.thrown {
            try await client.get(ClientFixture.request { $0.rpID = rpID }, from: caller)
        }
        #expect(create?.code == .security)
        #expect(get?.code == .security)
        #expect(authenticator.seen.contexts.isEmpty)
    }

    @Test func `a public suffix is refused as what it is`() async throws {
        let client = WebAuthnClient(ScriptedAuthenticator())
        let error = await ClientError.thrown {
            try await client.get(
                ClientFixture.request { $0.rpID = "co.uk" },
                from: ClientFixture.caller("https://example.co.uk")
            )
        }
        #expect(error?.code == .security && error?.detail.contains("co.uk is a public suffix") == true)
    }

    @Test func `without the public suffix list a page may only use its own host`() async throws {
        var configuration = ClientConfiguration()
        configuration.suffixes = PublicSuffixList(library: "libnothing.so.5")
        let caller = try ClientFixture.caller("https://login.example.com")
        let error = await ClientError.thrown { try await configuration.rpID("example.com", for: caller) }
        #expect(error?.code == .security && error?.detail.contains("libpsl is not installed") == true)
        #expect(try await configuration.rpID("login.example.com", for: caller) == "login.example.com")
    }

    @Test(arguments: [
        "https://127.0.0.1", "https://[::1]", "http://example.com", "https://example.com.", "https://EXAMPLE.com",
        "https://example.com/", "https://user@example.com", "ftp://example.com", "file:///etc/passwd", "",
        "https://example.com:0", "chrome-extension://abcdef", "https://bücher.example",
    ])
    func `an origin without a domain is a SecurityError`(origin: String) {
        #expect(#expect(throws: ClientError.self) { try Caller(origin: origin) }?.code == .security)
    }

    @Test func `an opaque origin is a NotAllowedError`() {
        #expect(#expect(throws: ClientError.self) { try Caller(origin: "null") }?.code == .notAllowed)
    }

    @Test func `an app uses what its platform checked and nothing else`() async throws {
        let origin = try Origin("ios:bundle-id:com.example.app")
        let client = WebAuthnClient(ScriptedAuthenticator())
        let app = Caller.app(origin, associatedDomains: ["example.com"])
        let response = try await client.create(ClientFixture.creation(), from: app)
        let data = try CollectedClientData(parsing: response.clientDataJSON)
        #expect(data.origin == "ios:bundle-id:com.example.app")
        #expect(data.crossOrigin == false)
        for rpID in ["example.org", "login.example.com", nil] {
            let error = await ClientError.thrown {
                try await client.create(ClientFixture.creation { $0.rp.id = rpID }, from: app)
            }
            #expect(error?.code == .security)
        }
        let stranger = Caller.app(origin, associatedDomains: ["com"])
        let error = await ClientError.thrown {
            try await client.create(ClientFixture.creation { $0.rp.id = "com" }, from: stranger)
        }
        #expect(error?.code == .security)
    }

    @Test func `a look-alike of an app's origin is not a web origin`() {
        #expect(throws: ClientError.self) { try Caller(origin: "android:apk-key-hash:AAAA") }
    }
}
