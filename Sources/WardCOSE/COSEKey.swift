internal import WardCBOR

/// A public key from an authenticator: a COSE_Key with checked structure.
///
/// The algorithm is bound to key type and curve, coordinates have exactly the curve's length, and an RSA modulus has
/// 2048 to 8192 bits. Only ``verificationKey()`` checks that the coordinates are a point of the curve.
///
/// L3 #sctn-attested-credential-data says that a credential's key has no optional parameters. Ward refuses private
/// parts and operations without "verify". It checks other labels as CBOR, ignores them and keeps them in ``encoded``:
/// they are harmless, and some authenticators send key identifiers.
///
/// RFC 9052, section 7; RFC 9053, section 7; RFC 8230; L3 #sctn-alg-identifier.
public struct COSEKey: Hashable, Sendable {
    /// The key's algorithm.
    public let algorithm: COSEAlgorithmIdentifier
    /// The key exactly as received.
    public let encoded: [UInt8]

    let scheme: COSEScheme
    let layout: Layout

    /// Reads a key from its CBOR encoding.
    ///
    /// - Throws: ``COSEError`` if the key is not acceptable, or bytes follow it.
    public init(_ encoded: [UInt8]) throws(COSEError) {
        let input = encoded.span
        var reader = CBORReader(rules: .coseKey)
        let contents = try Self.parse(input, with: &reader)
        guard reader.offset == input.count else { throw COSEError(.trailingBytes, "at byte \(reader.offset)") }
        algorithm = contents.algorithm
        scheme = contents.scheme
        layout = contents.layout
        self.encoded = encoded
    }

    /// Reads a key that other bytes may follow, as in authenticator data, and moves the offset after it.
    ///
    /// - Throws: ``COSEError`` if there is no acceptable key at the offset; the offset then stays.
    package static func read(_ input: Span<UInt8>, at offset: inout Int) throws(COSEError) -> COSEKey {
        var reader = CBORReader(at: offset, rules: .coseKey)
        let start = reader.offset
        let contents = try parse(input, with: &reader)
        offset = reader.offset
        return COSEKey(contents, encoded: CBORReader.copy(start..<reader.offset, of: input), from: start)
    }

    private init(_ contents: Contents, encoded: [UInt8], from start: Int) {
        algorithm = contents.algorithm
        scheme = contents.scheme
        layout = contents.layout.moved(by: -start)
        self.encoded = encoded
    }

    /// Keys are equal if their encodings are.
    public static func == (lhs: Self, rhs: Self) -> Bool { lhs.encoded == rhs.encoded }
    /// Hashes the encoding.
    public func hash(into hasher: inout Hasher) { hasher.combine(encoded) }
}

extension COSEKey {
    /// The curves that algorithms are bound to, with their numbers in the IANA registry "COSE Elliptic Curves".
    public enum Curve: Int, Hashable, Sendable {
        /// NIST P-256.
        case p256 = 1
        /// NIST P-384.
        case p384 = 2
        /// NIST P-521.
        case p521 = 3
        /// Ed25519.
        case ed25519 = 6

        /// The length of a coordinate, in bytes.
        public var coordinateLength: Int {
            switch self {
            case .p256, .ed25519: 32
            case .p384: 48
            case .p521: 66
            }
        }
    }

    /// The numbers of the key.
    ///
    /// They are big-endian, except Ed25519's, which follow RFC 8032.
    public enum Material: Hashable, Sendable {
        /// A point on a NIST curve.
        case ec2(curve: Curve, x: [UInt8], y: [UInt8])
        /// An Edwards-curve public key.
        case okp(curve: Curve, x: [UInt8])
        /// An RSA modulus and exponent.
        case rsa(n: [UInt8], e: [UInt8])
        /// The public key of an algorithm with its own format.
        case akp(publicKey: [UInt8])
    }

    /// The numbers of the key.
    public var material: Material {
        switch layout {
        case .ec2(let curve, let x, let y): .ec2(curve: curve, x: copy(x), y: copy(y))
        case .okp(let curve, let x): .okp(curve: curve, x: copy(x))
        case .rsa(let n, let e): .rsa(n: copy(n), e: copy(e))
        case .akp(let publicKey): .akp(publicKey: copy(publicKey))
        }
    }

    func copy(_ range: Range<Int>) -> [UInt8] { CBORReader.copy(range, of: encoded.span) }

    /// The positions of the numbers in the encoding, so that reading a key copies only the encoding.
    enum Layout: Hashable, Sendable {
        case ec2(Curve, x: Range<Int>, y: Range<Int>)
        case okp(Curve, x: Range<Int>)
        case rsa(n: Range<Int>, e: Range<Int>)
        case akp(Range<Int>)

        func moved(by distance: Int) -> Self {
            func moved(_ range: Range<Int>) -> Range<Int> {
                (range.lowerBound + distance)..<(range.upperBound + distance)
            }
            return switch self {
            case .ec2(let curve, let x, let y): .ec2(curve, x: moved(x), y: moved(y))
            case .okp(let curve, let x): .okp(curve, x: moved(x))
            case .rsa(let n, let e): .rsa(n: moved(n), e: moved(e))
            case .akp(let publicKey): .akp(moved(publicKey))
            }
        }
    }

    struct Contents {
        let algorithm: COSEAlgorithmIdentifier
        let scheme: COSEScheme
        let layout: Layout
    }
}
