internal import Testing
internal import WardAttestation
import WardText

/// Three certificates in a row, each open to be spoiled, and who is trusted.
struct Chain: Sendable {
    var root = AttestationFixture.rootRecipe
    var between: CertificateRecipe
    var leaf = CertificateRecipe()
    var rootSigner = Signer.p256()
    var betweenSigner = Signer.p256()
    var leafSigner = Signer.p256()
    var rootAlgorithm: Signer.Algorithm?
    /// Who signs the leaf, where it is not the one between.
    var leafIssuer: Signer?
    /// What is sent, of root, between and leaf.
    var sent: @Sendable (_ root: [UInt8], _ between: [UInt8], _ leaf: [UInt8]) throws -> [[UInt8]] = { [$2, $1] }
    /// Who is trusted, of the same.
    var trusted: @Sendable (_ root: [UInt8], _ between: [UInt8], _ leaf: [UInt8]) throws -> [[UInt8]] = { root, _, _ in
        [root]
    }
    var now = CertificateRecipe.now

    init() {
        between = CertificateRecipe()
        between.subject = Name.intermediate
        between.extensions = [.authority(pathLength: 0), .keyUsage(0x06)]
        leaf.issuer = Name.intermediate
    }

    /// What is sent, and who is trusted.
    func certificates() throws -> (sent: [[UInt8]], trusted: [[UInt8]]) {
        let root = try root.make(for: rootSigner.publicKeyInfo, by: rootSigner)
        let between = try between.make(for: betweenSigner.publicKeyInfo, by: rootSigner, rootAlgorithm)
        let leaf = try leaf.make(for: leafSigner.publicKeyInfo, by: leafIssuer ?? betweenSigner)
        return (try sent(root, between, leaf), try trusted(root, between, leaf))
    }

    func path() throws -> CertificatePath {
        let certificates = try certificates()
        return try TrustAnchors(der: certificates.trusted).path(for: certificates.sent, at: now)
    }
}

private struct BrokenChain: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let code: CertificatePathError.Code
    let index: Int?
    let spoil: @Sendable (inout Chain) throws -> Void

    init(
        _ description: String,
        _ code: CertificatePathError.Code,
        at index: Int?,
        _ spoil: @escaping @Sendable (inout Chain) throws -> Void
    ) {
        testDescription = description
        self.code = code
        self.index = index
        self.spoil = spoil
    }

    static let all: [BrokenChain] = [
        .init("nobody is trusted", .noAnchor, at: 1) { $0.trusted = { _, _, _ in [] } },
        .init("nothing is sent", .malformedCertificate, at: nil) { $0.sent = { _, _, _ in [] } },
        .init("something else is sent", .malformedCertificate, at: 1) { $0.sent = { [$2, [1, 2, 3]] } },
        .init("nine are sent", .tooLong, at: nil) {
            $0.sent = { [[UInt8]](repeating: $1, count: 8) + [$2] }
        },
        .init("the one between is missing", .noAnchor, at: 0) { $0.sent = { [$2] } },
        .init("they are in the wrong order", .issuerMismatch, at: 0) {
            $0.sent = { [$1, $2] }
            $0.trusted = { _, _, _ in [] }
        },
        .init("another root of the same name is trusted", .noAnchor, at: 1) {
            $0.trusted = { _, _, _ in
                let other = Signer.p256()
                return [try AttestationFixture.rootRecipe.make(for: other.publicKeyInfo, by: other)]
            }
        },
        // Bug class 15.
        .init("it brings its own root", .carriesOwnRoot, at: 2) {
            $0.sent = { [$2, $1, $0] }
            $0.trusted = { _, _, _ in [try AttestationFixture.rootCertificate.get()] }
        },
        .init("it brings its own root, which signed the leaf itself", .carriesOwnRoot, at: 1) {
            $0.leafIssuer = $0.rootSigner
            $0.leaf.issuer = Name.authority
            $0.sent = { [$2, $0] }
            $0.trusted = { _, _, _ in [try AttestationFixture.rootCertificate.get()] }
        },
        .init("it is nothing but a root", .noAnchor, at: 0) {
            $0.sent = { root, _, _ in [root] }
            $0.trusted = { _, _, _ in [] }
        },
        .init("the leaf is signed by somebody else", .signatureInvalid, at: 0) { $0.leafIssuer = .p256() },
        .init("the leaf names another issuer", .issuerMismatch, at: 0) { $0.leaf.issuer = Name.packed },
        .init("the leaf is not valid yet", .notYetValid, at: 0) { $0.leaf.notBefore = DER.utcTime("400101000000Z") },
        .init("the leaf is expired", .expired, at: 0) { $0.leaf.notAfter = DER.utcTime("250101000000Z") },
        .init("the one between is not valid yet", .notYetValid, at: 1) {
            $0.between.notBefore = DER.utcTime("400101000000Z")
        },
        .init("the one between is expired", .expired, at: 1) { $0.between.notAfter = DER.utcTime("250101000000Z") },
        .init("the root is expired", .expired, at: 2) { $0.root.notAfter = DER.utcTime("250101000000Z") },
        .init("it is a second too late", .expired, at: 0) {
            $0.leaf.notAfter = DER.utcTime("250101000000Z")
            $0.now = 1_735_689_601
        },
        .init("the one between is not an authority", .notAnAuthority, at: 1) {
            $0.between.extensions = [.basicConstraints(DER.sequence())]
        },
        .init("the one between does not say that it is an authority", .notAnAuthority, at: 1) {
            $0.between.extensions = [.keyUsage(0x06)]
        },
        .init("the one between may not sign certificates", .keyUsage, at: 1) {
            $0.between.extensions = [.authority(), .keyUsage(0x80)]
        },
        .init("the root says that it is not an authority", .notAnAuthority, at: 2) {
            $0.root.extensions = [.basicConstraints(DER.sequence())]
        },
        .init("the root may not sign certificates", .keyUsage, at: 2) {
            $0.root.extensions = [.authority(), .keyUsage(0x80)]
        },
        .init("the root allows no authority below", .pathLengthExceeded, at: 2) {
            $0.root.extensions = [.authority(pathLength: 0)]
        },
        .init("the leaf has a critical extension nobody knows", .criticalExtension, at: 0) {
            $0.leaf.extensions.append(
                .init(identifier: OID(1, 2, 3), critical: DER.boolean(0xff), value: DER.null)
            )
        },
        .init("the one between constrains names", .criticalExtension, at: 1) {
            $0.between.extensions.append(
                .init(identifier: OID(2, 5, 29, 30), critical: DER.boolean(0xff), value: DER.sequence())
            )
        },
        .init("the one between is signed with SHA-1", .signatureAlgorithmNotSupported, at: 1) {
            $0.rootSigner = try Signer.sharedRSA.get()
            $0.rootAlgorithm = .rsaPKCS1(1)
        },
        .init("the one between is signed with a salt of another length", .signatureAlgorithmNotSupported, at: 1) {
            $0.rootSigner = try Signer.sharedRSA.get()
            $0.rootAlgorithm = .rsaPSS(256)
            $0.between.outerAlgorithm = Signer.Algorithm.rsaPSS(256).pss(256, salt: 20)
        },
        .init("the one between is signed with two hashes", .signatureAlgorithmNotSupported, at: 1) {
            $0.rootSigner = try Signer.sharedRSA.get()
            $0.rootAlgorithm = .rsaPSS(256)
            $0.between.outerAlgorithm = Signer.Algorithm.rsaPSS(256).pss(256, mask: 512, salt: 32)
        },
        .init("the one between has an RSA key of 1024 bits", .malformedCertificate, at: 1) {
            $0.betweenSigner = try Signer.rsa(bits: 1024)
        },
    ]
}

