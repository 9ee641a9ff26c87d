import Testing
import WardCOSE
import WardDomains
import WardRelyingParty
import WardTesting
import WardText
import WardWebAuthn

/// Who a relying party may be, and what it refuses to be.
@Suite struct `Configuration` {
    struct Contradiction: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var id = "example.com"
        var name = "Example"
        var origins = ["https://example.com"]
        var relatedOrigins: [String] = []
        var policy: @Sendable (inout RelyingPartyPolicy) -> Void = { _ in }
        let says: String
    }

    static let contradictions = [
        Contradiction(testDescription: "bug class 35: an address", id: "127.0.0.1", says: "IP address"),
        Contradiction(testDescription: "bug class 35: an address of six", id: "[::1]", says: "IP address"),
        Contradiction(testDescription: "bug class 35: a top-level domain", id: "com", says: "public suffix"),
        Contradiction(testDescription: "bug class 35: a public suffix", id: "workers.dev", says: "public suffix"),
        Contradiction(
            testDescription: "below a name without a dot",
            id: "intranet",
            origins: ["https://intranet", "https://a.intranet"],
            says: "must be intranet, because intranet is a public suffix"
        ),
        Contradiction(testDescription: "bug class 35: a port", id: "example.com:443", says: "RP ID"),
        Contradiction(testDescription: "bug class 35: an empty label", id: "example..com", says: "RP ID"),
        Contradiction(testDescription: "bug class 35: a scheme", id: "https://example.com", says: "RP ID"),
        Contradiction(testDescription: "bug class 35: capitals", id: "Example.com", says: "RP ID"),
        Contradiction(testDescription: "bug class 35: nothing", id: "", says: "RP ID"),
        Contradiction(testDescription: "no name", name: "", says: "name"),
        Contradiction(testDescription: "a long name", name: String(repeating: "x", count: 65), says: "name"),
        Contradiction(testDescription: "no origin", origins: [], says: "origin"),
        Contradiction(testDescription: "another domain", origins: ["https://example.net"], says: "does not belong"),
        Contradiction(
            testDescription: "bug class 6: a suffix without a dot",
            origins: ["https://evilexample.com"],
            says: "does not belong"
        ),
        Contradiction(testDescription: "the parent", id: "a.example.com", says: "does not belong"),
        Contradiction(testDescription: "http", origins: ["http://example.com"], says: "localhost"),
        Contradiction(testDescription: "a path", origins: ["https://example.com/"], says: "slash"),
        Contradiction(testDescription: "the default port", origins: ["https://example.com:443"], says: "port"),
        Contradiction(
            testDescription: "one of two",
            origins: ["https://example.com", "example.com"],
            says: "https://"
        ),
        Contradiction(
            testDescription: "a lifetime of nothing",
            policy: { $0.ceremonyLifetime = 0 },
            says: "ceremony lifetime"
        ),
        Contradiction(
            testDescription: "a lifetime before it began",
            policy: { $0.ceremonyLifetime = -1 },
            says: "ceremony lifetime"
        ),
        Contradiction(
            testDescription: "a lifetime of more than a day",
            policy: { $0.ceremonyLifetime = 86_401 },
            says: "ceremony lifetime"
        ),
        Contradiction(testDescription: "no algorithm", policy: { $0.algorithms = [] }, says: "algorithm"),
        Contradiction(testDescription: "a related app", relatedOrigins: ["ios:bundle-id:a"], says: "app"),
        Contradiction(
            testDescription: "a related page without a domain",
            relatedOrigins: ["https://localhost"],
            says: "related"
        ),
        Contradiction(
            testDescription: "bug class 40: six related labels",
            relatedOrigins: ["a", "b", "c", "d", "e", "f"].map { "https://\($0).example" },
            says: "6 registrable labels"
        ),
    ]

    @Test(arguments: contradictions)
    func `a contradiction is refused with its reason`(contradiction: Contradiction) throws {
        var policy = RelyingPartyPolicy()
        contradiction.policy(&policy)
        let error = #expect(throws: RelyingPartyConfigurationError.self) {
            try RelyingParty(
                id: contradiction.id,
                name: contradiction.name,
                origins: contradiction.origins,
                relatedOrigins: contradiction.relatedOrigins,
                policy: policy
            )
        }
        #expect(error?.description.contains(contradiction.says) == true, "\(error?.description ?? "")")
    }

    @Test func `pages of the domain and below, apps and related pages may use an RP ID`() throws {
        let app = "android:apk-key-hash:" + Base64URL.encode([UInt8](repeating: 1, count: 32))
        let relyingParty = try RelyingParty(
            id: "example.com",
            name: "Example",
            origins: ["https://example.com", "https://login.example.com:8443", app, "https://example.com"],
            relatedOrigins: ["https://example.net", "https://example.com"]
        )
        #expect(
            relyingParty.origins.map(\.description)
                == ["https://example.com", "https://login.example.com:8443", app, "https://example.net"]
        )
        #expect(
            relyingParty.relatedOrigins.origins.map(\.description) == ["https://example.net", "https://example.com"]
        )
        #expect(
            try RelyingParty(id: "localhost", name: "x", origins: ["http://localhost:8080"]).id.description
                == "localhost"
        )
    }

    @Test func `without the public suffix list pages must be on the host of the RP ID`() throws {
        let missing = PublicSuffixList(library: "libnothing.so.5")
        func make(_ origin: String, related: [String] = []) throws -> RelyingParty {
            try RelyingParty(
                id: "example.com",
                name: "x",
                origins: [origin],
                relatedOrigins: related,
                suffixes: missing
            )
        }
        #expect(try make("https://example.com").id.description == "example.com")
        for refused in [
            { try make("https://login.example.com") },
            { try make("https://example.com", related: ["https://example.net"]) },
        ] {
            let error = #expect(throws: RelyingPartyConfigurationError.self) { try refused() }
            #expect(error?.description.contains("libpsl is not installed") == true, "\(error?.description ?? "")")
        }
    }

    @Test func `a related page registers and signs in`() throws {
        var fixture = try RelyingPartyFixture()
        fixture.relyingParty = try RelyingParty(
            id: "example.com",
            name: "Example",
            origins: [RelyingPartyFixture.origin],
            relatedOrigins: ["https://example.net"],
            effects: fixture.world.effects
        )
        fixture.authenticator.origin = "https://example.net"
        let verified = try fixture.register()
        #expect(verified.origin.description == "https://example.net")
        #expect(try fixture.signIn(with: verified.credential).origin == verified.origin)
    }
}

