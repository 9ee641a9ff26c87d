public import WardCOSE

/// A TPM's public area of a key, TPMT_PUBLIC: the key itself and its attributes.
///
/// TPM 2.0 Library, Part 2, section 12.2.4.
public struct TPMPublicArea: Hashable, Sendable {
    /// The bytes as received; their hash is the key's name.
    public let bytes: [UInt8]
    /// The hash algorithm of the key's name.
    public let nameAlgorithm: TPMAlgorithm
    /// The key's attributes, TPMA_OBJECT.
    public let attributes: Attributes
    /// The policy for using the key; empty if there is none.
    public let authorizationPolicy: [UInt8]
    /// The key.
    public let key: Key

    /// The key by kind.
    public enum Key: Hashable, Sendable {
        /// A modulus and an exponent.
        case rsa(modulus: [UInt8], exponent: UInt32)
        /// A curve's number in the registry and a point.
        case ecc(curve: UInt16, x: [UInt8], y: [UInt8])
    }

    /// The attributes of a key: TPM 2.0 Library, Part 2, section 8.3.
    public struct Attributes: OptionSet, Hashable, Sendable, CustomStringConvertible {
        /// The bits.
        public let rawValue: UInt32
        /// Creates attributes from bits; reserved ones are kept.
        public init(rawValue: UInt32) { self.rawValue = rawValue }

        private static let names: [(Int, String)] = [
            (1, "fixedTPM"), (2, "stClear"), (4, "fixedParent"), (5, "sensitiveDataOrigin"), (6, "userWithAuth"),
            (7, "adminWithPolicy"), (10, "noDA"), (11, "encryptedDuplication"), (16, "restricted"), (17, "decrypt"),
            (18, "sign"),
        ]

        /// The standard's names, with commas.
        public var description: String {
            Self.names.filter { rawValue >> $0.0 & 1 == 1 }.map(\.1).joined(separator: ", ")
        }
    }

    /// Reads the structure to its last byte.
    ///
    /// - Throws: ``TPMError`` for other keys than RSA and ECC, and for truncated or surplus bytes.
    public init(_ bytes: [UInt8]) throws(TPMError) {
        self.bytes = bytes
        let input = bytes.span
        var reader = TPMReader()
        let type = TPMAlgorithm(rawValue: try reader.readUInt16(input))
        nameAlgorithm = TPMAlgorithm(rawValue: try reader.readUInt16(input))
        attributes = Attributes(rawValue: try reader.readUInt32(input))
        authorizationPolicy = try reader.readBuffer(input)
        // TPMU_PUBLIC_PARMS, then TPMU_PUBLIC_ID. Both kinds of keys begin with the symmetric algorithm and the scheme.
        switch type {
        case .rsa:
            try Self.skipSymmetric(input, &reader)
            try Self.skipScheme(input, &reader)
            let keyBits = try reader.readUInt16(input)
            let exponent = try reader.readUInt32(input)
            let modulus = try reader.readBuffer(input)
            guard modulus.count == Int(keyBits) / 8 else {
                throw TPMError("a modulus has \(modulus.count) bytes for a key of \(keyBits) bits")
            }
            // Part 2, section 12.2.3.5: "An exponent of zero indicates that the exponent is the default of 2^16 + 1."
            key = .rsa(modulus: modulus, exponent: exponent == 0 ? 65_537 : exponent)
        case .ecc:
            try Self.skipSymmetric(input, &reader)
            try Self.skipScheme(input, &reader)
            let curve = try reader.readUInt16(input)
            try Self.skipScheme(input, &reader)
            key = .ecc(curve: curve, x: try reader.readBuffer(input), y: try reader.readBuffer(input))
        default: throw TPMError("a key of type \(type)")
        }
        try reader.finish(input)
    }

    /// TPMT_SYM_DEF_OBJECT: Part 2, section 11.1.7.
    private static func skipSymmetric(_ input: Span<UInt8>, _ reader: inout TPMReader) throws(TPMError) {
        let algorithm = try reader.readUInt16(input)
        switch algorithm {
        case 0x0010: return
        // Triple DES, AES, SM4, Camellia: a number of bits and a mode.
        case 0x0003, 0x0006, 0x0013, 0x0026:
            _ = try reader.readUInt16(input)
            _ = try reader.readUInt16(input)
        default: throw TPMError("a symmetric algorithm \(TPMAlgorithm(rawValue: algorithm))")
        }
    }

    /// TPMT_RSA_SCHEME, TPMT_ECC_SCHEME, TPMT_KDF_SCHEME: Part 2, sections 11.2.4.2, 11.2.5.6, 11.2.3.3.
    private static func skipScheme(_ input: Span<UInt8>, _ reader: inout TPMReader) throws(TPMError) {
        let scheme = try reader.readUInt16(input)
        switch scheme {
        // None, and RSAES: nothing follows.
        case 0x0010, 0x0015: return
        // ECDAA: a hash and a counter.
        case 0x001a:
            _ = try reader.readUInt16(input)
            _ = try reader.readUInt16(input)
        // RSASSA, RSAPSS, OAEP, ECDSA, ECDH, SM2, ECSCHNORR, ECMQV; MGF1 and the derivation functions: a hash.
        case 0x0014, 0x0016...0x0019, 0x001b...0x001d, 0x0007, 0x0020...0x0022: _ = try reader.readUInt16(input)
        default: throw TPMError("a scheme \(TPMAlgorithm(rawValue: scheme))")
        }
    }

    /// The key's name: the number of the hash algorithm, followed by the hash of the bytes.
    ///
    /// It is `nil` if the hash algorithm is unknown.
    ///
    /// TPM 2.0 Library, Part 1, section 16.
    public var name: [UInt8]? {
        nameAlgorithm.hash(bytes).map { digest in
            [UInt8(truncatingIfNeeded: nameAlgorithm.rawValue >> 8), UInt8(truncatingIfNeeded: nameAlgorithm.rawValue)]
                + digest
        }
    }

    /// Whether this is the credential's public key.
    public func isSame(as credential: COSEKey) -> Bool {
        switch (key, credential.material) {
        case (.rsa(let modulus, let exponent), .rsa(let n, let e)):
            // COSE has no leading zeros in either number.
            return Array(modulus.drop { $0 == 0 }) == n && e.count <= 4
                && e.reduce(0 as UInt32) { $0 << 8 | UInt32($1) } == exponent
        case (.ecc(let curve, let x, let y), .ec2(let other, let otherX, let otherY)):
            // TCG Algorithm Registry, table 4. TPMs may omit leading zeros.
            let expected: [COSEKey.Curve: UInt16] = [.p256: 3, .p384: 4, .p521: 5]
            return expected[other] == curve && Self.isSame(x, otherX) && Self.isSame(y, otherY)
        default: return false
        }
    }

    private static func isSame(_ coordinate: [UInt8], _ other: [UInt8]) -> Bool {
        coordinate.count <= other.count && coordinate.drop { $0 == 0 }.elementsEqual(other.drop { $0 == 0 })
    }
}
