extension TrustAnchors {
    /// The limit is higher than the number of certificates that any authenticator sends.
    ///
    /// Each costs at most one signature check.
    private static var maximumCertificates: Int { 8 }

    /// Verifies a chain up to an anchor.
    ///
    /// Every certificate below the anchor is checked for its validity time, its critical extensions, and the signature over the
    /// received bytes. Certificates that sign others must also be authorities (basic constraints, path length, key usage). The
    /// anchor is checked for its validity time. An anchor that signs a certificate must not forbid that in its constraints; an
    /// old anchor without basic constraints is accepted, because it is listed. A root in the chain is trusted only if it is
    /// listed itself.
    ///
    /// RFC 5280, section 6.1, without features that attestation certificates do not use: policies, name constraints
    /// (refused if critical) and revocation lists (the metadata service reports revocations).
    ///
    /// - Parameters:
    ///   - chain: The certificates in DER, the authenticator's first, each signed by the next.
    ///   - now: Seconds since 1970.
    /// - Returns: The path, from the authenticator's certificate to the anchor.
    /// - Throws: ``CertificatePathError`` with the certificate that breaks it.
    public func path(for chain: [[UInt8]], at now: Int64) throws(CertificatePathError) -> CertificatePath {
        try Self.checkLength(chain.count)
        var read: [AttestationCertificate] = []
        for (index, encoded) in chain.enumerated() {
            do {
                read.append(try AttestationCertificate(encoded))
            } catch {
                throw CertificatePathError(.malformedCertificate, at: index, "\(error)")
            }
        }
        return try path(for: read, at: now)
    }

    /// Verifies a chain of parsed certificates, in the same way as ``path(for:at:)-([[UInt8]],_)``.
    ///
    /// - Parameters:
    ///   - chain: The certificates, the authenticator's first, each signed by the next.
    ///   - now: Seconds since 1970.
    /// - Returns: The path, from the authenticator's certificate to the anchor.
    /// - Throws: ``CertificatePathError`` with the certificate that breaks it.
    public func path(
        for chain: [AttestationCertificate],
        at now: Int64
    ) throws(CertificatePathError) -> CertificatePath {
        guard var current = chain.first else {
            throw CertificatePathError(.malformedCertificate, at: nil, "there is no certificate")
        }
        try Self.checkLength(chain.count)
        var path: [AttestationCertificate] = []
        // The number of authorities between the wanted issuer and the authenticator's certificate.
        var authoritiesBelow = 0
        for index in chain.indices {
            try Self.checkTime(current, at: now, index)
            path.append(current)
            if contains(current) { return CertificatePath(certificates: path, anchor: current) }
            if let identifier = current.layout.unhandledCriticalExtension {
                let name = OID(identifier, of: current.encoded.span)
                throw CertificatePathError(.criticalExtension, at: index, "\(name) is critical and unknown")
            }
            if case .unsupported(let identifier) = current.signatureAlgorithm {
                throw CertificatePathError(.signatureAlgorithmNotSupported, at: index, identifier.name)
            }
            if let anchor = try anchor(above: current, index, authoritiesBelow, at: now) {
                return CertificatePath(certificates: path + [anchor], anchor: anchor)
            }
            guard index + 1 < chain.count else {
                throw CertificatePathError(
                    .noAnchor,
                    at: index,
                    "no trust anchor signed the certificate of \(current.issuer)"
                )
            }
            let next = chain[index + 1]
            guard !next.isSelfIssued || contains(next) else {
                throw CertificatePathError(
                    .carriesOwnRoot,
                    at: index + 1,
                    "\(next.subject) is a root that is not among the trust anchors"
                )
            }
            try Self.check(current, index, isSignedBy: next)
            try Self.checkIsAuthority(next, index + 1, authoritiesBelow: authoritiesBelow, isAnchor: contains(next))
            authoritiesBelow += 1
            current = next
        }
        throw CertificatePathError(.noAnchor, at: nil, "the chain ends")
    }

    /// The anchor that signed a certificate, if any.
    private func anchor(
        above certificate: AttestationCertificate,
        _ index: Int,
        _ authoritiesBelow: Int,
        at now: Int64
    ) throws(CertificatePathError) -> AttestationCertificate? {
        var failure: CertificatePathError?
        for anchor in issuers(of: certificate) {
            guard anchor.key?.signed(certificate) == true else { continue }
            do {
                try Self.checkTime(anchor.certificate, at: now, index + 1)
                try Self.checkIsAuthority(
                    anchor.certificate,
                    index + 1,
                    authoritiesBelow: authoritiesBelow,
                    isAnchor: true
                )
                return anchor.certificate
            } catch {
                // Roots are renewed with the same name and key, so another anchor may match.
                failure = error
            }
        }
        if let failure { throw failure }
        return nil
    }

    private static func checkLength(_ count: Int) throws(CertificatePathError) {
        guard count <= maximumCertificates else {
            throw CertificatePathError(.tooLong, at: nil, "\(count) certificates")
        }
    }

    private static func checkTime(
        _ certificate: AttestationCertificate,
        at now: Int64,
        _ index: Int
    ) throws(CertificatePathError) {
        guard certificate.notBefore <= now else {
            throw CertificatePathError(
                .notYetValid,
                at: index,
                "the certificate is valid from \(certificate.notBefore), now is \(now)"
            )
        }
        guard now <= certificate.notAfter else {
            throw CertificatePathError(
                .expired,
                at: index,
                "the certificate was valid until \(certificate.notAfter), now is \(now)"
            )
        }
    }

    private static func check(
        _ certificate: AttestationCertificate,
        _ index: Int,
        isSignedBy issuer: AttestationCertificate
    ) throws(CertificatePathError) {
        let isNamed =
            Span<UInt8>.isEqual(
                certificate.layout.issuer,
                of: certificate.encoded.span,
                to: issuer.layout.subject,
                of: issuer.encoded.span
            ) || certificate.issuer.matches(issuer.subject)
        guard isNamed else {
            throw CertificatePathError(
                .issuerMismatch,
                at: index,
                "issued by \(certificate.issuer), not \(issuer.subject)"
            )
        }
        let key: CertificateKey
        do {
            key = try CertificateKey(issuer)
        } catch {
            throw CertificatePathError(.malformedCertificate, at: index + 1, "\(error)")
        }
        guard key.signed(certificate) else {
            throw CertificatePathError(
                .signatureInvalid,
                at: index,
                "the signature was not made with the key of \(issuer.subject)"
            )
        }
    }

    /// RFC 5280, section 6.1.4, steps k to n.
    private static func checkIsAuthority(
        _ certificate: AttestationCertificate,
        _ index: Int,
        authoritiesBelow: Int,
        isAnchor: Bool
    ) throws(CertificatePathError) {
        let constraints = certificate.layout.basicConstraints
        guard constraints?.isAuthority ?? isAnchor else {
            throw CertificatePathError(.notAnAuthority, at: index, "\(certificate.subject) may not sign certificates")
        }
        if let limit = constraints?.pathLength, limit < authoritiesBelow {
            throw CertificatePathError(
                .pathLengthExceeded,
                at: index,
                "\(authoritiesBelow) authorities below, \(limit) allowed"
            )
        }
        if let usage = certificate.keyUsage, !usage.contains(.keyCertSign) {
            throw CertificatePathError(.keyUsage, at: index, "the key is for \(usage)")
        }
    }
}