/// What the client is asked.
@Suite struct `Options` {
    @Test func `a registration asks for a passkey by default`() throws {
        let fixture = try RelyingPartyFixture()
        let excluded = PublicKeyCredentialDescriptor(id: try #require(CredentialID([1])), transports: [.usb])
        let (options, ceremony) = fixture.relyingParty.registrationOptions(for: fixture.user, excluding: [excluded])
        #expect(options.rp == .init(id: "example.com", name: "Example") && options.user == fixture.user)
        #expect(options.challenge == ceremony.challenge && options.challenge.bytes.count == 32)
        #expect(options.pubKeyCredParams.map(\.alg) == [.es256, .edDSA, .rs256])
        #expect(options.timeout == 300_000 && options.excludeCredentials == [excluded])
        #expect(options.authenticatorSelection == .init(residentKey: .required, userVerification: .required))
        #expect(options.attestation == .none && options.hints.isEmpty)
        #expect(ceremony.kind == .registration && ceremony.requiresUserVerification && !ceremony.isConditional)
        #expect(ceremony.user == fixture.user && ceremony.algorithms == [.es256, .edDSA, .rs256])
        #expect(ceremony.rpID == "example.com" && ceremony.expiresAt == fixture.world.now + 300)
    }

    @Test func `a registration asks for what the request says`() throws {
        let fixture = try RelyingPartyFixture {
            $0.attestation = .init(conveyance: .direct)
            $0.algorithms = [.edDSA]
        }
        var request = RegistrationRequest()
        request.residentKey = .discouraged
        request.authenticatorAttachment = .crossPlatform
        request.userVerification = .discouraged
        request.hints = [.securityKey]
        request.extensions["credProps"] = true
        request.context = [9]
        let (options, ceremony) = fixture.relyingParty.registrationOptions(for: fixture.user, request: request)
        #expect(
            options.authenticatorSelection
                == .init(
                    authenticatorAttachment: .crossPlatform,
                    residentKey: .discouraged,
                    userVerification: .discouraged
                )
        )
        #expect(options.hints == [.securityKey] && options.extensions["credProps"] == true)
        #expect(options.attestation == .direct && options.pubKeyCredParams.map(\.alg) == [.edDSA])
        #expect(!ceremony.requiresUserVerification && ceremony.context == [9] && ceremony.algorithms == [.edDSA])
    }

