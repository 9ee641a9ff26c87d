internal import Testing
internal import WardAttestation
internal import WardCBOR
internal import WardRelyingParty
internal import WardTesting
internal import WardWebAuthn

@Suite(.enabled(if: TestVectors.areAvailable, "needs the vectors' folder"))
struct `Examples of the specification` {
    @Test
    func `there are fifteen`() {
        #expect(SpecificationVectors.all.count == 15)
    }

    @Test(arguments: SpecificationVectors.all)
    func `every example verifies, those with certificates up to the root`(_ vector: Published) throws {
        let root = try SpecificationVectors.root
        guard vector.testDescription != "packed-ed448" else {
            let error = #expect(throws: VerificationError.self) { try vector.verify() }
            #expect(error?.code == .algorithmNotSupported)
            return
        }
        var requirements = AttestationRequirements(anchors: root)
        requirements.requiresTrustedChain = false
        let registration = try vector.verify(judge: requirements)
        let object = try vector.object
        #expect(registration.attestation.format == object.format)
        switch (object.format, registration.attestation.evidence) {
        case ("none", .none): #expect(registration.attestation.trust == .none)
        case ("packed", .selfAttestation): #expect(registration.attestation.trust == .selfAttestation)
        case (_, .certificates):
            #expect(registration.attestation.trust == .chain(to: root.certificates[0].encoded))
        default: Issue.record("\(object.format) proved \(registration.attestation.evidence)")
        }
    }

    /// Those with certificates.
    static let attested = SpecificationVectors.all.filter {
        !$0.testDescription.hasPrefix("none") && !["packed-ed448", "packed-self-es256"].contains($0.testDescription)
    }

    /// The response with the last byte of one of the statement's byte strings flipped.
    private func flipping(_ vector: Published, _ find: (CBORValue) -> [UInt8]?) throws -> [UInt8]? {
        let object = try vector.object
        guard let part = find(try CBORValue.decode(object.statement, rules: .webAuthn)), let last = part.last else {
            return nil
        }
        var bytes = object.bytes
        let place = try #require(
            bytes.indices.first { bytes[$0...].starts(with: part) }.map { $0 + part.count - 1 }
        )
        bytes[place] = last ^ 1
        return bytes
    }

    @Test(arguments: attested)
    func `a bit of the certificate's signature is missed where trust is judged`(_ vector: Published) throws {
        let object = try flipping(vector) { $0["x5c"]?.arrayValue?.first?.bytesValue }
        let judge = AttestationRequirements(anchors: try SpecificationVectors.root)
        let error = #expect(throws: VerificationError.self) {
            try vector.verify(judge: judge, attestationObject: object)
        }
        #expect(error?.code == .attestationNotTrusted)
        #expect(error?.step == .registration(24))
    }

    @Test(arguments: attested)
    func `a bit of what is signed is missed where the statement is verified`(_ vector: Published) throws {
        // Formats with a signature: a bit of it. Apple's has none: a bit of the counter, which the nonce covers.
        var object = try flipping(vector) { $0["sig"]?.bytesValue }
        if object == nil {
            let data = try vector.object.authenticatorData.bytes
            var bytes = vector.response.attestationObject
            bytes[bytes.count - data.count + 36] ^= 1
            object = bytes
        }
        let error = #expect(throws: VerificationError.self) { try vector.verify(attestationObject: object) }
        #expect(error?.code == .attestationInvalid)
        #expect(error?.step == .registration(22))
    }

    @Test
    func `self attestation with a bit flipped does not hold`() throws {
        let vector = try SpecificationVectors.named("packed-self-es256")
        let object = try flipping(vector) { $0["sig"]?.bytesValue }
        let error = #expect(throws: VerificationError.self) { try vector.verify(attestationObject: object) }
        #expect(error?.code == .attestationInvalid)
    }

    @Test
    func `the example of Android states origin and purpose, in the list that the hardware enforces`() throws {
        let vector = try SpecificationVectors.named("android-key-es256")
        for authority in [AndroidKeyAttestation.Authority.software, .trustedEnvironment] {
            let formats = AttestationFormats.all(androidKey: AndroidKeyAttestation(authority: authority))
            #expect(throws: Never.self) { try vector.verify(formats: formats) }
        }
    }

    @Test
    func `an object of Android that states nothing of its key is refused by default`() throws {
        let object = try SpecificationVectors.supersededAndroidKey
        let vector = try SpecificationVectors.named("android-key-es256")
        let error = #expect(throws: VerificationError.self) { try vector.verify(attestationObject: object) }
        #expect(error?.code == .attestationInvalid)
        #expect(error?.detail.contains("does not say where") == true)
    }
}
