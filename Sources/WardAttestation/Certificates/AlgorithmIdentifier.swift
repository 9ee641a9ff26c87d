/// An algorithm and its parameters in a certificate: RFC 5280, section 4.1.1.2.
struct AlgorithmIdentifier {
    let identifier: Range<Int>
    let parameters: DERElement?

    init(_ input: Span<UInt8>, with reader: inout DERReader) throws(CertificateError) {
        let outer = try reader.enter(.sequence, input)
        identifier = try reader.readObjectIdentifier(input)
        parameters = reader.isAtEnd ? nil : try reader.read(input)
        try reader.leave(outer)
    }

    var hasNullParameters: Bool { parameters?.tag == .null }
}

/// The signature algorithm of a certificate.
///
/// SHA-1 is not supported, because such signatures can be forged. Only an anchor may have a SHA-1 signature: it is trusted
/// because it is listed, not because of its signature.
public enum CertificateSignatureAlgorithm: Hashable, Sendable, CustomStringConvertible {
    /// The supported hashes.
    public enum Hash: Int, Hashable, Sendable {
        /// SHA-256.
        case sha256 = 256
        /// SHA-384.
        case sha384 = 384
        /// SHA-512.
        case sha512 = 512
    }

    /// ECDSA over any of the NIST curves: RFC 5758, section 3.2.
    case ecdsa(Hash)
    /// RSASSA-PKCS1-v1_5: RFC 4055, section 5.
    case rsaPKCS1(Hash)
    /// RSASSA-PSS, with the same hash everywhere and a salt of the same length: RFC 4055, section 3.
    case rsaPSS(Hash)
    /// Ed25519: RFC 8410.
    case ed25519
    /// ML-DSA-65: RFC 9881.
    case mlDSA65
    /// ML-DSA-87: RFC 9881.
    case mlDSA87
    /// Any other algorithm, including those with SHA-1.
    case unsupported(OID)

    /// The usual name, or the object identifier.
    public var description: String {
        switch self {
        case .ecdsa(let hash): "ECDSA with SHA-\(hash.rawValue)"
        case .rsaPKCS1(let hash): "RSA PKCS#1 with SHA-\(hash.rawValue)"
        case .rsaPSS(let hash): "RSA PSS with SHA-\(hash.rawValue)"
        case .ed25519: "Ed25519"
        case .mlDSA65: "ML-DSA-65"
        case .mlDSA87: "ML-DSA-87"
        case .unsupported(let identifier): identifier.name
        }
    }

    private static let ecdsaWithSHA = OID(1, 2, 840, 10045, 4, 3)
    private static let pkcs1 = OID(1, 2, 840, 113549, 1, 1)
    private static let ed25519Identifier = OID(1, 3, 101, 112)
    private static let sha2 = OID(2, 16, 840, 1, 101, 3, 4, 2)
    private static let maskGeneration = OID(1, 2, 840, 113549, 1, 1, 8)