    static let hints: [([PublicKeyCredentialHint], AuthenticatorAttachment?)] = [
        ([], nil), ([.securityKey], .crossPlatform), ([.hybrid], .crossPlatform), ([.clientDevice], .platform),
        ([.securityKey, .hybrid], .crossPlatform), ([.clientDevice, .hybrid], nil), (["future"], nil),
        ([.securityKey, "future"], nil),
    ]

    @Test(arguments: hints)
    func `clients that know no hints are told the attachment that all hints mean`(
        hints: [PublicKeyCredentialHint],
        attachment: AuthenticatorAttachment?
    ) throws {
        var request = RegistrationRequest()
        request.hints = hints
        let relyingParty = try RelyingPartyFixture().relyingParty
        let options = relyingParty.registrationOptions(for: RelyingPartyFixture.person(1), request: request).options
        #expect(options.hints == hints && options.authenticatorSelection?.authenticatorAttachment == attachment)
        request.authenticatorAttachment = .platform
        let asked = relyingParty.registrationOptions(for: RelyingPartyFixture.person(1), request: request).options
        #expect(asked.authenticatorSelection?.authenticatorAttachment == .platform)
    }

    @Test func `a sign-in lets any passkey answer by default`() throws {
        let fixture = try RelyingPartyFixture()
        let (options, ceremony) = fixture.relyingParty.authenticationOptions()
        #expect(options.challenge == ceremony.challenge && options.rpID == "example.com" && options.timeout == 300_000)
        #expect(options.allowCredentials.isEmpty && options.userVerification == .required)
        #expect(ceremony.kind == .authentication && ceremony.requiresUserVerification && ceremony.userHandle == nil)
        #expect(ceremony.allowedCredentials.isEmpty && ceremony.appID == nil)
    }

    @Test func `no two ceremonies share a challenge or a name`() throws {
        let relyingParty = try RelyingParty(id: "example.com", name: "Example", origins: [RelyingPartyFixture.origin])
        let ceremonies = (0..<200).map { _ in relyingParty.authenticationOptions().ceremony }
        #expect(Set(ceremonies.map(\.id)).count == 200 && Set(ceremonies.map(\.challenge)).count == 200)
    }

    @Test func `a ceremony's name is sixteen bytes in base64url`() throws {
        let id = try #require(CeremonyID([UInt8](0..<16)))
        #expect(id.description == "AAECAwQFBgcICQoLDA0ODw" && CeremonyID(id.description) == id)
        #expect(CeremonyID([UInt8](0..<15)) == nil && CeremonyID("AAECAwQFBgcICQoLDA0ODw==") == nil)
        #expect(CeremonyID("") == nil && CeremonyID("AAAA") == nil)
    }
}

@Suite struct `Decoy credentials` {
    private let decoys = DecoyCredentials(secret: [UInt8](0..<32))

    @Test func `a secret of fewer than 32 bytes is refused`() {
        #expect(DecoyCredentials(secret: []) == nil)
        #expect(DecoyCredentials(secret: [UInt8](repeating: 1, count: 31)) == nil)
        #expect(DecoyCredentials(secret: [UInt8](repeating: 1, count: 32)) != nil)
    }

