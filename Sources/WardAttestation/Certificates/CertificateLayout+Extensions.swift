/// The extensions that Ward knows, by object identifier.
enum KnownExtension {
    static let subjectKeyIdentifier = OID(2, 5, 29, 14)
    static let keyUsage = OID(2, 5, 29, 15)
    static let subjectAlternativeName = OID(2, 5, 29, 17)
    static let issuerAlternativeName = OID(2, 5, 29, 18)
    static let basicConstraints = OID(2, 5, 29, 19)
    static let certificatePolicies = OID(2, 5, 29, 32)
    static let authorityKeyIdentifier = OID(2, 5, 29, 35)
    static let extendedKeyUsage = OID(2, 5, 29, 37)
    /// `id-fido-gen-ce-sernum`: L3 #sctn-enterprise-packed-attestation-cert-requirements.
    static let fidoSerialNumber = OID(1, 3, 6, 1, 4, 1, 45724, 1, 1, 2)
    /// `id-fido-gen-ce-aaguid`: L3 #sctn-packed-attestation-cert-requirements.
    static let fidoAAGUID = OID(1, 3, 6, 1, 4, 1, 45724, 1, 1, 4)
    /// The version of the authenticator's firmware.
    ///
    /// It is defined in the same section.
    static let fidoFirmwareVersion = OID(1, 3, 6, 1, 4, 1, 45724, 1, 1, 5)
    /// `id-fido-u2f-ce-transports`: FIDO U2F Authenticator Transports Extension, section 3.
    static let fidoTransports = OID(1, 3, 6, 1, 4, 1, 45724, 2, 1, 1)
    /// L3 #sctn-key-attstn-cert-requirements.
    static let androidKeyDescription = OID(1, 3, 6, 1, 4, 1, 11129, 2, 1, 17)
    /// L3 #sctn-apple-anonymous-attestation.
    static let appleNonce = OID(1, 2, 840, 113635, 100, 8, 2)

    /// The extensions that may be critical: those that are evaluated here, and those that do not restrict anything
    /// checked here.
    ///
    /// Policies and alternative names matter only to verifiers that ask for a certain policy or name. Name constraints
    /// and policy constraints are not in this list, so a certificate in which they are critical is refused.
    static let handled = [
        keyUsage, basicConstraints, subjectAlternativeName, extendedKeyUsage, certificatePolicies, subjectKeyIdentifier,
        authorityKeyIdentifier, issuerAlternativeName, fidoAAGUID, fidoSerialNumber, fidoFirmwareVersion,
        fidoTransports, androidKeyDescription, appleNonce,
    ]
}

extension CertificateLayout {
    /// The limit is higher than the number of extensions in any authenticator's certificate.
    private static var maximumExtensions: Int { 32 }

    /// The position of one extension.
    struct Extension {
        let identifier: Range<Int>
        let isCritical: Bool
        let value: Range<Int>
    }

    /// Reads the list of extensions once.
    ///
    /// It refuses duplicates, and decodes the constraints that every path needs.
    mutating func readExtensions(_ input: Span<UInt8>, with reader: inout DERReader) throws(CertificateError) {
        let start = reader.offset
        var count = 0
        while !reader.isAtEnd {
            let read = try Self.readExtension(input, with: &reader)
            count += 1
            guard count <= Self.maximumExtensions else { throw CertificateError(.tooLarge, "more than 32 extensions") }
            var earlier = DERReader(start..<read.identifier.lowerBound, of: input)
            for _ in 1..<count {
                let other = try Self.readExtension(input, with: &earlier)
                guard !input.isEqual(other.identifier, to: read.identifier) else {
                    throw CertificateError(.duplicateExtension, "\(OID(read.identifier, of: input))")
                }
            }
            if KnownExtension.basicConstraints.isAt(read.identifier, of: input) {
                basicConstraints = try Self.readBasicConstraints(read.value, of: input, &reader.deviations)
            } else if KnownExtension.keyUsage.isAt(read.identifier, of: input) {
                keyUsage = try Self.readKeyUsage(read.value, of: input)
            } else if read.isCritical, unhandledCriticalExtension == nil,
                !KnownExtension.handled.contains(where: { $0.isAt(read.identifier, of: input) })
            {
                unhandledCriticalExtension = read.identifier
            }
        }
        extensions = start..<reader.offset
    }

    /// Finds an extension in a list that was already read.
    func find(_ identifier: OID, in input: Span<UInt8>) -> Extension? {
        var reader = DERReader(extensions, of: input)
        while !reader.isAtEnd, let read = try? Self.readExtension(input, with: &reader) {
            if identifier.isAt(read.identifier, of: input) { return read }
        }
        return nil
    }

    /// `Extension ::= SEQUENCE { extnID, critical DEFAULT FALSE, extnValue OCTET STRING }`.
    static func readExtension(
        _ input: Span<UInt8>,
        with reader: inout DERReader
    ) throws(CertificateError) -> Extension {
        let outer = try reader.enter(.sequence, input)
        let identifier = try reader.readObjectIdentifier(input)
        var isCritical = false
        if try reader.next(input) == .boolean {
            isCritical = try reader.readBoolean(input)
            if !isCritical { reader.deviations.insert(.writtenDefaults) }
        }
        let value = try reader.read(.octetString, input)
        try reader.leave(outer)
        return Extension(identifier: identifier, isCritical: isCritical, value: value)
    }

    /// RFC 5280, section 4.2.1.9.
    private static func readBasicConstraints(
        _ value: Range<Int>,
        of input: Span<UInt8>,
        _ deviations: inout CertificateDeviations
    ) throws(CertificateError) -> BasicConstraints {
        var reader = DERReader(value, of: input)
        let outermost = try reader.enter(.sequence, input)
        var isAuthority = false
        if try reader.next(input) == .boolean {
            isAuthority = try reader.readBoolean(input)
            if !isAuthority { reader.deviations.insert(.writtenDefaults) }
        }
        var pathLength: Int?
        if !reader.isAtEnd {
            let start = reader.offset
            let number = try reader.readInteger(input)
            guard let length = Int(exactly: number), length >= 0 else {
                throw .malformed("a path length of \(number)", at: start)
            }
            pathLength = length
        }
        try reader.leave(outermost)
        guard reader.isAtEnd else { throw .malformed("bytes follow the basic constraints", at: reader.offset) }
        deviations.formUnion(reader.deviations)
        return BasicConstraints(isAuthority: isAuthority, pathLength: pathLength)
    }

    /// RFC 5280, section 4.2.1.3: a bit string whose first bit is the highest.
    private static func readKeyUsage(_ value: Range<Int>, of input: Span<UInt8>) throws(CertificateError) -> KeyUsage {
        var reader = DERReader(value, of: input)
        let bits = try reader.readBits(input)
        guard reader.isAtEnd else { throw .malformed("bytes follow the key usage", at: reader.offset) }
        var usage: UInt16 = 0
        for (place, index) in bits.bytes.prefix(2).enumerated() {
            for bit in 0..<8 where input[index] >> (7 - bit) & 1 == 1 { usage |= 1 << (place * 8 + bit) }
        }
        return KeyUsage(rawValue: usage)
    }
}
