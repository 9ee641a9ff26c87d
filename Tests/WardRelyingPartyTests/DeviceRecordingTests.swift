import Foundation
import Testing
import WardCOSE
import WardRelyingParty
import WardTesting
import WardText
import WardWebAuthn

/// What real authenticators and browsers answered, most of it before 2020: no `toJSON`, no transports, no extension results.
@Suite(.enabled(if: TestVectors.areAvailable, "needs the vectors' folder"))
struct `Recordings of real devices` {
    /// A registration's answer and the options it answers.
    struct Recording: Sendable, CustomTestStringConvertible {
        let response: String
        let options: String
        let format: String
        let algorithm: COSEAlgorithmIdentifier
        var isVerified = false
        /// Where the recording's `id` was written over afterwards.
        var hasForeignID = false
        var testDescription: String { response }
    }

    static let registrations = [
        Recording(
            response: "attestationNoneResponse",
            options: "attestationNoneOptions",
            format: "none",
            algorithm: .es256,
            isVerified: true
        ),
        Recording(
            response: "attestationResultsNone",
            options: "attestationOptionsNone",
            format: "none",
            algorithm: .es256,
            isVerified: true
        ),
        Recording(
            response: "attestationResultsPacked512",
            options: "attestationOptionsPacked512",
            format: "packed",
            algorithm: .es512,
            isVerified: true
        ),
        Recording(
            response: "attestationResultsPacked",
            options: "attestationOptionsPacked",
            format: "packed",
            algorithm: .es256
        ),
        Recording(
            response: "attestationResultTrustKeyT110",
            options: "attestationOptionsTrustKeyT110",
            format: "packed",
            algorithm: .es256
        ),
        Recording(
            response: "attestationResultsATKey",
            options: "attestationOptionsATKey",
            format: "packed",
            algorithm: .es256
        ),
        Recording(
            response: "attestationResultsU2F",
            options: "attestationOptionsU2F",
            format: "fido-u2f",
            algorithm: .es256
        ),
        Recording(response: "json1", options: "options1", format: "fido-u2f", algorithm: .es256),
        Recording(
            response: "attestationTPMSHA256Response",
            options: "attestationTPMSHA256Options",
            format: "tpm",
            algorithm: .rs256
        ),
        Recording(
            response: "attestationAndroidKeyResponse",
            options: "attestationAndroidKeyOptions",
            format: "android-key",
            algorithm: .es256
        ),
        Recording(
            response: "attestationAppleResponse",
            options: "attestationAppleOptions",
            format: "apple",
            algorithm: .es256,
            hasForeignID: true
        ),
    ]

    private func json(_ name: String) throws -> JSONValue {
        try JSONValue(try #require(TestVectors.bytes("devices/\(name).json")))
    }

    private func service(id: String, _ policy: (inout RelyingPartyPolicy) -> Void = { _ in }) throws
        -> RelyingParty
    {
        var decided = RelyingPartyPolicy()
        policy(&decided)
        return try RelyingParty(
            id: id,
            name: "Recorded",
            origins: [id == "localhost" ? "https://localhost:44329" : "https://\(id)"],
            policy: decided,
            effects: TestEffects().effects
        )
    }

    private func begun(_ options: JSONValue, id: String, _ kind: Ceremony.Kind) throws -> Ceremony {
        let challenge = try #require(options["challenge"]?.base64URLValue.flatMap { Challenge($0) })
        let algorithms = options["pubKeyCredParams"]?.arrayValue?.compactMap { $0["alg"]?.integerValue } ?? []
        let user = PublicKeyCredentialUserEntity(id: UserHandle([1])!, name: "ann", displayName: "Ann")
        return Ceremony(
            id: CeremonyID([UInt8](0..<16))!,
            kind: kind,
            challenge: challenge,
            rpID: id,
            requiresUserVerification: false,
            isConditional: false,
            algorithms: algorithms.map { COSEAlgorithmIdentifier(rawValue: Int($0)) },
            user: user,
            userHandle: user.id,
            expiresAt: TestEffects().now + 300
        )
    }

    @Test(arguments: registrations)
    func `a registration is verified, or carried as unverified`(recording: Recording) throws {
        let options = try json(recording.options)
        let id = try #require(options["rp"]?["id"]?.stringValue)
        var response = try RegistrationResponse(json: try json(recording.response).serialized)
        if recording.hasForeignID {
            let object = try AttestationObject(response.attestationObject)
            let attested = try #require(object.authenticatorData.attestedCredential)
            response.id = try #require(CredentialID(attested.credentialID))
        }
        let ceremony = try begun(options, id: id, .registration)
        let verified = try service(id: id).verify(response, for: ceremony)
        #expect(verified.attestation.format == recording.format)
        #expect(try COSEKey(verified.credential.publicKey).algorithm == recording.algorithm)
        let strict = try service(id: id) { $0.attestation.acceptsUnverifiedFormats = false }
        #expect(
            refusal { _ = try strict.verify(response, for: ceremony) }
                == (recording.isVerified ? "accepted" : refused(.attestationFormatNotAllowed, .registration(21)))
        )
        // The same answer to another challenge, and with another byte signed.
        var other = response
        other.clientDataJSON = response.clientDataJSON.replacing(
            Array("webauthn.create".utf8),
            with: Array("webauthn.get".utf8)
        )
        #expect(refusal { _ = try strict.verify(other, for: ceremony) } == refused(.typeMismatch, .registration(7)))
        if recording.isVerified, recording.format == "packed" {
            other = response
            let signature = try #require(response.attestationObject.index(of: Array("csig".utf8)))
            other.attestationObject = response.attestationObject.flipped(at: signature + 40)
            #expect(
                refusal { _ = try strict.verify(other, for: ceremony) }
                    == refused(.attestationInvalid, .registration(22))
            )
        }
    }

    @Test func `a credential that signs with SHA-1 is refused, although its TPM offered it`() throws {
        let ceremony = try begun(try json("attestationTPMSHA1Options"), id: "localhost", .registration)
        #expect(ceremony.algorithms.contains(.rs1))
        let response = try RegistrationResponse(json: try json("attestationTPMSHA1Response").serialized)
        let relyingParty = try service(id: "localhost")
        #expect(
            refusal { _ = try relyingParty.verify(response, for: ceremony) }
                == refused(.algorithmNotSupported, .registration(20))
        )
    }

    @Test func `a sign-in with a recorded credential is verified`() throws {
        let relyingParty = try service(id: "localhost")
        let created = try RegistrationResponse(json: try json("attestationNoneResponse").serialized)
        let registration = try begun(try json("attestationNoneOptions"), id: "localhost", .registration)
        let record = try relyingParty.verify(created, for: registration).credential

        // The recording wrote its signature in hexadecimal digits.
        let recorded = try json("assertionNoneResponse")
        let digits = try #require(recorded["response"]?["signature"]?.stringValue)
        var asserted = try AuthenticationResponse(json: recorded.serialized)
        #expect(asserted.userHandle == nil)
        let ceremony = try begun(try json("assertionNoneOptions"), id: "localhost", .authentication)
        #expect(
            refusal { _ = try relyingParty.verify(asserted, for: ceremony, record: record) }
                == refused(.signatureInvalid, .authentication(21))
        )
        asserted.signature = hex(digits)
        let verified = try relyingParty.verify(asserted, for: ceremony, record: record)
        #expect(verified.credential.signCount == 0x34 && !verified.userVerified && verified.signals.isEmpty)
    }
}
