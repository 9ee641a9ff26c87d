import Testing
import WardCBOR
import WardCOSE
import WardRelyingParty
import WardTesting
import WardText
import WardWebAuthn

/// The security bugs that relying parties are known to have had, by the numbers of the project's reference: one negative
/// test for each that a library can have. Many have more cases in the suites they belong to.
///
/// | class | where |
/// |---|---|
/// | 1-11 | here; 9 also in `StoreTests` |
/// | 12, 13, 38 | `StoreTests` |
/// | 14, 18-22 | the service's tests; the decoys that 14 needs: `Decoy credentials` |
/// | 15, 31, 36, 39, 41, 42 | the attestation module's tests |
/// | 16 | `PolicyTests` |
/// | 17, 23-27, 29, 30, 32, 33, 34 | here |
/// | 28 | `AuthenticationRejectionTests`, at the signature |
/// | 35, 40 | `ConfigurationTests`, and `OriginTests` and `RelatedOriginsTests` of WardWebAuthn |
/// | 37 | `PolicyTests` |
@Suite struct `Known bugs of relying parties` {
    // MARK: Whose credential

    @Test func `bug class 1: a sign-in begun for one account is not answered by another's credential`() async throws {
        var fixture = try RelyingPartyFixture()
        fixture.authenticator.behaviour.returnsUserHandle = false
        let store = MemoryCredentialStore()
        let relyingParty = fixture.relyingParty
        // Person 2 has a credential; person 1, for whom the sign-in begins, has one as well or none at all.
        fixture.user = RelyingPartyFixture.person(2)
        let other = try fixture.register().credential
        try await store.withTransaction { try $0.insert(other) }
        for mine in [CredentialID([1]), nil] {
            let allowed = mine.map { [PublicKeyCredentialDescriptor(id: $0)] } ?? []
            let (options, ceremony) = relyingParty.authenticationOptions(
                allowing: allowed,
                user: RelyingPartyFixture.person(1).id
            )
            var unlimited = options
            unlimited.allowCredentials = []
            let response = try fixture.authenticator.get(unlimited)
            #expect(response.id == other.id && response.userHandle == nil)
            let result = try await store.withTransaction { transaction in
                transaction.insert(ceremony)
                return try await relyingParty.finishAuthentication(ceremony.id, response, in: transaction)
            }
            #expect(refusal(result) == refused(.credentialNotFound, .authentication(6)))
            // And not by a caller who found the record in another way.
            #expect(refusal { _ = try relyingParty.verify(response, for: ceremony, record: other) } != "accepted")
        }
    }

    @Test func `bug class 2: presence is checked at registration and at sign-in`() throws {
        var fixture = try RelyingPartyFixture()
        let record = try fixture.register().credential
        fixture.authenticator.behaviour.isUserPresent = false
        #expect(refusal { _ = try fixture.register() } == refused(.userNotPresent, .registration(15)))
        #expect(refusal { _ = try fixture.signIn(with: record) } == refused(.userNotPresent, .authentication(16)))
    }

