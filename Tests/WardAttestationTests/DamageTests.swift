internal import Testing
internal import WardAttestation
internal import WardCBOR
internal import WardRelyingParty
internal import WardTesting
internal import WardWebAuthn

/// What came out of a verification, as far as a damaged statement must not change it.
private struct Outcome: Equatable {
    let trust: AttestationTrust
    let keyInfo: [UInt8]?
    let subject: DistinguishedName?
    let validity: [Int64]?
    let extensions: [CertificateExtension]?

    var isTrusted: Bool { if case .chain = trust { true } else { false } }

    init(_ published: Published, statement: [UInt8], judge: AttestationRequirements) throws {
        let object = try published.object
        let attested = try AttestationStatement(
            format: object.format,
            statement: statement,
            authenticatorData: object.authenticatorData,
            credential: #require(object.authenticatorData.attestedCredential),
            clientDataHash: Digest.sha256(published.response.clientDataJSON),
            now: published.now
        )
        guard let format = AttestationFormats.all[object.format] else { throw AttestationError("unknown") }
        let evidence = try format.verify(attested)
        trust = try judge.judge(evidence, of: attested, at: published.now)
        let leaf = AttestationFacts(format: object.format, statement: statement).leaf
        keyInfo = leaf?.subjectPublicKeyInfo
        subject = leaf?.subject
        validity = leaf.map { [$0.notBefore, $0.notAfter] }
        extensions = leaf?.extensions
    }
}

/// Bug classes 24 and 39: bytes that nobody vouches for, damaged at every place, must end in an error, or where no
/// signature covers them in the same outcome.
@Suite(.enabled(if: TestVectors.areAvailable, "needs the vectors' folder"))
struct `Damaged statements` {
    static let all: [Published] = {
        let made = [
            try? PackedDraft().publish(), try? TPMDraft().publish(), try? AndroidKeyDraft().publish(),
            try? SafetyNetDraft().publish(), try? CompoundDraft().publish(),
        ].compactMap(\.self)
        let published = SpecificationVectors.all.filter { !["packed-ed448"].contains($0.testDescription) }
        let recorded = Recordings.all.filter { $0.testDescription != "tpm SHA-1" }
        return (made + published + recorded).filter { (try? $0.object.format) != "none" }
    }()

    private func judge(_ published: Published) throws -> AttestationRequirements {
        // The roots of recordings were not recorded with them: the last certificate stands for them.
        let isRecorded = Recordings.all.contains { $0.response == published.response }
        let own = TrustAnchors(isRecorded ? try published.certificates.suffix(1) : [])
        var judge = AttestationRequirements(
            anchors: try SpecificationVectors.root.union(AttestationFixture.anchors).union(own)
        )
        judge.requiresTrustedChain = false
        return judge
    }

    @Test(arguments: all)
    func `every byte flipped is an error, or changes nothing`(_ published: Published) throws {
        let statement = try published.object.statement
        let judge = try judge(published)
        let expected = try Outcome(published, statement: statement, judge: judge)
        for index in statement.indices {
            var damaged = statement
            damaged[index] ^= 1 << UInt8(index % 8)
            guard let outcome = try? Outcome(published, statement: damaged, judge: judge) else { continue }
            // What is accepted is as trusted as before and says the same, or it is less trusted than before.
            if outcome.trust == expected.trust {
                #expect(outcome == expected, "byte \(index)")
            } else {
                #expect(expected.isTrusted && !outcome.isTrusted, "byte \(index)")
            }
        }
    }

    @Test(arguments: all)
    func `every length is an error but the whole`(_ published: Published) throws {
        let statement = try published.object.statement
        let judge = try judge(published)
        for length in statement.indices {
            let outcome = try? Outcome(published, statement: Array(statement.prefix(length)), judge: judge)
            #expect(outcome == nil, "\(length) bytes")
        }
        #expect((try? Outcome(published, statement: statement + [0], judge: judge)) == nil)
    }

    @Test(arguments: all)
    func `every member cut at every length is an error`(_ published: Published) throws {
        let statement = try CBORValue.decode(published.object.statement, rules: .webAuthn)
        let judge = try judge(published)
        func cut(_ value: CBORValue, _ put: (CBORValue) -> CBORValue) throws {
            switch value {
            case .bytes(let bytes):
                for length in bytes.indices {
                    let damaged = put(.bytes(Array(bytes.prefix(length)))).encoded()
                    #expect((try? Outcome(published, statement: damaged, judge: judge)) == nil, "\(length) bytes")
                }
            case .map(let pairs):
                for (index, pair) in pairs.enumerated() where pair.key != "attStmt" {
                    try cut(pair.value) { cut in
                        var pairs = pairs
                        pairs[index].value = cut
                        return put(.map(pairs))
                    }
                }
            // Certificates behind the first may be ones that nobody needs.
            case .array(let elements):
                guard let first = elements.first else { return }
                try cut(first) { put(.array([$0] + elements.dropFirst())) }
            default: break
            }
        }
        try cut(statement) { $0 }
    }
}
