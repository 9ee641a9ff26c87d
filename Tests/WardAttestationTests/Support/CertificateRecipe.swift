internal import WardAttestation

/// A certificate to be made, with everything in it open to be spoiled.
struct CertificateRecipe: Sendable {
    /// An attribute of a name: its identifier, and its value in DER.
    typealias Attribute = (identifier: OID, value: [UInt8])

    /// An extension; what is written is the parts as they are.
    struct Extension: Sendable {
        var identifier: OID
        /// The BOOLEAN in DER, or nothing.
        var critical: [UInt8] = []
        var value: [UInt8]
    }

    /// 1, 2 or 3; 1 is not written.
    var version: [UInt8] = DER.explicit(0, DER.integer(2))
    var serialNumber = DER.integer(4711)
    var issuer: [UInt8] = Name.authority
    var notBefore = DER.utcTime("240101000000Z")
    var notAfter = DER.generalizedTime("99991231235959Z")
    var subject: [UInt8] = Name.packed
    var extensions: [Extension] = [.basicConstraints(DER.sequence())]
    /// The algorithm that stands inside, where it is not the one that stands outside.
    var innerAlgorithm: [UInt8]?
    var outerAlgorithm: [UInt8]?
    var unusedSignatureBits: UInt8 = 0
    /// What follows inside the signed part, before it is closed.
    var appendix: [UInt8] = []

    static let now: Int64 = 1_800_000_000

    /// Makes the certificate of a key.
    func make(
        for keyInfo: [UInt8],
        by signer: Signer,
        _ algorithm: Signer.Algorithm? = nil,
        spoiling spoil: (inout [UInt8]) -> Void = { _ in }
    ) throws -> [UInt8] {
        let algorithm = algorithm ?? signer.usualAlgorithm
        let outer = outerAlgorithm ?? algorithm.identifier
        let list = extensions.map {
            DER.sequence(DER.oid($0.identifier), $0.critical, DER.octets($0.value))
        }
        let signed = DER.sequence(
            version,
            serialNumber,
            innerAlgorithm ?? outer,
            issuer,
            DER.sequence(notBefore, notAfter),
            subject,
            keyInfo,
            extensions.isEmpty ? [] : DER.explicit(3, DER.sequence(of: list)),
            appendix
        )
        var signature = try signer.sign(signed, algorithm)
        spoil(&signature)
        return DER.sequence(signed, outer, DER.bits(signature, unused: unusedSignatureBits))
    }
}

extension CertificateRecipe.Extension {
    static func basicConstraints(_ value: [UInt8]) -> Self {
        Self(identifier: OID(2, 5, 29, 19), critical: DER.boolean(0xff), value: value)
    }

    static func authority(pathLength: Int? = nil) -> Self {
        .basicConstraints(DER.sequence(DER.boolean(0xff), pathLength.map { DER.integer($0) } ?? []))
    }

    /// RFC 5280, section 4.2.1.3: bit 0 is the highest of the first byte.
    static func keyUsage(_ byte: UInt8) -> Self {
        Self(identifier: OID(2, 5, 29, 15), critical: DER.boolean(0xff), value: DER.bits([byte]))
    }

    static func aaguid(_ bytes: [UInt8]) -> Self {
        Self(identifier: OID(1, 3, 6, 1, 4, 1, 45724, 1, 1, 4), value: DER.octets(bytes))
    }

    static func extendedKeyUsage(_ identifiers: OID...) -> Self {
        Self(identifier: OID(2, 5, 29, 37), value: DER.sequence(of: identifiers.map(DER.oid)))
    }

    static func alternativeName(_ value: [UInt8]) -> Self {
        Self(identifier: OID(2, 5, 29, 17), critical: DER.boolean(0xff), value: value)
    }
}

/// Names in DER.
enum Name {
    static let authority = make([(OID(2, 5, 4, 10), DER.utf8("Ward")), (OID(2, 5, 4, 3), DER.utf8("Authority"))])
    static let intermediate = make([(OID(2, 5, 4, 10), DER.utf8("Ward")), (OID(2, 5, 4, 3), DER.utf8("Between"))])
    static let packed = packed()
    static let empty = DER.sequence()

    /// L3 #sctn-packed-attestation-cert-requirements; what is `nil` is left out.
    static func packed(
        country: String? = "SE",
        organization: String? = "Ward",
        unit: String? = "Authenticator Attestation",
        commonName: String? = "Test"
    ) -> [UInt8] {
        make(
            [
                country.map { (OID(2, 5, 4, 6), DER.printable($0)) },
                organization.map { (OID(2, 5, 4, 10), DER.utf8($0)) },
                unit.map { (OID(2, 5, 4, 11), DER.utf8($0)) },
                commonName.map { (OID(2, 5, 4, 3), DER.utf8($0)) },
            ].compactMap(\.self)
        )
    }

    static func make(_ attributes: [CertificateRecipe.Attribute]) -> [UInt8] {
        DER.sequence(of: attributes.map { DER.set(DER.sequence(DER.oid($0.identifier), $0.value)) })
    }
}
