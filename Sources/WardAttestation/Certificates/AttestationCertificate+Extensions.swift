public import WardWebAuthn

extension AttestationCertificate {
    /// All extensions in their order.
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

    /// The extension with an identifier.
    public func `extension`(_ identifier: OID) -> CertificateExtension? {
        let input = encoded.span
        guard let found = layout.find(identifier, in: input) else { return nil }
        return CertificateExtension(
            identifier: identifier,
            isCritical: found.isCritical,
            value: input.copy(found.value)
        )
    }

    /// The issuer's identifier of the subject's key.
    public var subjectKeyIdentifier: [UInt8]? { octets(KnownExtension.subjectKeyIdentifier) }

    /// The authenticator's model, if the certificate contains it.
    ///
    /// If the extension is malformed, it is `nil`.
    ///
    /// WebAuthn Level 3, [§8.2.1](https://www.w3.org/TR/webauthn-3/#sctn-packed-attestation-cert-requirements).
    public var aaguid: AAGUID? { octets(KnownExtension.fidoAAGUID).flatMap { AAGUID($0) } }

    /// The firmware version, if the vendor provides it.
    ///
    /// It is defined in the same section.
    public var firmwareVersion: Int64? {
        let input = encoded.span
        guard let found = layout.find(KnownExtension.fidoFirmwareVersion, in: input) else { return nil }
        var reader = DERReader(found.value, of: input)
        guard let version = try? reader.readInteger(input), reader.isAtEnd, version >= 0 else { return nil }
        return version
    }

    /// The device's serial number, only in enterprise attestation: it identifies the individual device.
    ///
    /// WebAuthn Level 3,
    /// [§8.2.2](https://www.w3.org/TR/webauthn-3/#sctn-enterprise-packed-attestation-cert-requirements).
    public var fidoSerialNumber: [UInt8]? { octets(KnownExtension.fidoSerialNumber) }

    /// Further uses of the key: RFC 5280, section 4.2.1.12.
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

    /// Alternative names of the subject: RFC 5280, section 4.2.1.6; other kinds of names are left out.
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
        guard reader.isAtEnd else { throw .malformed("bytes follow the alternative names", at: reader.offset) }
        return (hosts, directory)
    }

    /// The content of an extension whose value is an OCTET STRING.
    func octets(_ identifier: OID) -> [UInt8]? {
        let input = encoded.span
        guard let found = layout.find(identifier, in: input) else { return nil }
        var reader = DERReader(found.value, of: input)
        guard let contents = try? reader.read(.octetString, input), reader.isAtEnd else { return nil }
        return input.copy(contents)
    }
}
