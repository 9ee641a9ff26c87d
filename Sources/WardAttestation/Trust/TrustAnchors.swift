internal import SwiftASN1

/// Certificates a service trusts for being listed: roots, intermediates, or the very certificates of single authenticators.
///
/// Listing is all there is to it. A root that a response brings along is a claim like any other, and never trusted:
///
/// ```swift
/// let anchors = try TrustAnchors(pem: vendorRoots)
/// let path = try anchors.path(for: certificates, at: now)
/// print(path.anchor.subject)
/// ```
///
/// WebAuthn Level 3, [§7.1](https://www.w3.org/TR/webauthn-3/#sctn-registering-a-new-credential), steps 23 and 24.
public struct TrustAnchors: Sendable {
    /// The certificates, each once, in the order given.
    public let certificates: [AttestationCertificate]

    let anchors: [Anchor]
    private let places: [[UInt8]: [Int]]

    /// An anchor whose key was imported when it was listed; `nil` where that is impossible, so that it can only be a leaf.
    struct Anchor: Sendable {
        let certificate: AttestationCertificate
        let key: CertificateKey?
    }

    /// Trusts nobody.
    public static let none = TrustAnchors([])

    /// Whether nobody is trusted.
    public var isEmpty: Bool { certificates.isEmpty }

    /// Trusts certificates that were read before.
    public init(_ certificates: [AttestationCertificate]) {
        var unique: [AttestationCertificate] = []
        var places: [[UInt8]: [Int]] = [:]
        for certificate in certificates where !unique.contains(certificate) {
            let subject = certificate.encoded.span.copy(certificate.layout.subject)
            places[subject, default: []].append(unique.count)
            unique.append(certificate)
        }
        self.certificates = unique
        self.places = places
        anchors = unique.map { Anchor(certificate: $0, key: try? CertificateKey($0)) }
    }

    /// Trusts certificates in DER.
    ///
    /// - Throws: ``CertificateError`` for the first that cannot be read.
    public init(der: [[UInt8]]) throws(CertificateError) {
        var read: [AttestationCertificate] = []
        for encoded in der { read.append(try AttestationCertificate(encoded)) }
        self.init(read)
    }

    /// Trusts every certificate of a text in PEM; what is no certificate is left out.
    ///
    /// - Throws: ``CertificateError`` when the text is no PEM, holds no certificate, or holds one that cannot be read.
    public init(pem: String) throws(CertificateError) {
        let documents: [PEMDocument]
        do {
            documents = try PEMDocument.parseMultiple(pemString: pem)
        } catch {
            throw CertificateError(.malformed, "the text is no PEM")
        }
        let wanted = documents.filter {
            ["CERTIFICATE", "X509 CERTIFICATE"].contains($0.discriminator)
        }
        guard !wanted.isEmpty else { throw CertificateError(.noCertificate, "the text holds no certificate") }
        try self.init(der: wanted.map(\.derBytes))
    }

    /// Trusts both.
    public func union(_ other: TrustAnchors) -> TrustAnchors {
        isEmpty ? other : other.isEmpty ? self : TrustAnchors(certificates + other.certificates)
    }

    /// Whether this very certificate is listed.
    func contains(_ certificate: AttestationCertificate) -> Bool {
        let subject = certificate.encoded.span.copy(certificate.layout.subject)
        return places[subject]?.contains { certificates[$0] == certificate } ?? false
    }

    /// The anchors that carry the name a certificate gives for its issuer.
    func issuers(of certificate: AttestationCertificate) -> [Anchor] {
        let name = certificate.encoded.span.copy(certificate.layout.issuer)
        if let places = places[name] { return places.map { anchors[$0] } }
        // Written differently, it may be the same name.
        let issuer = certificate.issuer
        return anchors.filter { $0.certificate.subject.matches(issuer) }
    }
}
