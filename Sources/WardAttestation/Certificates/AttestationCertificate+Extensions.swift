public import WardWebAuthn

extension AttestationCertificate {
    /// Every extension, in the order written.
    public var extensions: [CertificateExtension] {
        let input = encoded.span
        var reader = DERReader(layout.extensions, of: input)
        var read: [CertificateExtension] = []
        while !reader.isAtEnd, let one = try? CertificateLayout.readExtension(input, with: &reader) {
            read.append(
                CertificateExtension(
                    identifier: OID(one.identifier, of: input),
                    isCritical: one.isCritical,
                    value: input.copy(one.value)
                )
            )
        }
        return read
    }

    /// The extension of one kind.
    public func `extension`(_ identifier: OID) -> CertificateExtension? {
        let input = encoded.span
        guard let found = layout.find(identifier, in: input) else { return nil }
        return CertificateExtension(
            identifier: identifier,
            isCritical: found.isCritical,
            value: input.copy(found.value)
        )
    }

    /// The name that the issuer gave the subject's key.
    public var subjectKeyIdentifier: [UInt8]? { octets(KnownExtension.subjectKeyIdentifier) }

    /// The authenticator's model, where the vendor had it signed; `nil` also when the extension is there and broken.
    ///
    /// WebAuthn Level 3, [§8.2.1](https://www.w3.org/TR/webauthn-3/#sctn-packed-attestation-cert-requirements).
    public var aaguid: AAGUID? { octets(KnownExtension.fidoAAGUID).flatMap { AAGUID($0) } }

    /// The firmware's number, where the vendor counts it; the same section.
    public var firmwareVersion: Int64? {
        let input = encoded.span
        guard let found = layout.find(KnownExtension.fidoFirmwareVersion, in: input) else { return nil }
        var reader = DERReader(found.value, of: input)
        guard let version = try? reader.readInteger(input), reader.isAtEnd, version >= 0 else { return nil }
        return version
    }

    /// The device's own number, in enterprise attestation only: it identifies the very device.
    ///
    /// WebAuthn Level 3,
    /// [§8.2.2](https://www.w3.org/TR/webauthn-3/#sctn-enterprise-packed-attestation-cert-requirements).
    public var fidoSerialNumber: [UInt8]? { octets(KnownExtension.fidoSerialNumber) }

    /// What else the key may be used for: RFC 5280, section 4.2.1.12.
    public var extendedKeyUsage: [OID] {
        let input = encoded.span
        guard let found = layout.find(KnownExtension.extendedKeyUsage, in: input) else { return [] }
        var reader = DERReader(found.value, of: input)
        var usages: [OID] = []
        guard let outer = try? reader.enter(.sequence, input) else { return [] }
        while !reader.isAtEnd {
            guard let usage = try? reader.readObjectIdentifier(input) else { return [] }
            usages.append(OID(usage, of: input))
        }
        return (try? reader.leave(outer)) != nil && reader.isAtEnd ? usages : []
    }

    /// The names under which the subject is known besides: RFC 5280, section 4.2.1.6; other kinds of name are left out.
    public var alternativeNames: (hosts: [String], directory: [DistinguishedName]) {
        let input = encoded.span
        guard let found = layout.find(KnownExtension.subjectAlternativeName, in: input) else { return ([], []) }
        return (try? Self.readNames(found.value, of: input)) ?? ([], [])
    }

    private static func readNames(
        _ value: Range<Int>,
        of input: Span<UInt8>
    ) throws(CertificateError) -> (hosts: [String], directory: [DistinguishedName]) {
        var reader = DERReader(value, of: input)
        var hosts: [String] = []
        var directory: [DistinguishedName] = []
        let outer = try reader.enter(.sequence, input)
        while !reader.isAtEnd {
            switch try reader.next(input) {
            case .implicit(2):
                hosts.append(String(decoding: input.copy(try reader.read(input).contents), as: UTF8.self))
            case .explicit(4):
                let outer = try reader.enter(.explicit(4), input)
                directory.append(DistinguishedName(attributes: try DistinguishedName.read(input, with: &reader)))
                try reader.leave(outer)
            default: _ = try reader.read(input)
            }
        }
        try reader.leave(outer)
        guard reader.isAtEnd else { throw .malformed("something follows the names", at: reader.offset) }
        return (hosts, directory)
    }

    /// The value of an extension that is an OCTET STRING inside the one every extension is.
    func octets(_ identifier: OID) -> [UInt8]? {
        let input = encoded.span
        guard let found = layout.find(identifier, in: input) else { return nil }
        var reader = DERReader(found.value, of: input)
        guard let contents = try? reader.read(.octetString, input), reader.isAtEnd else { return nil }
        return input.copy(contents)
    }
}
