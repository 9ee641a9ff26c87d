internal import Testing
internal import WardAttestation
internal import WardCBOR
internal import WardCOSE
internal import WardRelyingParty
internal import WardTesting
internal import WardWebAuthn

@Suite(.enabled(if: TestVectors.areAvailable, "needs the vectors' folder"))
struct `Answers of real authenticators` {
    /// Those whose credential may be taken; the TPM with SHA-1 made an RS1 credential and is looked at below.
    static let all = Recordings.all.filter { $0.testDescription != "tpm SHA-1" }

    @Test
    func `there are thirteen`() {
        #expect(Recordings.all.count == 13)
    }

    /// Whom each of them leads to: the last certificate it carries, taken as an anchor, or Apple's own root.
    private func anchors(_ recording: Published) throws -> TrustAnchors {
        if recording.testDescription == "apple" {
            let bytes = try #require(TestVectors.bytes("roots/apple_webauthn_root_ca.pem"))
            return try TrustAnchors(pem: String(decoding: bytes, as: UTF8.self))
        }
        return TrustAnchors(try recording.certificates.suffix(1))
    }

    @Test(arguments: all)
    func `every answer holds, and leads to its anchor`(_ recording: Published) throws {
        let anchors = try anchors(recording)
        var requirements = AttestationRequirements(anchors: anchors)
        requirements.requiresTrustedChain = false
        let attestation = try recording.verify(judge: requirements).attestation
        switch recording.testDescription {
        case "none", "none with a client of 2018": #expect(attestation.trust == .none)
        case "packed self ES512": #expect(attestation.trust == .selfAttestation)
        default: #expect(attestation.trust == .chain(to: try #require(anchors.certificates.first).encoded))
        }
    }

    @Test(arguments: all.filter { (try? $0.certificates.count) ?? 0 > 0 })
    func `none of them is trusted without its anchor, before its time, or after it`(_ recording: Published) throws {
        let anchors = try anchors(recording)
        let leaf = try #require(try recording.certificates.first)
        for (judge, now) in [
            (AttestationRequirements(anchors: TrustAnchors.none), recording.now),
            (AttestationRequirements(anchors: anchors), leaf.notBefore - 1),
            (AttestationRequirements(anchors: anchors), leaf.notAfter + 1),
        ] {
            let error = #expect(throws: VerificationError.self) { try recording.verify(judge: judge, at: now) }
            #expect(error?.code == .attestationNotTrusted)
            #expect(error?.step == .registration(24))
        }
    }

    @Test
    func `an RS1 credential is refused, though the statement about it holds up to its anchor`() throws {
        let recording = try Recordings.named("tpm SHA-1")
        let error = #expect(throws: VerificationError.self) { try recording.verify() }
        #expect(error?.code == .algorithmNotSupported)

        // The statement, part by part, as section 8.3 has it.
        let object = try CBORValue.decode(recording.response.attestationObject, rules: .webAuthn)
        let statement = try #require(object["attStmt"])
        let data = try #require(object["authData"]?.bytesValue)
        let facts = AttestationFacts(format: "tpm", statement: statement.encoded())
        let info = try #require(facts.tpmCertInfo)
        let area = try #require(facts.tpmPublicArea)
        #expect(facts.algorithm == .rs1)
        let signed = data + Array(Digest.sha256(recording.response.clientDataJSON))
        #expect(throws: Never.self) {
            try TPMAttestation.checkCertInfo(info.bytes, .rs1, signedBytes: signed, about: area)
        }
        #expect(throws: AttestationError.self) {
            try TPMAttestation.checkCertInfo(info.bytes, .rs256, signedBytes: signed, about: area)
        }
        let leaf = try #require(facts.leaf)
        let signature = try #require(statement["sig"]?.bytesValue)
        #expect(
            try VerificationKey.isValidWithSHA1(
                signature: signature,
                for: info.bytes,
                subjectPublicKeyInfo: leaf.subjectPublicKeyInfo
            )
        )
        let chain = try facts.certificates.map { try $0.get() }
        #expect(throws: Never.self) { try TrustAnchors([chain[1]]).path(for: chain, at: recording.now) }
    }

    @Test
    func `a Feitian key sends its own root, which counts for nothing unless it is listed`() throws {
        // Bug class 15.
        let recording = try Recordings.named("packed Feitian")
        let chain = try recording.certificates
        #expect(chain.count == 3)
        #expect(chain[2].isSelfIssued)
        let other = try TrustAnchors([#require(SpecificationVectors.root.certificates.first)])
        let error = #expect(throws: CertificatePathError.self) { try other.path(for: chain, at: recording.now) }
        #expect(error?.code == .carriesOwnRoot)
        // The root, the intermediate, and the key's own certificate do as anchors.
        for anchor in chain {
            #expect(try TrustAnchors([anchor]).path(for: chain, at: recording.now).anchor == anchor)
        }
        var strict = AttestationRequirements(anchors: TrustAnchors([chain[2]]))
        strict.acceptsRootInChain = false
        let refusal = #expect(throws: VerificationError.self) { try recording.verify(judge: strict) }
        #expect(refusal?.code == .attestationNotTrusted)
    }

    @Test
    func `certificates of FIDO's conformance tools are read, with what they do otherwise`() throws {
        // Bug class 42.
        let certificates = try Recordings.named("tpm SHA-256").certificates
        #expect(certificates[1].deviations.contains(.unusualSerialNumber))
        #expect(certificates[1].keyDescription == "RSA-2048")
        #expect(TPMIdentity(certificates[0])?.vendorName == "FIDO conformance tools")
        let feitian = try Recordings.named("packed Feitian").certificates
        #expect(feitian[0].deviations.contains(.unusualTime))
    }

    @Test
    func `a FAKE chain is trusted only where its certificates are listed`() throws {
        let google = try [1, 2, 3, 4].map { number in
            let bytes = try #require(TestVectors.bytes("roots/google_hardware_attestation_root_\(number).pem"))
            return try TrustAnchors(pem: String(decoding: bytes, as: UTF8.self))
        }.reduce(TrustAnchors.none) { $0.union($1) }
        #expect(google.certificates.count == 4)
        let recording = try Recordings.named("android-key")
        let error = #expect(throws: VerificationError.self) {
            try recording.verify(judge: AttestationRequirements(anchors: google))
        }
        #expect(error?.code == .attestationNotTrusted)
    }

    @Test
    func `what an Apple certificate says can be read by people`() throws {
        let leaf = try #require(try Recordings.named("apple").certificates.first)
        #expect(leaf.issuer.description == "CN=Apple WebAuthn CA 1, O=Apple Inc., ST=California")
        #expect(leaf.appleNonce?.count == 32)
        #expect(leaf.isAuthority == false)
        #expect(leaf.signatureAlgorithm == .ecdsa(.sha256))
        #expect(leaf.notBefore == 1_602_063_972)
        #expect(leaf.extensions.map(\.identifier.description) == ["2.5.29.19", "2.5.29.15", "1.2.840.113635.100.8.2"])
        let key = try #require(try Recordings.named("fido-u2f Yubico").certificates.first)
        #expect(key.aaguid != nil)
        #expect(key.keyIdentifier.count == 20)
    }
}
