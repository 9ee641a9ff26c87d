internal import Testing
internal import WardAttestation
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
}
