internal import Crypto
internal import Testing
internal import WardAttestation
internal import WardCBOR
internal import WardRelyingParty
import WardText

/// A response of SafetyNet's, signed by a made-up service.
struct SafetyNetDraft: Draft {
    var fixture = AttestationFixture()
    var service: Signer
    var recipe: CertificateRecipe
    var version: CBORValue = "214815022"
    var algorithm = "RS256"
    var members: [JSONValue.Member] = [
        .init("timestampMs", .integer(CertificateRecipe.now * 1000)), .init("ctsProfileMatch", true),
        .init("basicIntegrity", true), .init("apkPackageName", "com.google.android.gms"),
    ]
    var nonce: @Sendable ([UInt8]) -> JSONValue? = { .string(Base64.encode($0)) }
    var header: @Sendable ([JSONValue.Member]) -> [JSONValue.Member] = { $0 }
    var spoils: @Sendable ([String]) -> [String] = { $0 }
    var spoilsSignature: @Sendable ([UInt8]) -> [UInt8] = { $0 }

    init() {
        // Searching for an RSA key each time would take a while, and the shared one is there after the first.
        service = (try? Signer.sharedRSA.get()) ?? .p256()
        recipe = CertificateRecipe()
        recipe.extensions.append(Self.host("attest.android.com"))
    }

    static func host(_ name: String) -> CertificateRecipe.Extension {
        .alternativeName(DER.sequence(DER.element(0x82, Array(name.utf8))))
    }

    func publish() throws -> Published {
        let certificate = try recipe.make(for: service.publicKeyInfo, by: AttestationFixture.root)
        let head = header([
            .init("alg", .string(algorithm)), .init("x5c", [.string(Base64.encode(certificate))]),
        ])
        var payload = members
        let hash = Array(SHA256.hash(data: try fixture.signedBytes))
        if let nonce = nonce(hash) { payload.append(.init("nonce", nonce)) }
        let parts = [JSONValue.object(head), .object(payload)].map { Base64URL.encode($0.serialized) }
        let signature = spoilsSignature(try service.sign(Array(parts.joined(separator: ".").utf8)))
        let text = spoils(parts + [Base64URL.encode(signature)]).joined(separator: ".")
        return try fixture.publish(
            "android-safetynet",
            .members([("ver", version), ("response", .bytes(Array(text.utf8)))])
        )
    }

