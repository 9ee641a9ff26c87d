internal import WardCOSE

/// The algorithm of a private key that comes without a name for it.
enum PasskeyAlgorithm {
    /// The object identifiers in the encoding of a key, with the algorithm that sites know the key by.
    ///
    /// Those of curves come after the one for elliptic curves, so a key has only one of these.
    private static let identifiers: [([UInt8], COSEAlgorithmIdentifier)] = [
        // 1.2.840.10045.3.1.7, 1.3.132.0.34, 1.3.132.0.35: the curves P-256, P-384 and P-521.
        ([0x06, 0x08, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07], .es256),
        ([0x06, 0x05, 0x2b, 0x81, 0x04, 0x00, 0x22], .es384),
        ([0x06, 0x05, 0x2b, 0x81, 0x04, 0x00, 0x23], .es512),
        // 1.3.101.112: Ed25519.
        ([0x06, 0x03, 0x2b, 0x65, 0x70], .edDSA),
        // 2.16.840.1.101.3.4.3.18 and 19: ML-DSA-65 and ML-DSA-87.
        ([0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x03, 0x12], .mlDSA65),
        ([0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x03, 0x13], .mlDSA87),
    ]

    /// The algorithm of a private key in PKCS#8, or `nil` if it is unknown.
    static func of(privateKey der: [UInt8]) -> COSEAlgorithmIdentifier? {
        // The identifier is in the first sequence after the version: always within the first bytes.
        let start = der.prefix(40)
        guard start.first == 0x30 else { return nil }
        return identifiers.first { start.firstRange(of: $0.0) != nil }?.1
    }
}