    @Test func `a name always gets the same, and another name others`() throws {
        let decoys = try #require(decoys)
        let again = try #require(DecoyCredentials(secret: [UInt8](0..<32)))
        var seen: Set<CredentialID> = []
        for number in 0..<500 {
            let credentials = decoys.credentials(for: "person\(number)")
            #expect(credentials == again.credentials(for: "person\(number)"))
            #expect(
                DecoyShapes.typical.lists.contains { $0.credentials == credentials.map(DecoyShapes.Credential.init) }
            )
            for credential in credentials {
                #expect(seen.insert(credential.id).inserted)
            }
        }
        #expect(decoys.userHandle(for: "a") == again.userHandle(for: "a"))
        #expect(decoys.userHandle(for: "a") != decoys.userHandle(for: "b"))
        #expect(decoys.userHandle(for: "a").bytes.count == 64)
    }

    @Test func `a list is as frequent as among the accounts it was drawn from`() throws {
        let key = DecoyShapes.Credential(idLength: 64, transports: [.usb, .nfc])
        let odd = DecoyShapes.Credential(idLength: 1_023, transports: [])
        func descriptor(_ shape: DecoyShapes.Credential) throws -> PublicKeyCredentialDescriptor {
            let id = try #require(CredentialID([UInt8](repeating: 7, count: shape.idLength)))
            return PublicKeyCredentialDescriptor(id: id, transports: shape.transports)
        }
        let accounts = try [[], [key], [key], [key], [odd, key, odd]].map { try $0.map { try descriptor($0) } }
        let shapes = try #require(DecoyShapes(of: accounts))
        #expect(DecoyShapes(of: accounts.reversed()) == shapes, "the order of the accounts does not matter")
        #expect(DecoyShapes(encoded: shapes.encoded) == shapes)
        let decoys = try #require(DecoyCredentials(secret: [UInt8](0..<32), shapes: shapes))
        let lists = (0..<1_000).map { decoys.credentials(for: "person\($0)").map(DecoyShapes.Credential.init) }
        let keys = lists.count { $0 == [key] }
        #expect((690...810).contains(keys), "three in four, within four standard deviations")
        #expect(lists.count { $0 == [odd, key, odd] } == 1_000 - keys)
    }

    @Test func `shapes need an account with a credential, and whole bytes`() {
        #expect(DecoyShapes(of: [[], []]) == nil)
        for text in ["", "{}", "[]", "[1]", #"[{"count":0,"credentials":[]}]"#, #"[{"count":1,"credentials":[]}]"#] {
            #expect(DecoyShapes(encoded: Array(text.utf8)) == nil, "\(text)")
        }
        for length in ["0", "1024", "-1", "\"1\""] {
            let text = #"[{"count":1,"credentials":[{"length":\#(length),"transports":[]}]}]"#
            #expect(DecoyShapes(encoded: Array(text.utf8)) == nil, "\(text)")
        }
    }

    @Test func `many different lists stay within what is read again`() throws {
        let accounts = try (1...1_000).map { length in
            [PublicKeyCredentialDescriptor(id: try #require(CredentialID([UInt8](repeating: 1, count: length))))]
        }
        let shapes = try #require(DecoyShapes(of: accounts))
        #expect(DecoyShapes(encoded: shapes.encoded) == shapes)
    }

    @Test func `without the secret nobody computes them`() throws {
        let decoys = try #require(decoys)
        let other = try #require(DecoyCredentials(secret: [UInt8](1..<33)))
        let ids = Set((0..<100).flatMap { decoys.credentials(for: "person\($0)").map(\.id) })
        let others = Set((0..<100).flatMap { other.credentials(for: "person\($0)").map(\.id) })
        #expect(ids.isDisjoint(with: others))
        #expect(decoys.userHandle(for: "a") != other.userHandle(for: "a"))
    }

    @Test func `a sign-in with decoys is refused like any unknown credential`() async throws {
        var fixture = try RelyingPartyFixture()
        let decoys = try #require(decoys)
        _ = try fixture.register()
        let (options, ceremony) = fixture.relyingParty.authenticationOptions(
            allowing: decoys.credentials(for: "nobody"),
            user: decoys.userHandle(for: "nobody")
        )
        var unlimited = options
        unlimited.allowCredentials = []
        var response = try fixture.authenticator.get(unlimited)
        response.id = try #require(options.allowCredentials.first).id
        response.userHandle = nil
        let store = MemoryCredentialStore()
        let relyingParty = fixture.relyingParty
        let answer = response
        let result = try await store.withTransaction { transaction in
            transaction.insert(ceremony)
            return try await relyingParty.finishAuthentication(ceremony.id, answer, in: transaction)
        }
        #expect(refusal(result) == refused(.credentialNotFound, .authentication(6)))
    }
}
