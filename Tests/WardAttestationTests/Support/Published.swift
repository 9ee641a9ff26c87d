internal import Foundation
internal import Testing
internal import WardAttestation
internal import WardCOSE
internal import WardRelyingParty
internal import WardTesting
import WardText
internal import WardWebAuthn

/// A registration that others recorded or published: what was asked, and what was answered.
struct Published: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let rpID: String
    let origin: String
    let response: RegistrationResponse
    /// When it is judged, in seconds since 1970.
    let now: Int64

    /// The challenge the client answered, as it says itself.
    var challenge: [UInt8] {
        (try? JSONValue(response.clientDataJSON))?["challenge"]?.base64URLValue ?? []
    }

    var object: AttestationObject {
        get throws { try AttestationObject(response.attestationObject) }
    }

    /// The statement's certificates, as they stand there.
    var certificates: [AttestationCertificate] {
        get throws { try AttestationFacts(object).certificates.map { try $0.get() } }
    }

    /// Verifies it as a service would that asked for it.
    func verify(
        judge: (any AttestationJudge)? = nil,
        formats: AttestationFormats = .all,
        attestationObject: [UInt8]? = nil,
        at time: Int64? = nil
    ) throws -> VerifiedRegistration {
        let (challenge, now) = (self.challenge, time ?? now)
        var policy = RelyingPartyPolicy()
        policy.userVerification = .discouraged
        policy.algorithms = [.es256, .edDSA, .rs256, .es384, .es512, .ed25519, .esp256]
        policy.framing = .allowedWithoutTopOrigin(in: [try WebOrigin("https://example.com")])
        policy.attestation = AttestationPolicy(
            conveyance: .direct,
            formats: formats,
            acceptsUnverifiedFormats: false,
            judge: judge
        )
        let relyingParty = try RelyingParty(
            id: rpID,
            name: "Test",
            origins: [origin],
            policy: policy,
            effects: Effects(now: { now }, randomBytes: { $0 == 16 ? [UInt8](repeating: 0, count: 16) : challenge })
        )
        let user = PublicKeyCredentialUserEntity(id: try #require(UserHandle([1])), name: "a", displayName: "A")
        let ceremony = relyingParty.registrationOptions(for: user).ceremony
        var response = response
        if let attestationObject { response.attestationObject = attestationObject }
        return try relyingParty.verify(response, for: ceremony)
    }
}

/// The examples of WebAuthn Level 3, section 16.
enum SpecificationVectors {
    private struct File: Decodable {
        struct Root: Decodable { let attestation_ca_cert: String }
        struct Vector: Decodable {
            struct Superseded: Decodable { let attestationObject: String }
            struct Registration: Decodable {
                let given: [String: String]
                let superseded: Superseded?
            }
            let id: String
            let registration: Registration
        }
        let rpId: String
        let origin: String
        let attestationRoot: Root
        let vectors: [Vector]
    }

    private static let file: File? = TestVectors.bytes("webauthn-l3.json").flatMap {
        try? JSONDecoder().decode(File.self, from: Data($0))
    }

    /// The root that signed all their certificates.
    static var root: TrustAnchors {
        get throws { try TrustAnchors(der: [Hex.bytes(file?.attestationRoot.attestation_ca_cert)]) }
    }

    /// In the middle of what their certificates are valid for.
    static let now: Int64 = 1_800_000_000

    /// All fifteen, in the order of the specification.
    static let all: [Published] = (file?.vectors ?? []).compactMap { vector in
        guard let file, let data = try? AttestationObject.Parts(vector.registration.given) else { return nil }
        return Published(
            testDescription: String(vector.id.dropFirst("sctn-test-vectors-".count)),
            rpID: file.rpId,
            origin: file.origin,
            response: data.response,
            now: now
        )
    }

    static func named(_ name: String) throws -> Published {
        try #require(all.first { $0.testDescription == name })
    }

    /// What stood in drafts as the answer of Android's key store, before it stated what section 8.4 requires.
    static var supersededAndroidKey: [UInt8] {
        get throws {
            let vector = file?.vectors.first { $0.id == "sctn-test-vectors-android-key-es256" }
            return try Hex.bytes(try #require(vector?.registration.superseded).attestationObject)
        }
    }
}

extension AttestationObject {
    /// An answer as section 16 writes it down.
    fileprivate struct Parts {
        let response: RegistrationResponse

        init(_ given: [String: String]) throws {
            let object = try Hex.bytes(given["attestationObject"])
            let id = try Hex.bytes(given["credential_id"])
            response = RegistrationResponse(
                id: try #require(CredentialID(id)),
                clientDataJSON: try Hex.bytes(given["clientDataJSON"]),
                attestationObject: object
            )
        }
    }
}

/// Answers of real authenticators, recorded by others.
enum Recordings {
    /// The files, each with a time at which its certificates were valid.
    private static let files: [(name: String, file: String, now: Int64)] = [
        ("android-key", "attestationAndroidKeyResponse", 1_600_000_000),
        ("apple", "attestationAppleResponse", 1_602_100_000),
        ("packed TrustKey T110", "attestationResultTrustKeyT110", 1_600_000_000),
        ("packed ATKey", "attestationResultsATKey", 1_600_000_000),
        ("packed Feitian", "attestationResultsPacked", 1_600_000_000),
        ("packed self ES512", "attestationResultsPacked512", 1_600_000_000),
        ("fido-u2f Yubico", "attestationResultsU2F", 1_600_000_000),
        ("tpm SHA-1", "attestationTPMSHA1Response", 1_600_000_000),
        ("tpm SHA-256", "attestationTPMSHA256Response", 1_600_000_000),
        ("none with a client of 2018", "attestationResultsNone", 1_600_000_000),
        ("none", "attestationNoneResponse", 1_600_000_000),
        ("fido-u2f Yubico, second", "json1", 1_600_000_000),
        ("packed Feitian, second", "json2", 1_600_000_000),
    ]

    /// All of them, under the identifier that was attested: one recording has another's outside.
    static let all: [Published] = files.compactMap { name, file, now in
        guard let bytes = TestVectors.bytes("devices/\(file).json"), let json = try? JSONValue(bytes),
            let clientData = json["response"]?["clientDataJSON"]?.base64URLValue,
            let object = json["response"]?["attestationObject"]?.base64URLValue,
            let id = attestedID(object) ?? json["id"]?.base64URLValue.flatMap({ CredentialID($0) }),
            let origin = (try? JSONValue(clientData))?["origin"]?.stringValue
        else { return nil }
        let host = origin.dropFirst("https://".count).prefix { $0 != ":" }
        return Published(
            testDescription: name,
            rpID: String(host),
            origin: origin,
            response: RegistrationResponse(id: id, clientDataJSON: clientData, attestationObject: object),
            now: now
        )
    }

    private static func attestedID(_ object: [UInt8]) -> CredentialID? {
        guard let credential = try? AttestationObject(object).authenticatorData.attestedCredential else { return nil }
        return CredentialID(credential.credentialID)
    }

    static func named(_ name: String) throws -> Published {
        try #require(all.first { $0.testDescription == name })
    }
}

/// Hexadecimal text, as vectors have it.
enum Hex {
    static func bytes(_ text: String?) throws -> [UInt8] {
        var bytes: [UInt8] = []
        var rest = Substring(try #require(text))
        while !rest.isEmpty {
            bytes.append(try #require(UInt8(rest.prefix(2), radix: 16)))
            rest = rest.dropFirst(2)
        }
        return bytes
    }
}
