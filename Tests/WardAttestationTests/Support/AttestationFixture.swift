internal import Crypto
internal import CryptoExtras
internal import Testing
internal import WardAttestation
internal import WardCBOR
internal import WardCOSE
internal import WardRelyingParty
import WardText
internal import WardWebAuthn

/// A credential that was made just now, and an authority whose certificates say so.
struct AttestationFixture: Sendable {
    /// The authority of all tests.
    static let root = Signer.p256()
    /// Its certificate.
    static let rootCertificate = Result { try rootRecipe.make(for: root.publicKeyInfo, by: root) }

    static var rootRecipe: CertificateRecipe {
        var recipe = CertificateRecipe()
        recipe.subject = Name.authority
        recipe.extensions = [.authority(), .keyUsage(0x06)]
        return recipe
    }

    /// Trusts the authority.
    static var anchors: TrustAnchors {
        get throws { try TrustAnchors(der: [rootCertificate.get()]) }
    }

    /// Asks for a chain to the authority.
    static var judge: AttestationRequirements {
        get throws { AttestationRequirements(anchors: try anchors) }
    }

    var credential = Signer.p256()
    var algorithm = COSEAlgorithmIdentifier.es256
    var aaguid = [UInt8](1...16)
    var credentialID = [UInt8](repeating: 9, count: 16)
    var challenge = [UInt8](repeating: 0x5a, count: 32)

    var clientDataJSON: [UInt8] {
        let text =
            #"{"type":"webauthn.create","challenge":""# + Base64URL.encode(challenge)
            + #"","origin":"https://example.org","crossOrigin":false}"#
        return Array(text.utf8)
    }

    var clientDataHash: [UInt8] { Array(SHA256.hash(data: clientDataJSON)) }

    var credentialKey: COSEKey {
        get throws {
            switch credential.key {
            case .rsa(let key):
                let numbers = try key.publicKey.getKeyPrimitives()
                return try COSEKey(
                    algorithm: algorithm,
                    material: .rsa(n: [UInt8](numbers.modulus), e: [UInt8](numbers.publicExponent))
                )
            case .ed25519(let key):
                return try COSEKey(
                    algorithm: algorithm,
                    material: .okp(curve: .ed25519, x: [UInt8](key.publicKey.rawRepresentation))
                )
            case .mlDSA65(let key):
                return try COSEKey(
                    algorithm: algorithm,
                    material: .akp(publicKey: [UInt8](key.publicKey.rawRepresentation))
                )
            case .mlDSA87(let key):
                return try COSEKey(
                    algorithm: algorithm,
                    material: .akp(publicKey: [UInt8](key.publicKey.rawRepresentation))
                )
            case .p256, .p384, .p521:
                let point = credential.point
                let length = point.count / 2
                let curve: COSEKey.Curve = length == 32 ? .p256 : length == 48 ? .p384 : .p521
                return try COSEKey(
                    algorithm: algorithm,
                    material: .ec2(curve: curve, x: Array(point[1...length]), y: Array(point[(length + 1)...]))
                )
            }
        }
    }

    var authenticatorData: [UInt8] {
        get throws {
            AuthenticatorData.assemble(
                rpIDHash: Array(SHA256.hash(data: Array("example.org".utf8))),
                flags: [.userPresent, .userVerified],
                signCount: 1,
                credential: (try #require(AAGUID(aaguid)), credentialID, try credentialKey.encoded)
            )
        }
    }

    /// What most formats sign.
    var signedBytes: [UInt8] {
        get throws { try authenticatorData + clientDataHash }
    }

    /// The answer of a client.
    func publish(_ format: String, _ statement: CBORValue) throws -> Published {
        Published(
            testDescription: format,
            rpID: "example.org",
            origin: "https://example.org",
            response: RegistrationResponse(
                id: try #require(CredentialID(credentialID)),
                clientDataJSON: clientDataJSON,
                attestationObject: AttestationObject.assemble(
                    format: format,
                    statement: statement.encoded(),
                    authenticatorData: try authenticatorData
                )
            ),
            now: CertificateRecipe.now
        )
    }
}

/// A statement in the making: everything right until something is spoiled.
protocol Draft: Sendable {
    init()
    var fixture: AttestationFixture { get set }
    func publish() throws -> Published
}

/// One rule of section 8 broken, and what verification says then.
struct Rejection<Subject: Draft>: Sendable, CustomTestStringConvertible {
    let rule: Rule
    let testDescription: String
    /// A part of the error that names the check.
    let detail: String
    let spoil: @Sendable (inout Subject) throws -> Void

    init(
        _ rule: Rule,
        _ description: String,
        _ detail: String,
        _ spoil: @escaping @Sendable (inout Subject) throws -> Void
    ) {
        self.rule = rule
        testDescription = description
        self.detail = detail
        self.spoil = spoil
    }

    /// Expects the refusal, at the step of section 7.1 and in the section of the rule.
    func check(formats: AttestationFormats = .all) throws {
        var draft = Subject()
        try spoil(&draft)
        let published = try draft.publish()
        let error = #expect(throws: VerificationError.self) {
            try published.verify(judge: AttestationFixture.judge, formats: formats)
        }
        #expect(error?.code == .attestationInvalid)
        #expect(error?.step == .registration(22))
        let found = error?.detail ?? ""
        #expect(found.contains(rule.section), "\(found)")
        #expect(found.contains(detail), "\(found)")
    }
}

extension CBORValue {
    /// A map with text keys; what is `nil` is left out.
    static func members(_ members: [(String, CBORValue?)]) -> CBORValue {
        .map(members.compactMap { name, value in value.map { CBORPair(key: .text(name), value: $0) } })
    }

    static func chain(_ certificates: [[UInt8]]) -> CBORValue { .array(certificates.map(CBORValue.bytes)) }
}
