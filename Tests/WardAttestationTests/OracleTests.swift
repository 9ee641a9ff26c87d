internal import Foundation
internal import SwiftASN1
internal import Testing
internal import WardAttestation
@_spi(FixedExpiryValidationTime) internal import X509

/// Another implementation's judgement of the same chains: swift-certificates, with its policy of RFC 5280.
@Suite struct `Paths as others see them` {
    private struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// Why the two may differ, where they do.
        var differs: String?
        let spoil: @Sendable (inout Chain) throws -> Void

        static let all: [Case] = [
            Case(testDescription: "a good chain") { _ in },
            Case(testDescription: "an expired leaf") { $0.leaf.notAfter = DER.utcTime("250101000000Z") },
            Case(testDescription: "an expired authority") { $0.between.notAfter = DER.utcTime("250101000000Z") },
            Case(testDescription: "a leaf by somebody else") { $0.leafIssuer = .p256() },
            Case(testDescription: "a certificate that is no authority") {
                $0.between.extensions = [.basicConstraints(DER.sequence())]
            },
            Case(testDescription: "an authority that does not say so") { $0.between.extensions = [.keyUsage(0x06)] },
            Case(testDescription: "a path length of zero above an authority") {
                $0.root.extensions = [.authority(pathLength: 0)]
            },
            Case(testDescription: "a path length of one above an authority") {
                $0.root.extensions = [.authority(pathLength: 1)]
            },
            Case(testDescription: "an unknown critical extension") {
                $0.leaf.extensions.append(
                    .init(identifier: OID(1, 2, 3), critical: DER.boolean(0xff), value: DER.null)
                )
            },
            Case(testDescription: "an unknown extension that is not critical") {
                $0.leaf.extensions.append(.init(identifier: OID(1, 2, 3), value: DER.null))
            },
            Case(testDescription: "another root of the same name") {
                $0.trusted = { _, _, _ in [try AttestationFixture.rootCertificate.get()] }
            },
            Case(testDescription: "nobody trusted") { $0.trusted = { _, _, _ in [] } },
            Case(testDescription: "P-384 and P-521") {
                $0.rootSigner = .p384()
                $0.betweenSigner = .p521()
            },
            Case(testDescription: "RSA") { $0.rootSigner = try Signer.sharedRSA.get() },
            Case(testDescription: "RSA PSS", differs: "swift-certificates does not do PSS") {
                $0.rootSigner = try Signer.sharedRSA.get()
                $0.rootAlgorithm = .rsaPSS(256)
            },
            Case(testDescription: "Ed25519") { $0.rootSigner = .ed25519() },
            Case(
                testDescription: "SHA-1",
                differs: "swift-certificates still believes SHA-1 where the key is RSA"
            ) {
                $0.rootSigner = try Signer.sharedRSA.get()
                $0.rootAlgorithm = .rsaPKCS1(1)
            },
            Case(
                testDescription: "NULL in ECDSA",
                differs: "a deviation that is tolerated here alone"
            ) {
                $0.leaf.outerAlgorithm = DER.sequence(DER.oid(OID(1, 2, 840, 10045, 4, 3, 2)), DER.null)
            },
            Case(
                testDescription: "a length in three bytes too many",
                differs: "a deviation that is tolerated here alone"
            ) {
                $0.leaf.subject = DER.longElement(0x30, Array(Name.packed.dropFirst(2)))
            },
        ]
    }

    @Test(arguments: Case.all)
    private func `both accept and refuse the same`(_ example: Case) async throws {
        var chain = Chain()
        try example.spoil(&chain)
        let certificates = try chain.certificates()
        let anchors = try TrustAnchors(der: certificates.trusted)
        let isAccepted = (try? anchors.path(for: certificates.sent, at: chain.now)) != nil
        let other = (try? await Self.verify(certificates.sent, certificates.trusted, at: chain.now)) ?? false
        #expect((isAccepted == other) == (example.differs == nil), "we \(isAccepted), they \(other)")
    }

    private static func verify(_ sent: [[UInt8]], _ trusted: [[UInt8]], at now: Int64) async throws -> Bool {
        let certificates = try sent.map { try Certificate(derEncoded: $0) }
        let roots = try trusted.map { try Certificate(derEncoded: $0) }
        var verifier = Verifier(rootCertificates: CertificateStore(roots)) {
            RFC5280Policy(fixedExpiryValidationTime: Date(timeIntervalSince1970: Double(now)))
        }
        let result = await verifier.validate(
            leaf: try #require(certificates.first),
            intermediates: CertificateStore(certificates.dropFirst())
        )
        if case .validCertificate = result { return true }
        return false
    }
}