    init(_ input: Span<UInt8>, with reader: inout DERReader) throws(CertificateError) {
        let algorithm = try AlgorithmIdentifier(input, with: &reader)
        switch Self.family(algorithm.identifier, input) {
        case (.ecdsa, 2): self = .ecdsa(.sha256)
        case (.ecdsa, 3): self = .ecdsa(.sha384)
        case (.ecdsa, 4): self = .ecdsa(.sha512)
        case (.rsa, 11): self = .rsaPKCS1(.sha256)
        case (.rsa, 12): self = .rsaPKCS1(.sha384)
        case (.rsa, 13): self = .rsaPKCS1(.sha512)
        case (.nist, 18): self = .mlDSA65
        case (.nist, 19): self = .mlDSA87
        case (.rsa, 10):
            guard let hash = try Self.pssHash(algorithm, input) else { fallthrough }
            self = .rsaPSS(hash)
        default:
            guard Self.ed25519Identifier.isAt(algorithm.identifier, of: input) else {
                self = .unsupported(OID(algorithm.identifier, of: input))
                return
            }
            self = .ed25519
        }
        switch self {
        case .mlDSA65, .mlDSA87:
            // RFC 9881, section 2: the parameters MUST be absent.
            if algorithm.parameters != nil {
                throw .malformed("parameters of \(self)", at: algorithm.identifier.upperBound)
            }
        case .ecdsa, .ed25519:
            // RFC 5758, section 3.2 and RFC 8410, section 3: the parameters MUST be absent. Devices of several vendors
            // have a NULL here, which has no meaning.
            if algorithm.hasNullParameters {
                reader.deviations.insert(.nullParameters)
            } else if algorithm.parameters != nil {
                throw .malformed("parameters of \(self)", at: algorithm.identifier.upperBound)
            }
        case .rsaPKCS1:
            // RFC 4055, section 5: the parameters MUST be NULL.
            if algorithm.parameters == nil {
                reader.deviations.insert(.missingParameters)
            } else if !algorithm.hasNullParameters {
                throw .malformed("parameters of \(self)", at: algorithm.identifier.upperBound)
            }
        case .rsaPSS, .unsupported: break
        }
    }

    private enum Family { case ecdsa, rsa, nist, other }

    /// The last two arcs.
    ///
    /// In all families the last one fits in a byte.
    private static func family(_ identifier: Range<Int>, _ input: Span<UInt8>) -> (Family, UInt8) {
        guard !identifier.isEmpty else { return (.other, 0) }
        let last = identifier.upperBound - 1
        if ecdsaWithSHA.isAt(identifier.lowerBound..<last, of: input) { return (.ecdsa, input[last]) }
        if pkcs1.isAt(identifier.lowerBound..<last, of: input) { return (.rsa, input[last]) }
        if OID.nistSignatures.isAt(identifier.lowerBound..<last, of: input) { return (.nist, input[last]) }
        return (.other, 0)
    }

    /// RFC 4055, section 3.1; `nil` for unsafe parameters: SHA-1, two hashes, another salt length.
    private static func pssHash(
        _ algorithm: AlgorithmIdentifier,
        _ input: Span<UInt8>
    ) throws(CertificateError) -> Hash? {
        guard let parameters = algorithm.parameters, parameters.tag == .sequence else { return nil }
        var reader = DERReader(parameters.contents, of: input)
        guard try reader.next(input) == .explicit(0) else { return nil }
        let first = try reader.enter(.explicit(0), input)
        let hash = try hash(AlgorithmIdentifier(input, with: &reader).identifier, input)
        try reader.leave(first)
        guard try reader.next(input) == .explicit(1) else { return nil }
        let second = try reader.enter(.explicit(1), input)
        let mask = try AlgorithmIdentifier(input, with: &reader)
        try reader.leave(second)
        guard maskGeneration.isAt(mask.identifier, of: input), let inner = mask.parameters, inner.tag == .sequence
        else {
            return nil
        }
        var maskReader = DERReader(inner.whole, of: input)
        let maskHash = try Self.hash(AlgorithmIdentifier(input, with: &maskReader).identifier, input)
        guard try reader.next(input) == .explicit(2) else { return nil }
        let third = try reader.enter(.explicit(2), input)
        let salt = try reader.readInteger(input)
        try reader.leave(third)
        if try reader.next(input) == .explicit(3) {
            let fourth = try reader.enter(.explicit(3), input)
            guard try reader.readInteger(input) == 1 else { return nil }
            try reader.leave(fourth)
        }
        guard reader.isAtEnd, let hash, hash == maskHash, salt == Int64(hash.rawValue / 8) else { return nil }
        return hash
    }

    private static func hash(_ identifier: Range<Int>, _ input: Span<UInt8>) -> Hash? {
        guard !identifier.isEmpty else { return nil }
        let last = identifier.upperBound - 1
        guard sha2.isAt(identifier.lowerBound..<last, of: input) else { return nil }
        return switch input[last] {
        case 1: .sha256
        case 2: .sha384
        case 3: .sha512
        default: nil
        }
    }
}
