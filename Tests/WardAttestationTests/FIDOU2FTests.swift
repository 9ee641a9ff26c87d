internal import Testing
internal import WardCBOR
internal import WardCOSE
internal import WardRelyingParty

/// The registration of a security key of before CTAP2.
struct U2FDraft: Draft {
    var fixture: AttestationFixture
    var leaf = Signer.p256()
    var recipe = CertificateRecipe()
    var certificates: @Sendable ([[UInt8]]) -> CBORValue? = { .chain($0) }
    var further: [(String, CBORValue?)] = []
    /// The five parts that are signed.
    var parts: @Sendable ([[UInt8]]) -> [[UInt8]] = { $0 }

    init() {
        fixture = AttestationFixture()
        fixture.aaguid = [UInt8](repeating: 0, count: 16)
    }

    func publish() throws -> Published {
        let certificate = try recipe.make(for: leaf.publicKeyInfo, by: AttestationFixture.root)
        let data = try fixture.authenticatorData
        let signed = parts([
            [0], Array(data[..<32]), fixture.clientDataHash, fixture.credentialID, fixture.credential.point,
        ])
        let signature = try leaf.sign(signed.flatMap(\.self), .ecdsa(256))
        return try fixture.publish(
            "fido-u2f",
            .members([("sig", .bytes(signature)), ("x5c", certificates([certificate]))] + further)
        )
    }

    static let rejections: [Rejection<U2FDraft>] = [
        .init(.u2fSyntax, "without x5c", "x5c is missing") { $0.certificates = { _ in nil } },
        .init(.u2fSyntax, "with alg", "does not have") { $0.further = [("alg", -7)] },
        .init(.u2fOneCertificate, "two", "more than one") { $0.certificates = { .chain([$0[0], $0[0]]) } },
        .init(.u2fOneCertificate, "none", "no certificate") { $0.certificates = { _ in [] } },
        .init(.u2fCurve, "P-384", "not P-256") { $0.leaf = .p384() },
        .init(.u2fCurve, "RSA", "not P-256") { $0.leaf = try Signer.sharedRSA.get() },
        .init(.u2fCredentialKey, "Ed25519", "not for ES256") {
            $0.fixture.credential = .ed25519()
            $0.fixture.algorithm = .edDSA
        },
        .init(.u2fCredentialKey, "P-384", "not for ES256") {
            $0.fixture.credential = .p384()
            $0.fixture.algorithm = .es384
        },
        .init(.u2fCredentialKey, "fully specified P-256", "not for ES256") { $0.fixture.algorithm = .esp256 },
        .init(.u2fSignature, "without the leading zero", "sig is not valid") { $0.parts = { Array($0.dropFirst()) } },
        .init(.u2fSignature, "for another RP ID", "sig is not valid") {
            $0.parts = { [$0[0], [UInt8](repeating: 0, count: 32)] + $0[2...] }
        },
        .init(.u2fSignature, "for another challenge", "sig is not valid") {
            $0.parts = { Array($0[..<2]) + [[UInt8](repeating: 0, count: 32)] + $0[3...] }
        },
        .init(.u2fSignature, "for another credential", "sig is not valid") {
            $0.parts = { Array($0[..<3]) + [[1]] + $0[4...] }
        },
        .init(.u2fSignature, "for another key", "sig is not valid") {
            $0.parts = { Array($0[..<4]) + [Signer.p256().point] }
        },
    ]
}

@Suite struct `FIDO U2F attestation` {
    @Test
    func `a certificate of the authority's is trusted`() throws {
        let registration = try U2FDraft().publish().verify(judge: AttestationFixture.judge)
        #expect(registration.attestation.trust == .chain(to: try AttestationFixture.rootCertificate.get()))
    }

    @Test(arguments: U2FDraft.rejections)
    func `a broken rule is refused by its check`(_ rejection: Rejection<U2FDraft>) throws {
        try rejection.check()
    }
}