@Suite struct `Certificate paths` {
    @Test
    func `a chain of three leads to its root`() throws {
        let path = try Chain().path()
        #expect(path.certificates.count == 3)
        #expect(path.anchor.subject.commonName == "Authority")
        #expect(path.anchor == path.certificates.last)
    }

    @Test(arguments: BrokenChain.all)
    private func `a broken chain is refused where it breaks`(_ broken: BrokenChain) throws {
        var chain = Chain()
        try broken.spoil(&chain)
        let error = #expect(throws: CertificatePathError.self) { try chain.path() }
        #expect(error?.code == broken.code, "\(error?.description ?? "accepted")")
        #expect(error?.index == broken.index, "\(error?.description ?? "accepted")")
    }

    @Test
    func `an anchor may be a root, an authority between, or the leaf itself`() throws {
        var chain = Chain()
        for place in 0..<3 {
            chain.trusted = { root, between, leaf in
                let certificates = [root, between, leaf]
                return [certificates[place]]
            }
            #expect(try chain.path().certificates.count == 3 - place)
        }
        // A leaf that is listed needs nobody else, and still has to be valid.
        chain.sent = { [$2] }
        #expect(try chain.path().certificates.count == 1)
        chain.now = 4_000_000_000_000
        #expect(throws: CertificatePathError.self) { try chain.path() }
        // An authority that is listed and is sent along is found both ways.
        chain.now = CertificateRecipe.now
        chain.trusted = { _, between, _ in [between] }
        #expect(try chain.path().certificates.count == 2)
    }

    @Test
    func `a root that is listed may be sent along`() throws {
        var chain = Chain()
        chain.sent = { [$2, $1, $0] }
        #expect(try chain.path().certificates.count == 3)
        chain.sent = { root, _, _ in [root] }
        #expect(try chain.path().certificates.count == 1)
    }

    @Test
    func `an old root without basic constraints is taken, since it is listed`() throws {
        var chain = Chain()
        chain.root.version = []
        chain.root.extensions = []
        #expect(throws: Never.self) { try chain.path() }
    }

