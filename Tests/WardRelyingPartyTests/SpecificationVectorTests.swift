import Testing
import WardCOSE
import WardRelyingParty
import WardTesting
import WardWebAuthn

/// WebAuthn Level 3, §16. Statements with certificates are verified by the attestation module and its tests; here they are
/// carried as unverified, and everything else about them is checked.
@Suite(.enabled(if: TestVectors.areAvailable, "needs the vectors' folder"))
struct `The specification's examples` {
    /// What this module verifies to the end.
    static let verified = SpecificationVector.all.filter {
        $0.format == "none" || $0.name.hasPrefix("packed-self")
    }
    /// Everything but Ed448, which no library here can do.
    static let supported = SpecificationVector.all.filter { $0.registration.algorithm != .ed448 }
    static let unverified = supported.filter { vector in !verified.contains { $0.name == vector.name } }

    @Test func `there are fifteen, five of them to be verified to the end`() {
        #expect(SpecificationVector.all.count == 15)
        #expect(
            Self.verified.map(\.name) == [
                "none-es256", "packed-self-es256", "none-es256-crossOrigin", "none-es256-topOrigin",
                "none-es256-long-credential-id",
            ]
        )
        #expect(
            Set(SpecificationVector.all.map(\.registration.algorithm))
                == [.es256, .es384, .es512, .rs256, .edDSA, .ed448]
        )
        #expect(Self.supported.count == 14 && Self.unverified.count == 9)
    }

    @Test(arguments: verified)
    func `registrations of none and self-attested packed hold`(vector: SpecificationVector) throws {
        let relyingParty = try vector.relyingParty { $0.attestation.acceptsUnverifiedFormats = false }
        let verified = try relyingParty.verify(vector.registrationResponse, for: vector.registrationCeremony)
        let isSelf = vector.format == "packed"
        #expect(verified.attestation.evidence == (isSelf ? .selfAttestation : .none))
        try expect(verified, of: vector)
    }

    @Test(arguments: unverified)
    func `registrations of other formats are carried as unverified, or refused by policy`(
        vector: SpecificationVector
    ) throws {
        let verified = try vector.relyingParty().verify(vector.registrationResponse, for: vector.registrationCeremony)
        #expect(verified.attestation.evidence == .unverified && verified.attestation.trust == .none)
        try expect(verified, of: vector)
        let strict = try vector.relyingParty { $0.attestation.acceptsUnverifiedFormats = false }
        #expect(
            refusal { _ = try strict.verify(vector.registrationResponse, for: vector.registrationCeremony) }
                == refused(.attestationFormatNotAllowed, .registration(21))
        )
    }

    private func expect(_ verified: VerifiedRegistration, of vector: SpecificationVector) throws {
        let record = verified.credential
        let flags = vector.registration.flags
        #expect(verified.attestation.format == vector.format && record.attestationFormat == vector.format)
        #expect(record.id.bytes == vector.registration.credentialID && record.aaguid == vector.registration.aaguid)
        #expect(record.publicKey == vector.registration.publicKey && record.signCount == 0)
        #expect(record.uvInitialized == flags["UV"] && verified.userVerified == flags["UV"])
        #expect(record.backupEligible == flags["BE"] && record.backedUp == flags["BS"])
        #expect(verified.userPresent && record.rpID == "example.org" && record.userHandle.bytes == [1])
    }

    @Test(arguments: supported)
    func `the sign-in that follows holds, in every algorithm`(vector: SpecificationVector) throws {
        let relyingParty = try vector.relyingParty()
        let record = try relyingParty.verify(vector.registrationResponse, for: vector.registrationCeremony).credential
        let verified = try relyingParty.verify(
            vector.authenticationResponse,
            for: vector.authenticationCeremony,
            record: record
        )
        let flags = try AuthenticatorData(vector.authentication.authenticatorData).flags
        #expect(verified.credential.backedUp == flags.contains(.backupState))
        #expect(verified.origin.description == SpecificationVector.origin)
        // Some examples verify a person only after registration, with a device-bound credential.
        let isDoubtful = flags.contains(.userVerified) && !record.uvInitialized && !record.backupEligible
        #expect(verified.signals == (isDoubtful ? [.userVerificationNotInitialized] : []))
        #expect(verified.userVerified == (flags.contains(.userVerified) && !isDoubtful))
    }

    @Test func `Ed448 is refused by name`() throws {
        let vector = try #require(SpecificationVector.all.first { $0.registration.algorithm == .ed448 })
        let relyingParty = try vector.relyingParty()
        #expect(
            refusal { _ = try relyingParty.verify(vector.registrationResponse, for: vector.registrationCeremony) }
                == refused(.algorithmNotSupported, .registration(20))
        )
        #expect(VerificationError.Code.algorithmNotSupported.name == "algorithm_not_supported")
    }

    @Test(arguments: verified)
    func `as JSON they are read and verified alike`(vector: SpecificationVector) throws {
        let relyingParty = try vector.relyingParty()
        let created = try RegistrationResponse(json: vector.registrationResponse.json)
        let record = try relyingParty.verify(created, for: vector.registrationCeremony).credential
        let asserted = try AuthenticationResponse(json: vector.authenticationResponse.json)
        _ = try relyingParty.verify(asserted, for: vector.authenticationCeremony, record: record)
    }

    @Test(arguments: ["none-es256-crossOrigin", "none-es256-topOrigin"])
    func `framed examples need a policy that expects frames`(name: String) throws {
        let vector = try #require(SpecificationVector.all.first { $0.name == name })
        let plain = try vector.relyingParty { $0.framing = .refused }
        #expect(
            refusal { _ = try plain.verify(vector.registrationResponse, for: vector.registrationCeremony) }
                == refused(.crossOriginNotAllowed, .registration(10))
        )
        let listed = try vector.relyingParty {
            $0.framing = .allowed(in: [try! WebOrigin(SpecificationVector.topOrigin)])
        }
        #expect(
            refusal { _ = try listed.verify(vector.registrationResponse, for: vector.registrationCeremony) }
                == (name.hasSuffix("topOrigin") ? "accepted" : refused(.topOriginNotAllowed, .registration(11)))
        )
        let other = try vector.relyingParty { $0.framing = .allowed(in: [try! WebOrigin("https://other.example")]) }
        #expect(
            refusal { _ = try other.verify(vector.registrationResponse, for: vector.registrationCeremony) }
                == refused(.topOriginNotAllowed, .registration(11))
        )
    }

    // MARK: One bit

    /// One bit of an example changed, and the step that sees it.
    struct Flip: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let step: Int
        let code: VerificationError.Code
        /// Where the byte is, from the bytes that stand before it.
        let after: [UInt8]
        var distance = 0
        var mask: UInt8 = 1
        var isInClientData = false

        func applied(to bytes: [UInt8]) throws -> [UInt8] {
            let start = try #require(bytes.index(of: after))
            return bytes.flipped(at: start + after.count + distance, mask: mask)
        }
    }

    private static let rpIDHash = sha256(Array("example.org".utf8))

    static let registrationFlips = [
        Flip(
            testDescription: "type",
            step: 7,
            code: .typeMismatch,
            after: Array("webauthn.".utf8),
            isInClientData: true
        ),
        Flip(
            testDescription: "challenge",
            step: 8,
            code: .challengeMismatch,
            after: Array("\"challenge\":\"".utf8),
            isInClientData: true
        ),
        Flip(
            testDescription: "origin",
            step: 9,
            code: .originNotAllowed,
            after: Array("\"origin\":\"https://".utf8),
            isInClientData: true
        ),
        Flip(
            testDescription: "a bracket",
            step: 6,
            code: .malformedResponse,
            after: Array("{".utf8),
            isInClientData: true
        ),
        Flip(testDescription: "the map's head", step: 13, code: .malformedResponse, after: [], distance: 0),
        Flip(testDescription: "rpIdHash", step: 14, code: .rpIDMismatch, after: Array(rpIDHash.dropLast())),
        Flip(testDescription: "UP", step: 15, code: .userNotPresent, after: rpIDHash),
    ]

    @Test(arguments: verified, registrationFlips)
    func `a registration with one bit changed is refused by the step that owns it`(
        vector: SpecificationVector,
        flip: Flip
    ) throws {
        var response = vector.registrationResponse
        if flip.isInClientData {
            response.clientDataJSON = try flip.applied(to: response.clientDataJSON)
        } else if flip.after.isEmpty {
            response.attestationObject = response.attestationObject.flipped(at: 0)
        } else {
            response.attestationObject = try flip.applied(to: response.attestationObject)
        }
        let relyingParty = try vector.relyingParty()
        #expect(
            refusal { _ = try relyingParty.verify(response, for: vector.registrationCeremony) }
                == refused(flip.code, .registration(flip.step))
        )
    }

    @Test(arguments: verified)
    func `a bit of the identifier, of the key, and of what is signed is seen`(vector: SpecificationVector) throws {
        let relyingParty = try vector.relyingParty { $0.attestation.acceptsUnverifiedFormats = false }
        let object = vector.registration.attestationObject
        let isSelf = vector.format == "packed"
        func outcome(_ index: Int?) throws -> String {
            var response = vector.registrationResponse
            response.attestationObject = object.flipped(at: try #require(index))
            return refusal { _ = try relyingParty.verify(response, for: vector.registrationCeremony) }
        }
        let signature = refused(.attestationInvalid, .registration(22))
        // Self attestation signs the identifier, so its signature fails before the identifiers are compared.
        #expect(
            try outcome(object.index(of: vector.registration.credentialID))
                == (isSelf ? signature : refused(.credentialIDMismatch, .registration(25)))
        )
        // The key's last byte: a y that is no longer on the curve.
        let key = try #require(object.index(of: vector.registration.publicKey))
        #expect(
            try outcome(key + vector.registration.publicKey.count - 1) == refused(.publicKeyInvalid, .registration(20))
        )
        // The model is signed by self attestation, and by nobody under none.
        #expect(try outcome(object.index(of: vector.registration.aaguid.bytes)) == (isSelf ? signature : "accepted"))
        if isSelf {
            let sig = try #require(object.index(of: Array("csig".utf8)))
            #expect(try outcome(sig + 20) == signature)
        }
    }

    static let authenticationFlips = [
        Flip(
            testDescription: "type",
            step: 10,
            code: .typeMismatch,
            after: Array("webauthn.".utf8),
            isInClientData: true
        ),
        Flip(
            testDescription: "challenge",
            step: 11,
            code: .challengeMismatch,
            after: Array("\"challenge\":\"".utf8),
            isInClientData: true
        ),
        Flip(
            testDescription: "origin",
            step: 12,
            code: .originNotAllowed,
            after: Array("\"origin\":\"https://".utf8),
            isInClientData: true
        ),
        Flip(
            testDescription: "a bracket",
            step: 9,
            code: .malformedResponse,
            after: Array("{".utf8),
            isInClientData: true
        ),
        Flip(testDescription: "rpIdHash", step: 15, code: .rpIDMismatch, after: Array(rpIDHash.dropLast())),
        Flip(testDescription: "UP", step: 16, code: .userNotPresent, after: rpIDHash),
        Flip(testDescription: "a reserved bit", step: 21, code: .signatureInvalid, after: rpIDHash, mask: 0x20),
        Flip(testDescription: "the counter", step: 21, code: .signatureInvalid, after: rpIDHash, distance: 4),
    ]

    @Test(arguments: supported, authenticationFlips)
    func `a sign-in with one bit changed is refused by the step that owns it`(
        vector: SpecificationVector,
        flip: Flip
    ) throws {
        let relyingParty = try vector.relyingParty()
        let record = try relyingParty.verify(vector.registrationResponse, for: vector.registrationCeremony).credential
        var response = vector.authenticationResponse
        if flip.isInClientData {
            response.clientDataJSON = try flip.applied(to: response.clientDataJSON)
        } else {
            response.authenticatorData = try flip.applied(to: response.authenticatorData)
        }
        #expect(
            refusal { _ = try relyingParty.verify(response, for: vector.authenticationCeremony, record: record) }
                == refused(flip.code, .authentication(flip.step))
        )
    }

    @Test(arguments: supported)
    func `a signature with one bit changed does not hold, wherever the bit is`(vector: SpecificationVector) throws {
        let relyingParty = try vector.relyingParty()
        let record = try relyingParty.verify(vector.registrationResponse, for: vector.registrationCeremony).credential
        let signature = vector.authentication.signature
        for index in [0, 1, 4, signature.count / 2, signature.count - 1] {
            var response = vector.authenticationResponse
            response.signature = signature.flipped(at: index)
            #expect(
                refusal { _ = try relyingParty.verify(response, for: vector.authenticationCeremony, record: record) }
                    == refused(.signatureInvalid, .authentication(21))
            )
        }
    }
}

extension SpecificationVector {
    var format: String { registration.format }
}
