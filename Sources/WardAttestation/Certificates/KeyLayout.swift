internal import WardCOSE

/// The position of a subject's public key in a certificate, by kind.
enum KeyLayout: Sendable {
    /// A point of a named curve in uncompressed form.
    case ec(COSEKey.Curve, point: Range<Int>)
    /// Modulus and exponent without leading zeros.
    case rsa(n: Range<Int>, e: Range<Int>)
    case ed25519(Range<Int>)
    case mlDSA65(Range<Int>)
    case mlDSA87(Range<Int>)
    /// Any other key, including explicit curve parameters and compressed points.
    case unsupported(Range<Int>)

    private static let ecPublicKey = OID(1, 2, 840, 10045, 2, 1)
    private static let rsaEncryption = OID(1, 2, 840, 113549, 1, 1, 1)
    private static let rsaPSS = OID(1, 2, 840, 113549, 1, 1, 10)
    private static let ed25519 = OID(1, 3, 101, 112)
    private static let mlDSA65 = OID(2, 16, 840, 1, 101, 3, 4, 3, 18)
    private static let mlDSA87 = OID(2, 16, 840, 1, 101, 3, 4, 3, 19)
    private static let curves: [(OID, COSEKey.Curve)] = [
        (OID(1, 2, 840, 10045, 3, 1, 7), .p256), (OID(1, 3, 132, 0, 34), .p384), (OID(1, 3, 132, 0, 35), .p521),
    ]

    /// RFC 5480, section 2; RFC 8017, appendix A.1.1; RFC 8410, section 4; RFC 9881, section 4.
    init(
        _ algorithm: AlgorithmIdentifier,
        _ bits: Range<Int>,
        _ input: Span<UInt8>,
        _ deviations: inout CertificateDeviations
    ) throws(CertificateError) {
        let identifier = algorithm.identifier
        if Self.ecPublicKey.isAt(identifier, of: input) {
            self = Self.ec(algorithm, bits, input)
        } else if Self.rsaEncryption.isAt(identifier, of: input) || Self.rsaPSS.isAt(identifier, of: input) {
            self = try Self.rsa(bits, input, &deviations)
        } else if Self.ed25519.isAt(identifier, of: input), bits.count == 32 {
            if algorithm.hasNullParameters { deviations.insert(.nullParameters) }
            self = .ed25519(bits)
        } else if Self.mlDSA65.isAt(identifier, of: input), algorithm.parameters == nil, bits.count == 1952 {
            self = .mlDSA65(bits)
        } else if Self.mlDSA87.isAt(identifier, of: input), algorithm.parameters == nil, bits.count == 2592 {
            self = .mlDSA87(bits)
        } else {
            self = .unsupported(identifier)
        }
    }

    private static func ec(_ algorithm: AlgorithmIdentifier, _ bits: Range<Int>, _ input: Span<UInt8>) -> Self {
        guard let name = algorithm.parameters, name.tag == .objectIdentifier,
            let curve = curves.first(where: { $0.0.isAt(name.contents, of: input) })?.1,
            bits.count == 1 + 2 * curve.coordinateLength, input[bits.lowerBound] == 4
        else { return .unsupported(algorithm.identifier) }
        return .ec(curve, point: bits)
    }

    private static func rsa(
        _ bits: Range<Int>,
        _ input: Span<UInt8>,
        _ deviations: inout CertificateDeviations
    ) throws(CertificateError) -> Self {
        var reader = DERReader(bits, of: input)
        let outer = try reader.enter(.sequence, input)
        let modulus = try reader.readIntegerBytes(input)
        let exponent = try reader.readIntegerBytes(input)
        try reader.leave(outer)
        guard reader.isAtEnd else { throw .malformed("bytes follow the key", at: reader.offset) }
        if input[modulus.lowerBound] >= 0x80 { reader.deviations.insert(.negativeModulus) }
        deviations.formUnion(reader.deviations)
        return .rsa(n: withoutZeros(modulus, input), e: withoutZeros(exponent, input))
    }

    private static func withoutZeros(_ range: Range<Int>, _ input: Span<UInt8>) -> Range<Int> {
        var start = range.lowerBound
        while start < range.upperBound, input[start] == 0 { start += 1 }
        return start..<range.upperBound
    }

    func description(in input: Span<UInt8>) -> String {
        switch self {
        case .ec(.p256, _): "P-256"
        case .ec(.p384, _): "P-384"
        case .ec(.p521, _): "P-521"
        case .ec, .ed25519: "Ed25519"
        case .mlDSA65: "ML-DSA-65"
        case .mlDSA87: "ML-DSA-87"
        case .rsa(let n, _):
            "RSA-\(n.isEmpty ? 0 : n.count * 8 - input[n.lowerBound].leadingZeroBitCount)"
        case .unsupported(let identifier): OID(identifier, of: input).name
        }
    }
}