    @Test func `bug class 3: required verification survives the store`() throws {
        var fixture = try RelyingPartyFixture()
        let record = try fixture.register().credential
        fixture.authenticator.behaviour.isUserVerified = false
        let (authentication, asserted) = try fixture.answerSignIn()
        let (registration, created) = try fixture.answerRegistration()
        let stored = try (Ceremony(encoded: registration.encoded), Ceremony(encoded: authentication.encoded))
        #expect(
            refusal { _ = try fixture.relyingParty.verify(created, for: stored.0) }
                == refused(.userNotVerified, .registration(16))
        )
        #expect(
            refusal { _ = try fixture.relyingParty.verify(asserted, for: stored.1, record: record) }
                == refused(.userNotVerified, .authentication(17))
        )
    }

    @Test func `bug class 4: a client cannot talk required verification down`() throws {
        var fixture = try RelyingPartyFixture()
        let record = try fixture.register().credential
        fixture.authenticator.behaviour.isUserVerified = false
        var (options, ceremony) = fixture.relyingParty.authenticationOptions()
        options.userVerification = .discouraged
        var response = try fixture.authenticator.get(options)
        response.clientExtensionResults["userVerification"] = "discouraged"
        // Members that a page adds to the text are read past.
        let json = response.json.extended(",\"userVerification\":\"discouraged\",\"mediation\":\"conditional\"")
        let read = try AuthenticationResponse(json: json)
        #expect(
            refusal { _ = try fixture.relyingParty.verify(read, for: ceremony, record: record) }
                == refused(.userNotVerified, .authentication(17))
        )
        ceremony = ceremony.changed(requiresUserVerification: false)
        #expect(refusal { _ = try fixture.relyingParty.verify(read, for: ceremony, record: record) } == "accepted")
    }

    // MARK: From where

    struct Pretender: Sendable, CustomTestStringConvertible {
        let bug: Int
        let origin: String
        var testDescription: String { "bug class \(bug): \(origin.debugDescription)" }
    }

    static let pretenders = [
        Pretender(bug: 5, origin: "http://login.example.com"),
        Pretender(bug: 5, origin: "https://login.example.com:8443"),
        Pretender(bug: 5, origin: "https://login.example.com:80"), Pretender(bug: 5, origin: "wss://login.example.com"),
        Pretender(bug: 5, origin: "login.example.com"), Pretender(bug: 5, origin: "//login.example.com"),
        Pretender(bug: 6, origin: "https://evillogin.example.com"),
        Pretender(bug: 6, origin: "https://evilexample.com"),
        Pretender(bug: 6, origin: "https://a.login.example.com"), Pretender(bug: 6, origin: "https://example.com"),
        Pretender(bug: 7, origin: "https://login.example.com.evil.net"),
        Pretender(bug: 7, origin: "https://login.example.com@evil.net"),
        Pretender(bug: 7, origin: "https://login.example.com/evil"),
        Pretender(bug: 7, origin: "https://login.example.com/"),
        Pretender(bug: 7, origin: "https://login.example.com:443"),
        Pretender(bug: 7, origin: "https://login.example.com:"),
        Pretender(bug: 7, origin: "HTTPS://login.example.com"), Pretender(bug: 7, origin: "https://LOGIN.example.com"),
        Pretender(bug: 7, origin: " https://login.example.com"),
        Pretender(bug: 7, origin: "https://login.example.com\u{0}"),
        Pretender(bug: 7, origin: "https://login.example.com."),
        Pretender(bug: 7, origin: "https://logi\u{6e}\u{301}.example.com"),
        Pretender(bug: 7, origin: "https://login\u{ff0e}example.com"), Pretender(bug: 7, origin: "null"),
        Pretender(bug: 7, origin: "ios:bundle-id:https://login.example.com"),
        Pretender(bug: 7, origin: "ios:bundle-id:login.example.com"),
        Pretender(bug: 7, origin: "android:apk-key-hash:https://login.example.com"),
    ]

    @Test(arguments: pretenders)
    func `an origin that looks like a listed one is another`(pretender: Pretender) throws {
        var fixture = try RelyingPartyFixture()
        let record = try fixture.register().credential
        fixture.authenticator.origin = pretender.origin
        #expect(refusal { _ = try fixture.register() } == refused(.originNotAllowed, .registration(9)))
        #expect(refusal { _ = try fixture.signIn(with: record) } == refused(.originNotAllowed, .authentication(12)))
    }

    @Test func `bug class 7: an app's origin is compared as such, with its case`() throws {
        var fixture = try RelyingPartyFixture(origins: ["ios:bundle-id:com.example.App"])
        let record = try fixture.register().credential
        for other in ["ios:bundle-id:com.example.app", "ios:bundle-id:com.example.App2", "https://com.example.app"] {
            fixture.authenticator.origin = other
            #expect(refusal { _ = try fixture.signIn(with: record) } == refused(.originNotAllowed, .authentication(12)))
        }
    }

    @Test func `bug class 8: a ceremony begun at one origin is not finished at another, listed one`() throws {
        var fixture = try RelyingPartyFixture()
        var request = RegistrationRequest()
        request.boundOrigin = try Origin(RelyingPartyFixture.origin)
        let (options, ceremony) = fixture.relyingParty.registrationOptions(for: fixture.user, request: request)
        fixture.authenticator.origin = RelyingPartyFixture.otherOrigin
        let response = try fixture.authenticator.create(options)
        #expect(
            refusal { _ = try fixture.relyingParty.verify(response, for: Ceremony(encoded: ceremony.encoded)) }
                == refused(.originNotAllowed, .registration(9))
        )
    }

    // MARK: The challenge

    @Test func `bug class 9: an answer to an earlier challenge is not an answer`() throws {
        var fixture = try RelyingPartyFixture()
        let record = try fixture.register().credential
        let (_, earlier) = try fixture.answerSignIn()
        let (ceremony, _) = try fixture.answerSignIn()
        #expect(
            refusal { _ = try fixture.relyingParty.verify(earlier, for: ceremony, record: record) }
                == refused(.challengeMismatch, .authentication(11))
        )
    }

    @Test func `bug class 10: the challenge that counts is the signed one`() throws {
        var fixture = try RelyingPartyFixture()
        let record = try fixture.register().credential
        let (ceremony, _) = try fixture.answerSignIn()
        let (_, other) = try fixture.answerSignIn()
        let claim = ",\"challenge\":\"\(ceremony.challenge.base64URL)\""
        let json = String(decoding: other.json, as: UTF8.self)
            .replacing("\"response\":{", with: "\"response\":{\(claim.dropFirst()),")
        let response = try AuthenticationResponse(json: Array(json.utf8).extended(claim))
        #expect(
            refusal { _ = try fixture.relyingParty.verify(response, for: ceremony, record: record) }
                == refused(.challengeMismatch, .authentication(11))
        )
    }

    @Test func `bug class 11: a sign-in without a name runs out of time as well`() async throws {
        var fixture = try RelyingPartyFixture()
        let store = MemoryCredentialStore()
        let relyingParty = fixture.relyingParty
        let record = try fixture.register().credential
        try await store.withTransaction { try $0.insert(record) }
        for user in [nil, fixture.user.id] {
            let (options, ceremony) = relyingParty.authenticationOptions(user: user)
            let response = try fixture.authenticator.get(options)
            fixture.world.advance(by: 300)
            let result = try await store.withTransaction { transaction in
                transaction.insert(ceremony)
                return try await relyingParty.finishAuthentication(ceremony.id, response, in: transaction)
            }
            #expect(refusal(result) == refused(.challengeExpired, .authentication(1)))
        }
    }

    // MARK: What was asked for

    @Test func `bug class 17: what a page adds to the options is not what the service asked for`() throws {
        var fixture = try RelyingPartyFixture { $0.algorithms = [.es256] }
        fixture.authenticator.behaviour.algorithms = [.edDSA]
        var (options, ceremony) = fixture.relyingParty.registrationOptions(for: fixture.user)
        options.pubKeyCredParams.append(.init(.edDSA))
        let response = try fixture.authenticator.create(options)
        #expect(
            refusal { _ = try fixture.relyingParty.verify(response, for: ceremony) }
                == refused(.algorithmNotAllowed, .registration(20))
        )
        ceremony = ceremony.changed(algorithms: [.edDSA])
        #expect(refusal { _ = try fixture.relyingParty.verify(response, for: ceremony) } == "accepted")
    }

    @Test func `bug class 23: id, rawId and the attested id must agree`() throws {
        var fixture = try RelyingPartyFixture()
        let (ceremony, response) = try fixture.answerRegistration()
        var renamed = response
        renamed.id = try #require(CredentialID(response.id.bytes.flipped(at: 0)))
        #expect(
            refusal { _ = try fixture.relyingParty.verify(renamed, for: ceremony) }
                == refused(.credentialIDMismatch, .registration(25))
        )
        let text = String(decoding: response.json, as: UTF8.self)
        for member in ["id", "rawId"] {
            let json = text.replacing(
                "\"\(member)\":\"\(response.id.base64URL)\"",
                with: "\"\(member)\":\"\(renamed.id.base64URL)\""
            )
            #expect(throws: WebAuthnError(.identifierMismatch, "")) { try RegistrationResponse(json: Array(json.utf8)) }
        }
    }

    @Test func `bug class 24: bytes behind what ends are refused wherever they stand`() throws {
        var fixture = try RelyingPartyFixture()
        let record = try fixture.register().credential
        let object = refused(.malformedResponse, .registration(13))
        fixture.authenticator.faults.attestationObject = { $0 + [0xa0] }
        #expect(refusal { _ = try fixture.register() } == object)
        fixture.authenticator.faults = Faults()
        fixture.authenticator.faults.authenticatorData = { $0 + [0xa0] }
        #expect(refusal { _ = try fixture.register() } == object)
        #expect(refusal { _ = try fixture.signIn(with: record) } == refused(.malformedResponse, .authentication(7)))
        fixture.authenticator.faults = Faults()
        fixture.authenticator.faults.publicKey = { $0 + [0xa0] }
        #expect(refusal { _ = try fixture.register() } == object)
        fixture.authenticator.faults = Faults()
        fixture.authenticator.faults.statement = { $0 + [0xa0] }
        #expect(refusal { _ = try fixture.register() } == object)
    }

    static let bombs: [(String, [UInt8])] = [
        ("a length of 2^63", hex("a363666d745b7fffffffffffffff")),
        ("a length of 2^64-1", hex("5bffffffffffffffff")),
        ("a map of 2^64-1", hex("bbffffffffffffffff")),
        ("an array of 2^32", hex("a163666d749affffffff")),
        ("minus 2^64", hex("a1") + hex("3bffffffffffffffff") + hex("00")),
        ("a text without end", hex("a163666d747f61616161")),
        ("an array without end", hex("9f") + [UInt8](repeating: 0x9f, count: 1_000)),
        ("60,000 arrays in each other", [UInt8](repeating: 0x81, count: 60_000)),
        ("60,000 maps in each other", [UInt8](repeating: 0xa1, count: 60_000)),
        ("60,000 tags", [UInt8](repeating: 0xc0, count: 60_000)),
        ("60,000 zeros", hex("99ea60") + [UInt8](repeating: 0, count: 60_000)),
        ("a key twice", hex("a263666d7400" + "63666d7400")),
        ("a break alone", hex("ff")),
        ("a reserved length", hex("bc")),
    ]

    @Test(arguments: bombs)
    func `bug class 25: hostile CBOR is refused before it costs anything`(name: String, bytes: [UInt8]) throws {
        var fixture = try RelyingPartyFixture()
        for spoil in [
            { (faults: inout Faults) in faults.attestationObject = { _ in bytes } },
            { (faults: inout Faults) in faults.statement = { _ in bytes } },
            { (faults: inout Faults) in
                faults.authenticatorData = { data in
                    var data = data + bytes
                    data[32] |= AuthenticatorData.Flags.extensionData.rawValue
                    return data
                }
            },
        ] {
            fixture.authenticator.faults = Faults()
            spoil(&fixture.authenticator.faults)
            let cost = processorTime {
                let outcome = refusal { _ = try fixture.register() }
                #expect(outcome == refused(.malformedResponse, .registration(13)))
            }
            #expect(cost < .seconds(2))
        }
    }

    @Test func `bug class 26: a key of one algorithm does not verify for another`() throws {
        typealias Key = `Registration rejections`.Key
        let x = Key.x
        let keys: [[(CBORValue, CBORValue)]] = [
            [(1, 1), (3, -7), (-1, 6), (-2, .bytes(x))],
            [(1, 1), (3, -8), (-1, 1), (-2, .bytes(x))],
            [(1, 2), (3, -8), (-1, 6), (-2, .bytes(x)), (-3, .bytes(x))],
            [(1, 2), (3, -35), (-1, 1), (-2, .bytes(x)), (-3, .bytes(x))],
            [(1, 2), (3, -257), (-1, 1), (-2, .bytes(x)), (-3, .bytes(x))],
            [(1, 1), (3, -8), (-1, 4), (-2, .bytes(x))],
            [(1, 1), (3, -8), (-1, 6), (-2, .bytes([UInt8](repeating: 0, count: 32)))],
        ]
        for key in keys {
            var fixture = try RelyingPartyFixture { $0.algorithms = [.es256, .es384, .edDSA, .rs256] }
            fixture.authenticator.faults.publicKey = { _ in CBORValue.of(key).encoded() }
            #expect(refusal { _ = try fixture.register() }.hasPrefix("public_key_invalid at 7.1."), "\(key)")
        }
    }

    @Test func `bug class 27: a key that nothing attests is looked at all the same`() throws {
        var fixture = try RelyingPartyFixture()
        fixture.authenticator.faults.publicKey = { $0.flipped(at: $0.count - 1) }
        #expect(refusal { _ = try fixture.register() } == refused(.publicKeyInvalid, .registration(20)))
    }

    @Test(arguments: [-65535, -260, -10, 0, 5, -7_000_000] as [Int64])
    func `bug class 29: an unknown algorithm is refused and never taken for SHA-256`(number: Int64) throws {
        let identifier = COSEAlgorithmIdentifier(rawValue: Int(number))
        var fixture = try RelyingPartyFixture { $0.algorithms = [.es256, identifier] }
        fixture.authenticator.behaviour.algorithms = [.es256]
        fixture.authenticator.faults.publicKey = {
            $0.replacing([0x03, 0x26], with: [0x03] + CBORValue.integer(number).encoded())
        }
        #expect(refusal { _ = try fixture.register() } == refused(.algorithmNotSupported, .registration(20)))
        var record = try RelyingPartyFixture().register(with: [.es256])
        record.publicKey = record.publicKey.replacing([0x03, 0x26], with: [0x03] + CBORValue.integer(number).encoded())
        fixture.authenticator.faults = Faults()
        _ = try fixture.register()
        record.id = try #require(fixture.authenticator.credentials.last).id
        #expect(refusal { _ = try fixture.signIn(with: record) } == refused(.storedKeyInvalid, .authentication(21)))
    }

    @Test func `bug class 30: packed self attestation names the key's own algorithm`() throws {
        var behaviour = VirtualAuthenticator.Behaviour()
        behaviour.attestation = .packedSelf
        var fixture = try RelyingPartyFixture(behaviour: behaviour)
        for algorithm in [-8, -35, -257] as [Int64] {
            fixture.authenticator.faults.statement = {
                $0.replacing(
                    Array("calg".utf8) + [0x26],
                    with: Array("calg".utf8) + CBORValue.integer(algorithm).encoded()
                )
            }
            #expect(refusal { _ = try fixture.register() } == refused(.attestationInvalid, .registration(22)))
        }
    }

    // MARK: AppID

    static let appID = "https://example.com/u2f.json"

    struct AppIDCase: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let asked: String?
        let says: JSONValue?
        /// Whose hash the authenticator signs.
        let signs: String?
        let isAccepted: Bool
    }

    static let appIDCases = [
        AppIDCase(testDescription: "asked for and used", asked: appID, says: true, signs: appID, isAccepted: true),
        AppIDCase(
            testDescription: "asked for and not used",
            asked: appID,
            says: false,
            signs: "example.com",
            isAccepted: true
        ),
        AppIDCase(
            testDescription: "asked for and unknown to the client",
            asked: appID,
            says: nil,
            signs: "example.com",
            isAccepted: true
        ),
        AppIDCase(testDescription: "used without a word", asked: appID, says: nil, signs: appID, isAccepted: false),
        AppIDCase(
            testDescription: "used, says the client, in no boolean",
            asked: appID,
            says: "true",
            signs: appID,
            isAccepted: false
        ),
        AppIDCase(
            testDescription: "used, says the client, with the RP ID's hash",
            asked: appID,
            says: true,
            signs: "example.com",
            isAccepted: false
        ),
        AppIDCase(
            testDescription: "another AppID",
            asked: appID,
            says: true,
            signs: "https://evil.example",
            isAccepted: false
        ),
        AppIDCase(testDescription: "not asked for", asked: nil, says: true, signs: appID, isAccepted: false),
        AppIDCase(
            testDescription: "not asked for, with the RP ID's hash",
            asked: nil,
            says: true,
            signs: "example.com",
            isAccepted: true
        ),
        AppIDCase(
            testDescription: "not asked for, the hash of nothing",
            asked: nil,
            says: true,
            signs: "",
            isAccepted: false
        ),
        AppIDCase(testDescription: "not asked for, no hash", asked: nil, says: true, signs: nil, isAccepted: false),
        AppIDCase(testDescription: "an empty AppID", asked: "", says: true, signs: "", isAccepted: false),
        AppIDCase(testDescription: "an empty AppID, no hash", asked: "", says: true, signs: nil, isAccepted: false),
    ]

    @Test(arguments: appIDCases)
    func `bug class 32: the AppID's hash counts where it was asked for and used, and nowhere else`(
        appID: AppIDCase
    ) throws {
        var fixture = try RelyingPartyFixture()
        let record = try fixture.register().credential
        let hash = appID.signs.map { sha256(Array($0.utf8)) } ?? [UInt8](repeating: 0, count: 32)
        fixture.authenticator.faults.authenticatorData = { hash + $0[32...] }
        fixture.authenticator.behaviour.clientExtensionResults["appid"] = appID.says
        var request = AuthenticationRequest()
        request.extensions["appid"] = appID.asked.map { .string($0) }
        #expect(
            refusal { _ = try fixture.signIn(with: record, request) }
                == (appID.isAccepted ? "accepted" : refused(.rpIDMismatch, .authentication(15)))
        )
    }

    // MARK: The answer's text

    @Test func `bug class 33: numbers, booleans, padding and line breaks are not bytes`() throws {
        var fixture = try RelyingPartyFixture()
        let (_, response) = try fixture.answerSignIn(after: .init())
        let signature = Base64URL.encode(response.signature)
        let text = String(decoding: response.json, as: UTF8.self)
        for value in [
            "1", "true", "[48,69]", "{}", "null", "\"\(signature)=\"", "\"\(signature)\\n\"", "\"\(signature) \"",
        ] {
            let json = text.replacing("\"signature\":\"\(signature)\"", with: "\"signature\":\(value)")
            #expect(json != text)
            #expect(throws: WebAuthnError.self, "\(value)") { try AuthenticationResponse(json: Array(json.utf8)) }
        }
    }

    @Test func `bug class 34: an empty user handle names nobody`() throws {
        var fixture = try RelyingPartyFixture()
        let record = try fixture.register().credential
        let (discoverable, response) = try fixture.answerSignIn()
        let handle = try #require(response.userHandle)
        for value in ["\"\"", "null"] {
            let json = String(decoding: response.json, as: UTF8.self)
                .replacing("\"userHandle\":\"\(handle.base64URL)\"", with: "\"userHandle\":\(value)")
            let silent = try AuthenticationResponse(json: Array(json.utf8))
            #expect(silent.userHandle == nil)
            #expect(
                refusal { _ = try fixture.relyingParty.verify(silent, for: discoverable, record: record) }
                    == refused(.userHandleMissing, .authentication(6))
            )
        }
    }
}

extension RelyingPartyFixture {
    /// A registration's record with one of these algorithms.
    func register(with algorithms: [COSEAlgorithmIdentifier]) throws -> CredentialRecord {
        var copy = self
        copy.authenticator.behaviour.algorithms = algorithms
        return try copy.register().credential
    }

    /// A sign-in's answer after a registration.
    mutating func answerSignIn(
        after request: RegistrationRequest
    ) throws -> (ceremony: Ceremony, response: AuthenticationResponse) {
        _ = try register(request)
        return try answerSignIn()
    }
}
