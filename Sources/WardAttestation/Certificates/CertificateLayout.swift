/// The positions of a certificate's parts, and the decoded values that every path needs.
struct CertificateLayout: Sendable {
    var version = 1
    var serialNumber = 0..<0
    /// The bytes that the issuer signed, as received.
    var signed = 0..<0
    var issuer = 0..<0
    var subject = 0..<0
    var notBefore: Int64 = 0
    var notAfter: Int64 = 0
    /// The whole SubjectPublicKeyInfo.
    var keyInfo = 0..<0
    /// The content of its bit string.
    var keyBits = 0..<0
    var key = KeyLayout.unsupported(0..<0)
    var signatureAlgorithm = CertificateSignatureAlgorithm.unsupported(OID([]))
    var signature = 0..<0
    var extensions = 0..<0
    var basicConstraints: BasicConstraints?
    var keyUsage: KeyUsage?
    /// The identifier of the first critical extension that is not supported.
    var unhandledCriticalExtension: Range<Int>?

    struct BasicConstraints: Hashable, Sendable {
        let isAuthority: Bool
        let pathLength: Int?
    }

    /// RFC 5280, section 4.1: one certificate without trailing bytes.
    init(_ input: Span<UInt8>, _ deviations: inout CertificateDeviations) throws(CertificateError) {
        var reader = DERReader(input)
        let outermost = try reader.enter(.sequence, input)
        let start = reader.offset
        let inner = try readSigned(input, with: &reader)
        signed = start..<reader.offset
        signatureAlgorithm = try CertificateSignatureAlgorithm(input, with: &reader)
        guard signatureAlgorithm == inner else {
            throw CertificateError(
                .malformed,
                "the certificate has two different signature algorithms, \(inner) and \(signatureAlgorithm)"
            )
        }
        let bits = try reader.readBits(input)
        if bits.unused != 0 { reader.deviations.insert(.unusedSignatureBits) }
        signature = bits.bytes
        try reader.leave(outermost)
        guard reader.isAtEnd else { throw .malformed("bytes follow the certificate", at: reader.offset) }
        deviations = reader.deviations
    }

    /// Reads TBSCertificate and returns the signature algorithm inside it.
    private mutating func readSigned(
        _ input: Span<UInt8>,
        with reader: inout DERReader
    ) throws(CertificateError) -> CertificateSignatureAlgorithm {
        let outer = try reader.enter(.sequence, input)
        if try reader.next(input) == .explicit(0) {
            let outer = try reader.enter(.explicit(0), input)
            let start = reader.offset
            let number = try reader.readInteger(input)
            guard (0...2).contains(number) else { throw .malformed("version \(number)", at: start) }
            if number == 0 { reader.deviations.insert(.writtenDefaults) }
            version = Int(number) + 1
            try reader.leave(outer)
        }
        serialNumber = try reader.readIntegerBytes(input)
        if serialNumber.count > 20 || input[serialNumber.lowerBound] >= 0x80 || isZero(serialNumber, input) {
            reader.deviations.insert(.unusualSerialNumber)
        }
        let algorithm = try CertificateSignatureAlgorithm(input, with: &reader)
        issuer = try readWhole(.sequence, input, with: &reader)
        let validity = try reader.enter(.sequence, input)
        notBefore = try CertificateTime.read(input, with: &reader)
        notAfter = try CertificateTime.read(input, with: &reader)
        try reader.leave(validity)
        subject = try readWhole(.sequence, input, with: &reader)
        try readKey(input, with: &reader)
        // The unique identifiers of version 2 are skipped, because nobody uses them.
        _ = try reader.readIfPresent(.implicit(1), input)
        _ = try reader.readIfPresent(.implicit(2), input)
        if try reader.next(input) == .explicit(3) {
            guard version == 3 else { throw .malformed("extensions in version \(version)", at: reader.offset) }
            let outer = try reader.enter(.explicit(3), input)
            let list = try reader.enter(.sequence, input)
            try readExtensions(input, with: &reader)
            try reader.leave(list)
            try reader.leave(outer)
        }
        try reader.leave(outer)
        return algorithm
    }

    private mutating func readKey(_ input: Span<UInt8>, with reader: inout DERReader) throws(CertificateError) {
        let start = reader.offset
        let outer = try reader.enter(.sequence, input)
        let algorithm = try AlgorithmIdentifier(input, with: &reader)
        let bits = try reader.readBits(input)
        guard bits.unused == 0 else { throw .malformed("the key's bit string has unused bits", at: start) }
        keyBits = bits.bytes
        try reader.leave(outer)
        keyInfo = start..<reader.offset
        key = try KeyLayout(algorithm, bits.bytes, input, &reader.deviations)
    }

    private func readWhole(
        _ tag: DERTag,
        _ input: Span<UInt8>,
        with reader: inout DERReader
    ) throws(CertificateError) -> Range<Int> {
        let start = reader.offset
        _ = try reader.read(tag, input)
        return start..<reader.offset
    }

    private func isZero(_ range: Range<Int>, _ input: Span<UInt8>) -> Bool {
        for index in range where input[index] != 0 { return false }
        return true
    }
}

extension Span<UInt8> {
    func isEqual(_ one: Range<Int>, to other: Range<Int>) -> Bool { Self.isEqual(one, of: self, to: other, of: self) }
}