    @Test
    func `of several roots with one name and key a valid one is found`() throws {
        var chain = Chain()
        let signer = chain.rootSigner
        chain.trusted = { root, _, _ in
            var expired = AttestationFixture.rootRecipe
            expired.notAfter = DER.utcTime("250101000000Z")
            return [try expired.make(for: signer.publicKeyInfo, by: signer), root]
        }
        #expect(throws: Never.self) { try chain.path() }
    }

    @Test
    func `a name in another notation is the same name`() throws {
        var chain = Chain()
        chain.leaf.issuer = Name.make([
            (OID(2, 5, 4, 10), DER.printable("WARD")), (OID(2, 5, 4, 3), DER.printable("between")),
        ])
        chain.between.issuer = Name.make([
            (OID(2, 5, 4, 10), DER.printable("Ward")), (OID(2, 5, 4, 3), DER.printable(" Authority ")),
        ])
        #expect(throws: Never.self) { try chain.path() }
        chain.leaf.issuer = Name.make([
            (OID(2, 5, 4, 3), DER.printable("between")), (OID(2, 5, 4, 10), DER.printable("ward")),
        ])
        #expect(throws: CertificatePathError.self) { try chain.path() }
    }

    @Test
    func `critical extensions that bind nobody here are not an obstacle`() throws {
        var chain = Chain()
        for (identifier, value) in [
            (OID(2, 5, 29, 32), DER.sequence()), (OID(2, 5, 29, 37), DER.sequence(DER.oid(OID(2, 23, 133, 8, 3)))),
            (OID(1, 3, 6, 1, 4, 1, 45724, 1, 1, 4), DER.octets([])), (OID(1, 2, 840, 113635, 100, 8, 2), DER.null),
        ] {
            chain.leaf.extensions.append(.init(identifier: identifier, critical: DER.boolean(0xff), value: value))
        }
        #expect(throws: Never.self) { try chain.path() }
    }

    @Test
    func `time is inclusive on both ends`() throws {
        var chain = Chain()
        chain.leaf.notBefore = DER.utcTime("250101000000Z")
        chain.leaf.notAfter = DER.utcTime("250101000000Z")
        chain.now = 1_735_689_600
        #expect(throws: Never.self) { try chain.path() }
    }

    private static let algorithms: [(String, Signer.Algorithm)] = [
        ("P-256", .ecdsa(256)), ("P-256", .ecdsa(384)), ("P-256", .ecdsa(512)), ("P-384", .ecdsa(256)),
        ("P-384", .ecdsa(384)), ("P-521", .ecdsa(512)), ("RSA", .rsaPKCS1(256)), ("RSA", .rsaPKCS1(384)),
        ("RSA", .rsaPKCS1(512)), ("RSA", .rsaPSS(256)), ("RSA", .rsaPSS(384)), ("RSA", .rsaPSS(512)),
        ("Ed25519", .ed25519), ("ML-DSA-65", .mlDSA65), ("ML-DSA-87", .mlDSA87),
    ]

    @Test(arguments: algorithms)
    func `authorities sign with every algorithm that is believed`(_ key: String, _ algorithm: Signer.Algorithm) throws {
        var chain = Chain()
        chain.rootSigner =
            switch key {
            case "P-256": .p256()
            case "P-384": .p384()
            case "P-521": .p521()
            case "RSA": try Signer.sharedRSA.get()
            case "ML-DSA-65": try .mlDSA65()
            case "ML-DSA-87": try .mlDSA87()
            default: .ed25519()
            }
        chain.rootAlgorithm = algorithm
        #expect(throws: Never.self) { try chain.path() }
        // The same with one bit of the signed part changed.
        chain.sent = { _, between, leaf in
            var spoiled = between
            spoiled[15] ^= 1
            return [leaf, spoiled]
        }
        #expect(throws: CertificatePathError.self) { try chain.path() }
    }

    @Test
    func `text in PEM lists what it holds`() throws {
        let certificate = try AttestationFixture.rootCertificate.get()
        let body = Base64.encode(certificate)
        let lines = stride(from: 0, to: body.count, by: 64).map { String(body.dropFirst($0).prefix(64)) }
        let pem = "-----BEGIN CERTIFICATE-----\n" + lines.joined(separator: "\n") + "\n-----END CERTIFICATE-----\n"
        #expect(try TrustAnchors(pem: pem).certificates.map(\.encoded) == [certificate])
        #expect(try TrustAnchors(pem: "A vendor's roots\n\n" + pem + pem).certificates.count == 1)
        #expect(throws: CertificateError.self) { try TrustAnchors(pem: "") }
        #expect(throws: CertificateError.self) { try TrustAnchors(pem: "no PEM") }
        let other = pem.replacing("CERTIFICATE", with: "PUBLIC KEY")
        let error = #expect(throws: CertificateError.self) { try TrustAnchors(pem: other) }
        #expect(error?.code == .noCertificate)
    }
}
