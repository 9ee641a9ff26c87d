import Foundation
import Testing
import WardCOSE
import WardRelyingParty
import WardTesting
import WardWebAuthn

/// One example of WebAuthn Level 3, §16: a registration and the sign-in that follows it.
struct SpecificationVector: Sendable, CustomTestStringConvertible {
    struct Registration: Sendable {
        let challenge, credentialID, clientDataJSON, attestationObject, publicKey: [UInt8]
        let aaguid: AAGUID
        let algorithm: COSEAlgorithmIdentifier
        let format: String
        let flags: [String: Bool]
    }

    struct Authentication: Sendable {
        let challenge, clientDataJSON, authenticatorData, signature: [UInt8]
    }

    /// The end of the example's anchor: `none-es256` and the like.
    let name: String
    let registration: Registration
    let authentication: Authentication
    var testDescription: String { name }

    static let rpID = "example.org"
    static let origin = "https://example.org"
    static let topOrigin = "https://example.com"

    /// All fifteen, or none where the vectors' folder is absent.
    static let all: [SpecificationVector] = {
        guard let bytes = TestVectors.bytes("webauthn-l3.json"),
            let document = try? JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any],
            let vectors = document["vectors"] as? [[String: Any]]
        else { return [] }
        return vectors.map { SpecificationVector($0) }
    }()

    private init(_ json: [String: Any]) {
        func member(_ path: String...) -> Any? {
            path.reduce(json as Any?) { ($0 as? [String: Any])?[$1] }
        }
        func bytes(_ ceremony: String, _ name: String) -> [UInt8] {
            hex(member(ceremony, "given", name) as? String ?? "-")
        }
        name = (json["id"] as? String ?? "").replacing("sctn-test-vectors-", with: "")
        registration = Registration(
            challenge: bytes("registration", "challenge"),
            credentialID: bytes("registration", "credential_id"),
            clientDataJSON: bytes("registration", "clientDataJSON"),
            attestationObject: bytes("registration", "attestationObject"),
            publicKey: hex(member("registration", "decoded", "authData", "credentialPublicKeyCose") as? String ?? "-"),
            aaguid: AAGUID(bytes("registration", "aaguid"))!,
            algorithm: .init(
                rawValue: member("registration", "decoded", "authData", "credentialPublicKey", "3") as? Int ?? 0
            ),
            format: member("registration", "decoded", "fmt") as? String ?? "",
            flags: member("registration", "decoded", "authData", "flagBits") as? [String: Bool] ?? [:]
        )
        authentication = Authentication(
            challenge: bytes("authentication", "challenge"),
            clientDataJSON: bytes("authentication", "clientDataJSON"),
            authenticatorData: bytes("authentication", "authenticatorData"),
            signature: bytes("authentication", "signature")
        )
    }

    // MARK: As a service sees it

    /// The service of the examples; it may be framed by their top origin.
    func relyingParty(_ policy: (inout RelyingPartyPolicy) -> Void = { _ in }) throws -> RelyingParty {
        var decided = RelyingPartyPolicy()
        decided.framing = .allowedWithoutTopOrigin(in: [try WebOrigin(Self.topOrigin)])
        policy(&decided)
        return try RelyingParty(
            id: Self.rpID,
            name: "Example",
            origins: [Self.origin],
            policy: decided,
            effects: TestEffects().effects
        )
    }

    static let user = PublicKeyCredentialUserEntity(id: UserHandle([1])!, name: "ann", displayName: "Ann")

    private func ceremony(_ kind: Ceremony.Kind, _ challenge: [UInt8]) -> Ceremony {
        Ceremony(
            id: CeremonyID([UInt8](0..<16))!,
            kind: kind,
            challenge: Challenge(challenge)!,
            rpID: Self.rpID,
            requiresUserVerification: false,
            isConditional: false,
            algorithms: kind == .registration ? [registration.algorithm] : [],
            user: kind == .registration ? Self.user : nil,
            userHandle: kind == .registration ? nil : Self.user.id,
            expiresAt: TestEffects().now + 300
        )
    }

    var registrationCeremony: Ceremony { ceremony(.registration, registration.challenge) }
    var authenticationCeremony: Ceremony { ceremony(.authentication, authentication.challenge) }

    var registrationResponse: RegistrationResponse {
        RegistrationResponse(
            id: CredentialID(registration.credentialID)!,
            clientDataJSON: registration.clientDataJSON,
            attestationObject: registration.attestationObject
        )
    }

    var authenticationResponse: AuthenticationResponse {
        AuthenticationResponse(
            id: CredentialID(registration.credentialID)!,
            clientDataJSON: authentication.clientDataJSON,
            authenticatorData: authentication.authenticatorData,
            signature: authentication.signature
        )
    }
}
