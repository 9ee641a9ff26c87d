internal import Crypto
internal import Testing
internal import WardAttestation
internal import WardCBOR
internal import WardRelyingParty

/// A certificate made for one credential, with the ceremony's nonce in it.
struct AppleDraft: Draft {
    var fixture = AttestationFixture()
    var certified: Signer?
    var recipe = CertificateRecipe()
    var extensionValue: @Sendable ([UInt8]) -> [UInt8]? = { DER.sequence(DER.explicit(1, DER.octets($0))) }
    var members: @Sendable ([UInt8]) -> [(String, CBORValue?)] = { [("x5c", .chain([$0]))] }

    func publish() throws -> Published {
        var recipe = recipe
        if let value = extensionValue(Array(SHA256.hash(data: try fixture.signedBytes))) {
            recipe.extensions.append(.init(identifier: OID(1, 2, 840, 113635, 100, 8, 2), value: value))
        }
        let keyInfo = (certified ?? fixture.credential).publicKeyInfo
        return try fixture.publish("apple", .members(members(recipe.make(for: keyInfo, by: AttestationFixture.root))))
    }

    static let rejections: [Rejection<AppleDraft>] = [
        .init(.appleSyntax, "without x5c", "x5c is missing") { $0.members = { _ in [] } },
        .init(.appleSyntax, "with sig", "does not have") {
            $0.members = { [("sig", .bytes([1])), ("x5c", .chain([$0]))] }
        },
        .init(.appleNonce, "of another ceremony", "another ceremony") {
            $0.extensionValue = { DER.sequence(DER.explicit(1, DER.octets([$0[0] ^ 1] + $0.dropFirst()))) }
        },
        .init(.appleNonce, "cut short", "another ceremony") {
            $0.extensionValue = { DER.sequence(DER.explicit(1, DER.octets($0.dropLast()))) }
        },
        .init(.appleNonce, "absent", "has no nonce") { $0.extensionValue = { _ in nil } },
        .init(.appleNonce, "not wrapped", "has no nonce") { $0.extensionValue = { DER.octets($0) } },
        .init(.appleNonce, "with something behind it", "has no nonce") {
            $0.extensionValue = { DER.sequence(DER.explicit(1, DER.octets($0)), DER.null) }
        },
        .init(.applePublicKey, "of the same kind", "another key") { $0.certified = .p256() },
        .init(.applePublicKey, "of another kind", "another key") { $0.certified = .ed25519() },
    ]
}

@Suite struct `Apple attestation` {
    @Test
    func `a certificate of the authority's is trusted`() throws {
        let registration = try AppleDraft().publish().verify(judge: AttestationFixture.judge)
        #expect(registration.attestation.trust == .chain(to: try AttestationFixture.rootCertificate.get()))
    }

    @Test
    func `the alg that devices of 2020 send means nothing`() throws {
        var draft = AppleDraft()
        draft.members = { [("alg", -7), ("x5c", .chain([$0]))] }
        #expect(throws: Never.self) { try draft.publish().verify(judge: AttestationFixture.judge) }
    }

    @Test(arguments: AppleDraft.rejections)
    func `a broken rule is refused by its check`(_ rejection: Rejection<AppleDraft>) throws {
        try rejection.check()
    }
}
