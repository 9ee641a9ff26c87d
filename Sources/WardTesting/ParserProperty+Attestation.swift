internal import WardAttestation
internal import WardRelyingParty
internal import WardWebAuthn

extension ParserProperty {
    func checkCertificate(_ input: [UInt8]) throws(Violation) {
        guard let certificate = try? AttestationCertificate(input) else { return }
        try require(certificate.encoded == input, "the bytes were not kept")
        _ = (certificate.subject.description, certificate.issuer.description, certificate.extensions.count)
        _ = (
            certificate.aaguid, certificate.alternativeNames, certificate.extendedKeyUsage, certificate.firmwareVersion
        )
        // A certificate alone never leads to an anchor, no matter what it contains.
        try require((try? TrustAnchors.none.path(for: [input], at: 0)) == nil, "it is trusted without an anchor")
    }

    func checkTPM(_ input: [UInt8]) {
        _ = try? TPMCertInfo(input)
        _ = try? TPMPublicArea(input)
    }

    func checkSignedText(_ input: [UInt8]) throws(Violation) {
        let blob = try? MetadataBLOB(verifying: input, anchors: .fidoMetadata, at: 1_700_000_000)
        try require(blob == nil, "a list that FIDO did not sign is taken")
    }

    /// The first byte chooses the format; the rest is the statement.
    func checkStatement(_ input: [UInt8]) {
        let formats = AttestationFormats.all
        guard let first = input.first, let sample = Self.sample else { return }
        let identifier = formats.identifiers[Int(first) % formats.identifiers.count]
        let statement = Array(input.dropFirst())
        let object = AttestationObject.assemble(
            format: identifier,
            statement: statement,
            authenticatorData: sample.authenticatorData.bytes
        )
        _ = AttestationFacts(format: identifier, statement: statement)
        guard let read = try? AttestationObject(object), let credential = read.authenticatorData.attestedCredential
        else {
            return
        }
        _ = try? formats[identifier]?.verify(
            AttestationStatement(
                format: identifier,
                statement: read.statement,
                authenticatorData: read.authenticatorData,
                credential: credential,
                clientDataHash: [UInt8](repeating: 0, count: 32),
                now: 1_700_000_000
            )
        )
    }

    /// A registration whose statement is replaced in tests.
    private static let sample: AttestationObject? = {
        let world = TestEffects()
        guard
            let relyingParty = try? RelyingParty(
                id: "example.com",
                name: "Example",
                origins: ["https://example.com"],
                effects: world.effects
            )
        else { return nil }
        var authenticator = VirtualAuthenticator(origin: "https://example.com", effects: world.effects)
        let user = PublicKeyCredentialUserEntity(id: .random(world.effects), name: "anna", displayName: "Anna")
        let response = try? authenticator.create(relyingParty.registrationOptions(for: user).options)
        return response.flatMap { try? AttestationObject($0.attestationObject) }
    }()
}
