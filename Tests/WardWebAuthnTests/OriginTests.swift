import Testing
import WardDomains
import WardTesting
import WardWebAuthn

@Suite struct `Origins` {
    static let accepted: [String] = [
        "https://example.com", "https://login.example.com", "https://example.com:8443", "https://xn--bcher-kva.example",
        "https://localhost", "http://localhost", "http://localhost:8080", "http://app.localhost:1", "https://a.b:65535",
        "https://localhost:80", "http://localhost:443",
        "android:apk-key-hash:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", "ios:bundle-id:com.example.App-1",
    ]

    @Test(arguments: accepted)
    func `what a client writes is read and written alike`(text: String) throws {
        let origin = try Origin(text)
        #expect(origin.description == text)
        #expect(try Origin(origin.description) == origin)
    }

    @Test func `scheme, host and port are told apart`() throws {
        let origin = try #require(try Origin("https://login.example.com").web)
        #expect(origin.scheme == .https && origin.host.description == "login.example.com" && origin.port == 443)
        #expect(try Origin("http://localhost").web?.port == 80)
        #expect(try Origin("https://example.com:444").web?.port == 444)
        #expect(try Origin("ios:bundle-id:a").web == nil)
        #expect(try Origin("ios:bundle-id:com.example.app") != Origin("ios:bundle-id:com.example.App"))
    }

    static let refused: [Case<String, OriginError.Code>] = [
        Case("", .unsupportedScheme),
        Case("null", .unsupportedScheme),
        Case("example.com", .unsupportedScheme),
        Case("//example.com", .unsupportedScheme),
        Case("ftp://example.com", .unsupportedScheme),
        Case("HTTPS://example.com", .unsupportedScheme),
        Case("https:example.com", .unsupportedScheme),
        Case("https:/example.com", .unsupportedScheme),
        Case(" https://example.com", .unsupportedScheme),
        Case("https\u{301}://example.com", .unsupportedScheme),
        Case("chrome-extension://abcdefghijklmnop", .unsupportedScheme),
        Case("android:apk-key-hash-sha256:AAAA", .unsupportedScheme),
        Case("Android:apk-key-hash:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", .unsupportedScheme),
        Case("http://example.com", .insecure),
        Case("http://localhost.example.com", .insecure),
        Case("http://notlocalhost", .insecure),
        Case("https://example.com/", .notAnOrigin),
        Case("https://example.com/path", .notAnOrigin),
        Case("https://example.com?q", .notAnOrigin),
        Case("https://example.com#f", .notAnOrigin),
        Case("https://user@example.com", .notAnOrigin),
        Case("https://user:password@example.com", .notAnOrigin),
        Case("https://example.com\\@evil.example", .notAnOrigin),
        Case("https://", .malformedHost),
        Case("https://:443", .malformedHost),
        Case("https://example.com:443:443", .malformedHost),
        Case("https://Example.com", .malformedHost),
        Case("https://EXAMPLE.COM", .malformedHost),
        Case("https://example.com.", .malformedHost),
        Case("https://.example.com", .malformedHost),
        Case("https://example..com", .malformedHost),
        Case("https://-example.com", .malformedHost),
        Case("https://example-.com", .malformedHost),
        Case("https://exa_mple.com", .malformedHost),
        Case("https://exa mple.com", .malformedHost),
        Case("https://*.example.com", .malformedHost),
        Case("https://bücher.example", .malformedHost),
        Case("https://example.com\u{0}", .malformedHost),
        Case("https://example.com\n", .malformedHost),
        Case("https://example\u{3002}com", .malformedHost),
        Case("https://example.com:", .malformedPort),
        Case("https://example.com:0", .malformedPort),
        Case("https://example.com:443", .malformedPort),
        Case("http://localhost:80", .malformedPort),
        Case("https://example.com:08443", .malformedPort),
        Case("https://example.com:65536", .malformedPort),
        Case("https://example.com:99999999999999999999", .malformedPort),
        Case("https://example.com:+80", .malformedPort),
        Case("https://example.com:-1", .malformedPort),
        Case("https://example.com:８０", .malformedPort),
        Case("https://127.0.0.1", .addressNotAllowed),
        Case("https://1", .addressNotAllowed),
        Case("https://0x7f.0.0.0x1", .addressNotAllowed),
        Case("https://[::1]", .malformedHost),
        Case("android:apk-key-hash:", .malformedAppOrigin),
        Case("android:apk-key-hash:AAAA", .malformedAppOrigin),
        Case("android:apk-key-hash:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=", .malformedAppOrigin),
        Case("android:apk-key-hash:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAB", .malformedAppOrigin),
        Case("android:apk-key-hash:https://example.com", .malformedAppOrigin),
        Case("ios:bundle-id:", .malformedAppOrigin),
        Case("ios:bundle-id:com.example app", .malformedAppOrigin),
        Case("ios:bundle-id:https://example.com", .malformedAppOrigin),
        Case("ios:bundle-id:exämple", .malformedAppOrigin),
    ]

    @Test(arguments: refused)
    func `every other text is refused by the rule it breaks`(text: Case<String, OriginError.Code>) {
        #expect(throws: OriginError(text.expected, "")) { try Origin(text.input) }
    }

    @Test func `a bundle identifier has at most 155 characters`() throws {
        _ = try Origin("ios:bundle-id:" + String(repeating: "a", count: 155))
        #expect(throws: OriginError.self) { try Origin("ios:bundle-id:" + String(repeating: "a", count: 156)) }
    }

