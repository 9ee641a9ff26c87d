internal import Testing
internal import WardAttestation
internal import WardCBOR
internal import WardRelyingParty
internal import WardWebAuthn

@Suite struct `Attestation requirements` {
    private let model = AAGUID.sample
    private let other = AAGUID.zero

    /// A packed statement; the certificate names the model where that is asked for.
    private func packed(naming: Bool = false) throws -> Published {
        var draft = PackedDraft()
        if naming { draft.recipe.extensions.append(.aaguid(draft.fixture.aaguid)) }
        return try draft.publish()
    }

    private func refusal(_ published: Published, _ requirements: AttestationRequirements) -> VerificationError.Code? {
        do {
            _ = try published.verify(judge: requirements)
            return nil
        } catch {
            return (error as? VerificationError)?.code
        }
    }

    @Test
    func `a chain that is asked for is given by none, by self attestation, and by an unknown format in no case`() throws
    {
        // Bug class 16.
        let requirements = try AttestationFixture.judge
        #expect(refusal(try NoneDraft().publish(), requirements) == .attestationNotTrusted)
        #expect(refusal(try SelfDraft().publish(), requirements) == .attestationNotTrusted)
        let unknown = try AttestationFixture().publish("tomorrow", [:])
        #expect(refusal(unknown, requirements) == .attestationFormatNotAllowed)
        #expect(refusal(try packed(), requirements) == nil)
        #expect(refusal(try packed(), AttestationRequirements(anchors: TrustAnchors.none)) == .attestationNotTrusted)
    }

    @Test
    func `where no chain is asked for, everything that holds is taken and said to be what it is`() throws {
        var requirements = AttestationRequirements(anchors: TrustAnchors.none)
        requirements.requiresTrustedChain = false
        #expect(try NoneDraft().publish().verify(judge: requirements).attestation.trust == .none)
        #expect(try SelfDraft().publish().verify(judge: requirements).attestation.trust == .selfAttestation)
        #expect(try packed().verify(judge: requirements).attestation.trust == .none)
    }

    @Test
    func `formats that are not listed are refused`() throws {
        var requirements = try AttestationFixture.judge
        requirements.formats = ["tpm"]
        #expect(refusal(try packed(), requirements) == .attestationFormatNotAllowed)
        requirements.formats = ["packed"]
        #expect(refusal(try packed(), requirements) == nil)
        requirements.formats = ["Packed"]
        #expect(refusal(try packed(), requirements) == .attestationFormatNotAllowed)
    }

    @Test
    func `a model is believed where the certificate names it`() throws {
        // Bug class 16.
        var requirements = try AttestationFixture.judge
        requirements.allowedAuthenticators = [model]
        #expect(refusal(try packed(naming: true), requirements) == nil)
        // The same authority, and nobody but the authenticator says which model.
        #expect(refusal(try packed(), requirements) == .attestationNotTrusted)
        requirements.allowedAuthenticators = [other]
        #expect(refusal(try packed(naming: true), requirements) == .authenticatorNotAllowed)
    }

    @Test
    func `a model is believed where the anchors are listed for it`() throws {
        let entry = AuthenticatorEntry(anchors: try AttestationFixture.anchors)
        var requirements = AttestationRequirements(anchors: AuthenticatorList(entries: [model: entry]))
        requirements.allowedAuthenticators = [model]
        #expect(refusal(try packed(), requirements) == nil)
        requirements = AttestationRequirements(
            anchors: AuthenticatorList(entries: [:], others: try AttestationFixture.anchors)
        )
        #expect(refusal(try packed(), requirements) == nil)
        requirements.allowedAuthenticators = [model]
        #expect(refusal(try packed(), requirements) == .attestationNotTrusted)
        // Another vendor's authority does not vouch for this model.
        let vendor = Signer.p256()
        let root = try AttestationFixture.rootRecipe.make(for: vendor.publicKeyInfo, by: vendor)
        requirements.anchors = AuthenticatorList(
            entries: [model: AuthenticatorEntry(anchors: try TrustAnchors(der: [root]))],
            others: try AttestationFixture.anchors
        )
        #expect(refusal(try packed(), requirements) == .attestationNotTrusted)
    }

    @Test
    func `an allowed model that nobody vouches for is refused, also where no chain is asked for`() throws {
        var requirements = AttestationRequirements(anchors: TrustAnchors.none)
        requirements.requiresTrustedChain = false
        requirements.allowedAuthenticators = [model]
        #expect(refusal(try SelfDraft().publish(), requirements) == .attestationNotTrusted)
        #expect(refusal(try NoneDraft().publish(), requirements) == .attestationNotTrusted)
        #expect(refusal(try packed(naming: true), requirements) == .attestationNotTrusted)
    }

    @Test
    func `what a security key of before CTAP2 says of its model is not even a claim`() throws {
        var draft = U2FDraft()
        draft.fixture.aaguid = model.bytes
        var requirements = try AttestationFixture.judge
        requirements.allowedAuthenticators = [model]
        #expect(refusal(try draft.publish(), requirements) == .attestationNotTrusted)
        let entry = AuthenticatorEntry(anchors: try AttestationFixture.anchors)
        requirements.anchors = AuthenticatorList(entries: [model: entry, .zero: entry])
        #expect(refusal(try draft.publish(), requirements) == .attestationNotTrusted)
        // Its certificate may say.
        draft.recipe.extensions.append(.aaguid(model.bytes))
        #expect(refusal(try draft.publish(), requirements) == nil)
    }

