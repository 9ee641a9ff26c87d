import Synchronization
import Testing
import WardClient
import WardDomains
import WardText
import WardWebAuthn

@Suite(.timeLimit(.minutes(15))) struct `Related origins` {
    private static let good = Array("{\"origins\":[\"https://example.co.uk\"]}".utf8)

    /// A client that gets this document.
    private func client(
        _ document: [UInt8],
        _ authenticator: ScriptedAuthenticator = .init()
    ) -> WebAuthnClient<ScriptedAuthenticator> {
        WebAuthnClient(authenticator, ClientConfiguration(relatedOrigins: RelatedOriginsFetch { _ in document }))
    }

    private func document(_ origins: [String]) -> [UInt8] {
        JSONValue.object([.init("origins", .array(origins.map { .string($0) }))]).serialized
    }

    private func ask(
        _ client: WebAuthnClient<ScriptedAuthenticator>,
        _ origin: String = "https://example.co.uk"
    ) async throws -> RegistrationResponse {
        try await client.create(ClientFixture.creation(), from: ClientFixture.caller(origin))
    }

    @Test func `an origin on the list may use the RP ID`() async throws {
        let client = client(document(["https://example.co.uk", "https://example.de"]))
        let response = try await ask(client)
        let data = try CollectedClientData(parsing: response.clientDataJSON)
        #expect(data.origin == "https://example.co.uk")
        _ = try await client.get(ClientFixture.request(), from: ClientFixture.caller("https://example.de"))
    }

    @Test(arguments: [
        "{\"origins\":[\"https://example.de\"]}", "<html>", "{\"origins\":\"https://example.co.uk\"}",
        "{\"origins\":[\"https://example.co.uk\",7]}", "",
    ])
    func `anything but a list with the origin is a SecurityError`(text: String) async throws {
        let authenticator = ScriptedAuthenticator()
        let error = await ClientError.thrown { try await ask(client(Array(text.utf8), authenticator)) }
        #expect(error?.code == .security)
        #expect(authenticator.seen.contexts.isEmpty)
    }

    @Test func `a fetch that fails is a SecurityError`() async throws {
        struct Offline: Error {}
        let fetch = RelatedOriginsFetch { _ in throw Offline() }
        let client = WebAuthnClient(ScriptedAuthenticator(), ClientConfiguration(relatedOrigins: fetch))
        #expect(await ClientError.thrown { try await ask(client) }?.code == .security)
    }

    @Test func `a cancelled request is an AbortError, not the list's fault`() async throws {
        let (started, start) = AsyncStream.makeStream(of: Void.self)
        let fetch = RelatedOriginsFetch { _ in
            start.finish()
            try await Task.sleep(for: .seconds(86_400))
            return []
        }
        let client = WebAuthnClient(ScriptedAuthenticator(), ClientConfiguration(relatedOrigins: fetch))
        let task = Task {
            try await client.create(ClientFixture.creation(), from: ClientFixture.caller("https://example.co.uk"))
        }
        for await _ in started {}
        task.cancel()
        #expect(await ClientError.thrown { try await task.value }?.code == .abort)
    }

    @Test func `five labels are read and the sixth is not`() async throws {
        let list = document(
            ["a.com", "b.com", "c.com", "d.com", "a.de", "example.co.uk", "f.com"].map { "https://" + $0 }
        )
        let client = client(list)
        for origin in ["https://a.com", "https://a.de", "https://example.co.uk"] { _ = try await ask(client, origin) }
        #expect(await ClientError.thrown { try await ask(client, "https://f.com") }?.code == .security)
    }

    @Test func `a list that is too large is refused, however it was fetched`() async throws {
        for (spaces, isAccepted) in [
            (0, true), (RelatedOriginsFetch.maximumSize - Self.good.count, true), (262_144, false),
        ] {
            let response = try? await ask(client(Self.good + [UInt8](repeating: 0x20, count: spaces)))
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
        // The RP ID covers the caller; it is a public suffix; it is this machine; it is no domain.
        _ = try await client.create(ClientFixture.creation(), from: ClientFixture.caller("https://login.example.com"))
        for rpID in ["co.uk", "localhost", "127.0.0.1", "evil"] {
            _ = await ClientError.thrown {
                try await client.create(
                    ClientFixture.creation { $0.rp.id = rpID },
                    from: ClientFixture.caller("https://example.co.uk")
                )
            }
        }
        #expect(asked.withLock { $0 } == [])
        _ = try await client.create(ClientFixture.creation(), from: ClientFixture.caller("https://example.co.uk"))
        #expect(asked.withLock { $0 } == ["example.com"])
    }
}