    @Test func `an origin damaged anywhere is refused or another origin`() throws {
        for text in ["https://a.example.com:8443", "ios:bundle-id:com.example", "http://localhost:80"] {
            let original = try? Origin(text)
            for damaged in Damage.everywhere(in: utf8(text)) where damaged != utf8(text) {
                #expect(throws: Never.self) { try ParserProperty.origin.check(damaged) }
                let read = try? Origin(String(decoding: damaged, as: UTF8.self))
                #expect(read == nil || read != original)
            }
        }
    }
}

@Suite struct `Domain names and RP IDs` {
    @Test func `lengths are those of DNS`() throws {
        let label = String(repeating: "a", count: 63)
        _ = try DomainName(label)
        #expect(throws: OriginError(.malformedHost, "")) { try DomainName(label + "a") }
        let longest = Array(repeating: label, count: 4).joined(separator: ".")
        #expect(longest.utf8.count == 255)
        _ = try DomainName(String(longest.dropFirst(2)))
        #expect(throws: OriginError(.malformedHost, "")) { try DomainName(String(longest.dropFirst())) }
        #expect(throws: OriginError(.malformedHost, "")) { try DomainName("") }
    }

    @Test func `bug class 6: belonging together goes label by label`() throws {
        let parent = try DomainName("example.com")
        for below in ["example.com", "login.example.com", "a.b.example.com"] {
            #expect(try DomainName(below).isEqualToOrBelow(parent))
        }
        for other in ["evilexample.com", "example.com.evil.net", "com", "example.co", "xample.com", "example-com.com"] {
            #expect(try !DomainName(other).isEqualToOrBelow(parent))
        }
    }

    @Test func `localhost is what ends in that very label`() throws {
        #expect(try DomainName("localhost").isLocalhost && DomainName("a.localhost").isLocalhost)
        #expect(try !DomainName("notlocalhost").isLocalhost && !DomainName("localhost.com").isLocalhost)
    }

    static let relyingPartyIDs: [Case<String, OriginError.Code?>] = [
        Case("example.com", nil), Case("login.example.com", nil), Case("localhost", nil), Case("app.localhost", nil),
        Case("example.co.uk", nil), Case("me.workers.dev", nil), Case("xn--bcher-kva.example", nil),
        Case("com", .publicSuffix), Case("co.uk", .publicSuffix), Case("workers.dev", .publicSuffix),
        Case("github.io", .publicSuffix), Case("internal", .publicSuffix),
        Case("127.0.0.1", .addressNotAllowed), Case("[::1]", .addressNotAllowed), Case("1.2.3.4.5", .addressNotAllowed),
        Case("example.com:443", .malformedHost), Case("https://example.com", .malformedHost),
        Case("example.com/", .malformedHost), Case("Example.com", .malformedHost), Case("example.com.", .malformedHost),
        Case(
            ".example.com",
            .malformedHost
        ),
        Case(
            "example..com",
            .malformedHost
        ),
        Case(
            "*.example.com",
            .malformedHost
        ),
        Case("", .malformedHost), Case(" example.com", .malformedHost), Case("bücher.example", .malformedHost),
    ]

    @Test(arguments: relyingPartyIDs)
    func `bug class 35: an RP ID is a domain that strangers cannot register under`(
        text: Case<String, OriginError.Code?>
    ) throws {
        guard let code = text.expected else {
            #expect(try RelyingPartyID(text.input).description == text.input)
            return
        }
        #expect(throws: OriginError(code, "")) { try RelyingPartyID(text.input) }
    }

    @Test func `the hash is SHA-256 of the text`() throws {
        let hash = hex("bfabc37432958b063360d3ad6461c9c4735ae7f8edd46592a5e0f01452b2e4b5")
        #expect(try RelyingPartyID("example.org").hash == hash)
    }

    @Test func `a public suffix, and a name without a dot, cover only the pages of that very host`() throws {
        for (text, own, below) in [
            ("intranet", "https://intranet:8443", "https://a.intranet"),
            ("workers.dev", "https://workers.dev", "https://a.workers.dev"),
        ] {
            let id = try RelyingPartyID(host: text)
            let (page, other) = (try WebOrigin(own), try WebOrigin(below))
            #expect(id.isHostOnly && id.covers(page) && !id.covers(other))
        }
        let ordinary = try RelyingPartyID(host: "example.com")
        #expect(!ordinary.isHostOnly)
        #expect(try ordinary == RelyingPartyID("example.com"))
        #expect(try RelyingPartyID(host: "localhost").covers(WebOrigin("http://a.localhost")))
        #expect(throws: OriginError(.addressNotAllowed, "")) { try RelyingPartyID(host: "127.0.0.1") }
    }

    @Test func `an RP ID covers the pages of its own domain and below`() throws {
        let id = try RelyingPartyID("example.com")
        for text in ["https://example.com", "https://login.example.com", "https://example.com:8443"] {
            #expect(id.covers(try WebOrigin(text)))
        }
        for text in [
            "https://evilexample.com", "https://example.com.evil.net", "https://example.net", "https://com.net",
        ] {
            #expect(!id.covers(try WebOrigin(text)))
        }
        #expect(try RelyingPartyID("localhost").covers(WebOrigin("http://localhost:8080")))
    }
}