    @Test
    func `a denied model is refused, trusted or not`() throws {
        var requirements = try AttestationFixture.judge
        requirements.requiresTrustedChain = false
        requirements.deniedAuthenticators = [model]
        #expect(refusal(try packed(naming: true), requirements) == .authenticatorNotAllowed)
        #expect(refusal(try SelfDraft().publish(), requirements) == .authenticatorNotAllowed)
        #expect(refusal(try NoneDraft().publish(), requirements) == .authenticatorNotAllowed)
        // Also where the certificate alone says so.
        var draft = U2FDraft()
        draft.recipe.extensions.append(.aaguid(model.bytes))
        #expect(refusal(try draft.publish(), requirements) == .authenticatorNotAllowed)
    }

    @Test
    func `a level of certification is asked of who keeps track`() throws {
        func requirements(_ status: AuthenticatorStatus?) throws -> AttestationRequirements {
            let entry = AuthenticatorEntry(anchors: try AttestationFixture.anchors, status: status)
            var requirements = AttestationRequirements(anchors: AuthenticatorList(entries: [model: entry]))
            requirements.minimumCertification = .level2
            return requirements
        }
        #expect(refusal(try packed(), try requirements(nil)) == .authenticatorNotAllowed)
        #expect(refusal(try packed(), try requirements(.init())) == .authenticatorNotAllowed)
        #expect(refusal(try packed(), try requirements(.init(certification: .level1Plus))) == .authenticatorNotAllowed)
        #expect(refusal(try packed(), try requirements(.init(certification: .level2))) == nil)
        #expect(refusal(try packed(), try requirements(.init(certification: .level3Plus))) == nil)
        #expect(
            refusal(try SelfDraft().publish(), try requirements(.init(certification: .level3)))
                == .attestationNotTrusted
        )
        var mild = try requirements(.init(certification: .level3))
        mild.requiresTrustedChain = false
        #expect(refusal(try SelfDraft().publish(), mild) == .attestationNotTrusted)
        #expect(CertificationLevel.allCases.sorted() == CertificationLevel.allCases)
    }

    @Test
    func `what is known against a model counts, unless it is said not to`() throws {
        let entry = AuthenticatorEntry(
            anchors: try AttestationFixture.anchors,
            status: .init(certification: .level1, concerns: [.userVerificationBypass, .updateAvailable])
        )
        var requirements = AttestationRequirements(anchors: AuthenticatorList(entries: [model: entry]))
        #expect(refusal(try packed(), requirements) == .authenticatorNotAllowed)
        requirements.refusedConcerns = [.revoked]
        #expect(refusal(try packed(), requirements) == nil)
    }

    @Test
    func `models without AAGUID are looked up by the identifiers of their keys`() throws {
        struct Source: AttestationAnchorSource {
            let identifier: [UInt8]
            let anchors: TrustAnchors
            func entry(for authenticator: AuthenticatorIdentity) -> AuthenticatorEntry? {
                authenticator.aaguid == .zero && authenticator.keyIdentifiers.contains(identifier)
                    ? AuthenticatorEntry(anchors: anchors) : nil
            }
        }
        let published = try U2FDraft().publish()
        let leaf = try #require(try published.certificates.first)
        let known = Source(identifier: leaf.keyIdentifier, anchors: try AttestationFixture.anchors)
        #expect(refusal(published, AttestationRequirements(anchors: known)) == nil)
        let unknown = Source(identifier: [1], anchors: try AttestationFixture.anchors)
        #expect(refusal(published, AttestationRequirements(anchors: unknown)) == .attestationNotTrusted)
    }

    @Test
    func `a certificate that names the very device is for enterprises`() throws {
        // L3 #sctn-enterprise-packed-attestation-cert-requirements.
        var draft = PackedDraft()
        draft.recipe.extensions.append(
            .init(identifier: OID(1, 3, 6, 1, 4, 1, 45724, 1, 1, 2), value: DER.octets([1, 2, 3]))
        )
        var requirements = try AttestationFixture.judge
        #expect(refusal(try draft.publish(), requirements) == .authenticatorNotAllowed)
        requirements.acceptsDeviceSerialNumbers = true
        #expect(refusal(try draft.publish(), requirements) == nil)
    }

    @Test
    func `a statement of an unknown format is carried along where the policy says so`() throws {
        let published = try AttestationFixture().publish("tomorrow", ["x": 1])
        let error = #expect(throws: VerificationError.self) { try published.verify() }
        #expect(error?.code == .attestationFormatNotAllowed)
        #expect(error?.step == .registration(21))
    }
}

extension AAGUID {
    /// The model that drafts claim to be.
    fileprivate static var sample: AAGUID { AAGUID([UInt8](1...16)) ?? .zero }
}
