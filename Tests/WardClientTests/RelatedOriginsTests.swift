import LocalServing
import NIOCore
import NIOHTTP1
import Synchronization
import Testing
import WardClient
import WardText
import WardWebAuthn

@Suite(.timeLimit(.minutes(15))) struct `Related origins` {
    private static let wellKnown = "/.well-known/webauthn"

    private func document(_ origins: [String]) -> [UInt8] {
        JSONValue.object([.init("origins", .array(origins.map { .string($0) }))]).serialized
    }

    /// A client that fetches from a server of the test's.
    private func client(
        _ server: LocalServer,
        _ authenticator: ScriptedAuthenticator = .init(),
        timeout: Duration = .seconds(600)
    ) -> WebAuthnClient<ScriptedAuthenticator> {
        let base = server.base
        let download = RelatedOriginsDownload(
            timeout: timeout,
            address: { _ in base + Self.wellKnown },
            mayFollow: { $0.hasPrefix(base) || BoundedDownload.isPublicHTTPS($0) }
        )
        return WebAuthnClient(authenticator, ClientConfiguration(relatedOrigins: RelatedOriginsFetch(download)))
    }

    private func ask(
        _ client: WebAuthnClient<ScriptedAuthenticator>,
        _ origin: String = "https://example.co.uk"
    ) async throws -> RegistrationResponse {
        try await client.create(Sound.creation(), from: Sound.caller(origin))
    }

    @Test func `an origin on the list may use the RP ID, and nothing tells who fetched it`() async throws {
        let list = document(["https://example.co.uk", "https://example.de"])
        try await LocalServer.with({ _ in .init(body: list) }) { server in
            let client = client(server)
            let response = try await ask(client)
            let data = try CollectedClientData(parsing: response.clientDataJSON)
            #expect(data.origin == "https://example.co.uk")
            let request = try #require(server.seen.first)
            #expect(request.uri == Self.wellKnown)
            #expect(Set(request.headers.keys).isSubset(of: ["host", "accept", "connection", "accept-encoding"]))
            _ = try await client.get(Sound.request(), from: Sound.caller("https://example.de"))
        } as Void
    }

    @Test func `the content type may carry a parameter`() async throws {
        let list = document(["https://example.co.uk"])
        let headers = [("Content-Type", "application/JSON; charset=utf-8")]
        try await LocalServer.with({ _ in .init(headers: headers, body: list) }) { server in
            _ = try await ask(client(server))
        } as Void
    }

    private struct Refusal: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let answer: LocalServer.Answer
    }

    private static let good = Array("{\"origins\":[\"https://example.co.uk\"]}".utf8)
    private static let json = [("content-type", "application/json")]

    private static let refusals: [Refusal] = [
        Refusal(
            testDescription: "not on the list",
            answer: .init(body: Array("{\"origins\":[\"https://example.de\"]}".utf8))
        ),
        Refusal(testDescription: "404", answer: .init(status: .notFound, body: good)),
        Refusal(testDescription: "204", answer: .init(status: .noContent)),
        Refusal(testDescription: "text/html", answer: .init(headers: [("content-type", "text/html")], body: good)),
        Refusal(testDescription: "text/json", answer: .init(headers: [("content-type", "text/json")], body: good)),
        Refusal(testDescription: "no type", answer: .init(headers: [], body: good)),
        Refusal(testDescription: "no JSON", answer: .init(body: Array("<html>".utf8))),
        Refusal(testDescription: "no list", answer: .init(body: Array("{\"origins\":\"https://example.co.uk\"}".utf8))),
        Refusal(
            testDescription: "a list that is not of strings",
            answer: .init(body: Array("{\"origins\":[\"https://example.co.uk\",7]}".utf8))
        ),
        Refusal(
            testDescription: "larger than 256 KiB by its header",
            answer: .init(headers: json + [("content-length", "262145")], body: good)
        ),
        Refusal(
            testDescription: "larger than 256 KiB without saying so",
            answer: .init(body: good + [UInt8](repeating: 0x20, count: 262_144))
        ),
        Refusal(testDescription: "a redirect to clear text", answer: redirect("http://example.com/list")),
        Refusal(testDescription: "a redirect to this machine", answer: redirect("https://localhost/list")),
        Refusal(testDescription: "a redirect to an address", answer: redirect("https://192.168.0.1/list")),
        Refusal(testDescription: "a redirect to a file", answer: redirect("file:///etc/passwd")),
        Refusal(testDescription: "a redirect to another scheme's host", answer: redirect("//evil.example/list")),
        Refusal(testDescription: "a redirect to itself", answer: redirect(wellKnown)),
        Refusal(testDescription: "a redirect without a target", answer: .init(status: .found, headers: [])),
    ]

    private static func redirect(_ location: String) -> LocalServer.Answer {
        .init(status: .found, headers: [("location", location)])
    }

    @Test(arguments: refusals)
    private func `anything but a list is a SecurityError`(refusal: Refusal) async throws {
        let answer = refusal.answer
        try await LocalServer.with({ _ in answer }) { server in
            let authenticator = ScriptedAuthenticator()
            let error = await ClientError.thrown { try await ask(client(server, authenticator)) }
            #expect(error?.code == .security)
            #expect(authenticator.seen.contexts.isEmpty)
            #expect(server.seen.count <= 4)
        } as Void
    }

    @Test func `a redirect to the same server is followed, three times at most`() async throws {
        for (count, isAllowed) in [(1, true), (3, true), (4, false)] {
            let answer: @Sendable (String) -> LocalServer.Answer = { uri in
                let step = Int(uri.split(separator: "/").last ?? "") ?? 0
                return step < count ? Self.redirect("/\(step + 1)") : .init(body: Self.good)
            }
            try await LocalServer.with(answer) { server in
                if isAllowed {
                    _ = try await ask(client(server))
                } else {
                    #expect(await ClientError.thrown { try await ask(client(server)) }?.code == .security)
                }
            } as Void
        }
    }

    @Test func `a redirect elsewhere is not followed, even to a server that has the list`() async throws {
        try await LocalServer.with({ _ in .init(body: Self.good) }) { other in
            let elsewhere = other.base + "/list"
            try await LocalServer.with({ _ in Self.redirect(elsewhere) }) { server in
                #expect(await ClientError.thrown { try await ask(client(server)) }?.code == .security)
                #expect(other.seen.isEmpty)
            } as Void
        } as Void
    }

    @Test func `a body without end is left at 256 KiB`() async throws {
        let large = LocalServer.Answer(
            body: [UInt8](repeating: 0x20, count: 4_194_304),
            piece: 65_536,
            pause: .milliseconds(1)
        )
        try await LocalServer.with({ _ in large }) { server in
            let base = server.base
            let download = RelatedOriginsDownload(
                timeout: .seconds(20),
                address: { _ in base },
                mayFollow: { _ in true }
            )
            let rpID = try RelyingPartyID("example.com")
            await #expect(throws: BoundedDownload.Failure.tooLarge) { try await download.document(of: rpID) }
        } as Void
    }

    /// What comes would do, if only somebody waited for it.
    @Test(arguments: [true, false])
    func `a server that dawdles is left`(isSilent: Bool) async throws {
        let slow = LocalServer.Answer(body: Self.good, piece: 1, pause: .milliseconds(100), isSilent: isSilent)
        try await LocalServer.with({ _ in slow }) { server in
            let error = await ClientError.thrown { try await ask(client(server, timeout: .milliseconds(400))) }
            #expect(error?.code == .security)
        } as Void
    }

    @Test func `a cancelled request is an AbortError, not the list's fault`() async throws {
        try await LocalServer.with({ _ in .init(isSilent: true) }) { server in
            let client = client(server, timeout: .seconds(30))
            let task = Task { try await client.create(Sound.creation(), from: Sound.caller("https://example.co.uk")) }
            while server.seen.isEmpty { await Task.yield() }
            task.cancel()
            #expect(await ClientError.thrown { try await task.value }?.code == .abort)
        } as Void
    }

    @Test func `five labels are read and the sixth is not`() async throws {
        let list = document(
            ["a.com", "b.com", "c.com", "d.com", "a.de", "example.co.uk", "f.com"].map { "https://" + $0 }
        )
        let client = WebAuthnClient(
            ScriptedAuthenticator(),
            ClientConfiguration(relatedOrigins: RelatedOriginsFetch { _ in list })
        )
        for origin in ["https://a.com", "https://a.de", "https://example.co.uk"] { _ = try await ask(client, origin) }
        #expect(await ClientError.thrown { try await ask(client, "https://f.com") }?.code == .security)
    }

    @Test func `a list that is too large is refused, however it was fetched`() async throws {
        for (spaces, isAccepted) in [
            (0, true), (RelatedOriginsFetch.maximumSize - Self.good.count, true), (262_144, false),
        ] {
            let fetch = RelatedOriginsFetch { _ in Self.good + [UInt8](repeating: 0x20, count: spaces) }
            let client = WebAuthnClient(ScriptedAuthenticator(), ClientConfiguration(relatedOrigins: fetch))
            let response = try? await ask(client)
            #expect((response != nil) == isAccepted, "\(spaces) spaces")
        }
    }

    @Test func `nothing is fetched where it cannot help`() async throws {
        let asked = Mutex<[String]>([])
        let fetch = RelatedOriginsFetch { rpID in
            asked.withLock { $0.append(rpID.description) }
            return Self.good
        }
        let client = WebAuthnClient(ScriptedAuthenticator(), ClientConfiguration(relatedOrigins: fetch))
        // The RP ID covers the caller; it is a public suffix; it is this machine; it is none.
        _ = try await client.create(Sound.creation(), from: Sound.caller("https://login.example.com"))
        for rpID in ["co.uk", "localhost", "127.0.0.1", "evil"] {
            _ = await ClientError.thrown {
                try await client.create(Sound.creation { $0.rp.id = rpID }, from: Sound.caller("https://example.co.uk"))
            }
        }
        #expect(asked.withLock { $0 } == [])
        _ = try await client.create(Sound.creation(), from: Sound.caller("https://example.co.uk"))
        #expect(asked.withLock { $0 } == ["example.com"])
    }

    @Test(arguments: [
        ("https://example.com/list", true), ("https://example.com", true), ("https://example.com:8443/x", true),
        ("http://example.com/", false), ("https://localhost/", false), ("https://127.0.0.1/", false),
        ("https://[::1]/", false), ("https://user@example.com/", false), ("HTTPS://example.com", false), ("", false),
        ("https://example.com\\@localhost/", false), ("data:application/json,{}", false),
    ])
    func `redirects lead to public HTTPS servers only`(url: String, isAllowed: Bool) {
        #expect(BoundedDownload.isPublicHTTPS(url) == isAllowed)
    }
}