    static let rejections: [Rejection<SafetyNetDraft>] = [
        .init(.safetyNetSyntax, "with ver as a number", "syntax") { $0.version = 2 },
        .init(.safetyNetResponse, "without version", "ver is empty") { $0.version = "" },
        .init(.safetyNetResponse, "in two parts", "2 parts") { $0.spoils = { Array($0.dropLast()) } },
        .init(.safetyNetResponse, "in four parts", "4 parts") { $0.spoils = { $0 + [""] } },
        .init(.safetyNetResponse, "with padding", "not base64url") { $0.spoils = { [$0[0], $0[1] + "=", $0[2]] } },
        .init(.safetyNetResponse, "with a signature that does not hold", "is not valid") {
            $0.spoilsSignature = { [$0[0] ^ 1] + $0.dropFirst() }
        },
        .init(.safetyNetResponse, "with another payload", "is not valid") {
            let payload = Array(#"{"ctsProfileMatch":true,"timestampMs":0,"nonce":""}"#.utf8)
            $0.spoils = { [$0[0], Base64URL.encode(payload), $0[2]] }
        },
        .init(.safetyNetResponse, "without a signature", "not accepted") { $0.algorithm = "none" },
        .init(.safetyNetResponse, "signed with a secret", "not accepted") { $0.algorithm = "HS256" },
        .init(.safetyNetResponse, "with an algorithm of another kind", "certificate") { $0.algorithm = "ES256" },
        .init(.safetyNetResponse, "with critical parameters", "critical") {
            $0.header = { $0 + [.init("crit", ["exp"])] }
        },
        .init(.safetyNetResponse, "without certificates", "no certificates") { $0.header = { [$0[0]] } },
        .init(.safetyNetResponse, "with a certificate in base64url", "not base64") {
            $0.header = { [$0[0], .init("x5c", [.string(Base64URL.encode([0xff, 0xff, 0xff]))])] }
        },
        .init(.safetyNetResponse, "with two alg", "not JSON") { $0.header = { $0 + [.init("alg", "RS256")] } },
        .init(.safetyNetResponse, "of a device that is not certified", "integrity") {
            $0.members[1] = .init("ctsProfileMatch", false)
        },
        .init(.safetyNetResponse, "of a device that was tampered with", "integrity") {
            $0.members[2] = .init("basicIntegrity", false)
        },
        .init(.safetyNetResponse, "that does not speak of the device", "ctsProfileMatch is missing") {
            $0.members.remove(at: 1)
        },
        .init(.safetyNetResponse, "with ctsProfileMatch as text", "ctsProfileMatch is missing") {
            $0.members[1] = .init("ctsProfileMatch", "true")
        },
        .init(.safetyNetResponse, "of yesterday", "86400 seconds ago") {
            $0.members[0] = .init("timestampMs", .integer((CertificateRecipe.now - 86_400) * 1000))
        },
        .init(.safetyNetResponse, "of tomorrow", "seconds ago") {
            $0.members[0] = .init("timestampMs", .integer((CertificateRecipe.now + 86_400) * 1000))
        },
        .init(.safetyNetResponse, "without time", "timestampMs is missing") { $0.members.remove(at: 0) },
        .init(.safetyNetNonce, "of another ceremony", "another ceremony") {
            $0.nonce = { .string(Base64.encode($0.reversed())) }
        },
        .init(.safetyNetNonce, "in base64url", "another ceremony") { $0.nonce = { .string(Base64URL.encode($0)) } },
        .init(.safetyNetNonce, "absent", "nonce is missing") { $0.nonce = { _ in nil } },
        .init(.safetyNetService, "for another host", "not issued to") {
            $0.recipe.extensions[1] = host("attest.android.com.example.org")
        },
        .init(.safetyNetService, "for a host below", "not issued to") {
            $0.recipe.extensions[1] = host("x.attest.android.com")
        },
        .init(.safetyNetService, "for a host in the name alone, where alternatives are given", "not issued to") {
            $0.recipe.extensions[1] = host("example.org")
            $0.recipe.subject = Name.packed(commonName: "attest.android.com")
        },
        .init(.safetyNetService, "for no host", "not issued to") { $0.recipe.extensions.removeLast() },
    ]
}

@Suite struct `SafetyNet attestation` {
    @Test
    func `a certificate of the authority's is trusted`() throws {
        let registration = try SafetyNetDraft().publish().verify(judge: AttestationFixture.judge)
        #expect(registration.attestation.trust == .chain(to: try AttestationFixture.rootCertificate.get()))
    }

    @Test
    func `signatures with ECDSA are two numbers, one behind the other`() throws {
        var draft = SafetyNetDraft()
        let key = P256.Signing.PrivateKey()
        draft.service = Signer(key: .p256(key))
        draft.algorithm = "ES256"
        draft.spoilsSignature = { der in
            (try? P256.Signing.ECDSASignature(derRepresentation: der)).map { [UInt8]($0.rawRepresentation) } ?? []
        }
        #expect(throws: Never.self) { try draft.publish().verify(judge: AttestationFixture.judge) }
        draft.spoilsSignature = { _ in [UInt8](repeating: 1, count: 63) }
        #expect(throws: VerificationError.self) { try draft.publish().verify(judge: AttestationFixture.judge) }
    }

    @Test(arguments: SafetyNetDraft.rejections)
    func `a broken rule is refused by its check`(_ rejection: Rejection<SafetyNetDraft>) throws {
        try rejection.check()
    }

    @Test
    func `an older response may be taken where that is said`() throws {
        var draft = SafetyNetDraft()
        draft.members[0] = .init("timestampMs", .integer((CertificateRecipe.now - 300) * 1000))
        let mild = AttestationFormats.all(androidSafetyNet: AndroidSafetyNetAttestation(maximumAge: 600))
        #expect(throws: VerificationError.self) { try draft.publish().verify() }
        #expect(throws: Never.self) { try draft.publish().verify(formats: mild) }
    }

    @Test
    func `a response can be read by people`() throws {
        let facts = try AttestationFacts(SafetyNetDraft().publish().object)
        #expect(facts.safetyNet?.packageName == "com.google.android.gms")
        #expect(facts.leaf?.alternativeNames.hosts == ["attest.android.com"])
    }
}
