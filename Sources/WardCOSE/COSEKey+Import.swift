internal import CryptoExtras
internal import WardCBOR
public import WardText

extension COSEKey {
    /// Reads a COSE_Key that another library stored.
    ///
    /// Some libraries write the map in another order, put zeros before the numbers of RSA, or leave out the leading zeros
    /// of a coordinate. ``encoded`` is the canonical form; every other check of ``init(_:)`` stays.
    ///
    /// Only for keys that the service stored itself: what an authenticator sends must be canonical.
    ///
    /// - Parameter encoded: The stored bytes.
    /// - Throws: ``COSEError`` if the key is not acceptable, or bytes follow it.
    public init(stored encoded: [UInt8]) throws(COSEError) {
        let refusal: COSEError
        do {
            try self.init(encoded)
            return
        } catch { refusal = error }
        var rules = CBORRules.coseKey
        rules.requiresSortedKeys = false
        guard let pairs = try? CBORValue.decode(encoded, rules: rules).mapValue else { throw refusal }
        var numbers: [Int64: [UInt8]] = [:]
        for pair in pairs { if let label = pair.key.integerValue { numbers[label] = pair.value.bytesValue } }
        let value = CBORValue.map(pairs)
        switch value[1]?.integerValue {
        case COSEScheme.KeyType.rsa.rawValue:
            for label: Int64 in [-1, -2] { numbers[label] = numbers[label].map { Array($0.drop { $0 == 0 }) } }
        case COSEScheme.KeyType.ec2.rawValue:
            guard let curve = value[-1]?.integerValue.flatMap({ Curve(rawValue: Int($0)) }) else { break }
            for label: Int64 in [-2, -3] { numbers[label] = numbers[label].map { curve.coordinate($0) } }
        default: break
        }
        let canonical = pairs.map { pair in
            guard let number = pair.key.integerValue.flatMap({ numbers[$0] }) else { return pair }
            return CBORPair(key: pair.key, value: .bytes(number))
        }
        try self.init(CBORValue.map(canonical).encoded())
    }

    /// Reads a key from SubjectPublicKeyInfo in DER, as other libraries store keys and as `getPublicKey()` of browsers
    /// returns them.
    ///
    /// - Parameters:
    ///   - der: The DER bytes; PEM is their base64 between two lines.
    ///   - algorithm: The key's algorithm, which the form does not contain.
    /// - Throws: ``COSEError`` if the bytes are not a key of this algorithm.
    public init(subjectPublicKeyInfo der: [UInt8], algorithm: COSEAlgorithmIdentifier) throws(COSEError) {
        switch try algorithm.requireScheme() {
        case .ecdsa(let curve):
            let length = curve.coordinateLength
            let point = try VerificationKey.content(
                of: der,
                behind: SubjectPublicKeyInfo.pointHead(curve),
                length: 2 * length
            )
            let material = Material.ec2(curve: curve, x: Array(point.prefix(length)), y: Array(point.suffix(length)))
            try self.init(algorithm: algorithm, material: material)
        case .ed25519:
            let key = try VerificationKey.content(of: der, behind: SubjectPublicKeyInfo.ed25519Head, length: 32)
            try self.init(algorithm: algorithm, material: .okp(curve: .ed25519, x: key))
        case .rsa:
            guard let numbers = try? VerificationKey.rsaKey(subjectPublicKeyInfo: der).getKeyPrimitives() else {
                throw COSEError(.malformed, "not a SubjectPublicKeyInfo of an acceptable RSA key")
            }
            let material = Material.rsa(n: [UInt8](numbers.modulus), e: [UInt8](numbers.publicExponent))
            try self.init(algorithm: algorithm, material: material)
        case .mlDSA65, .mlDSA87:
            let scheme = try algorithm.requireScheme()
            let length = scheme.publicKeyLength ?? 0
            let head = SubjectPublicKeyInfo.mlDSAHead(scheme == .mlDSA65 ? 0x12 : 0x13, length: length)
            let key = try VerificationKey.content(of: der, behind: head, length: length)
            try self.init(algorithm: algorithm, material: .akp(publicKey: key))
        }
    }

    /// Reads a key from a JSON Web Key.
    ///
    /// RFC 7517, section 4; RFC 7518, section 6; RFC 8037, section 2; RFC 9964 (ML-DSA).
    ///
    /// - Parameters:
    ///   - jwk: The object. A member for the private part, or a purpose other than signatures, is refused.
    ///   - algorithm: The key's algorithm, where the object has no `alg`. With a curve it may be `nil`.
    /// - Throws: ``COSEError`` if the object is not a key, or `alg` is another algorithm.
    public init(jwk: JSONValue, algorithm: COSEAlgorithmIdentifier? = nil) throws(COSEError) {
        guard jwk.objectValue != nil else { throw COSEError(.malformed, "a JSON Web Key must be an object") }
        func number(_ name: String) throws(COSEError) -> [UInt8] {
            guard let value = jwk[name] else { throw COSEError(.missingParameter, name) }
            guard let bytes = value.base64URLValue else { throw COSEError(.malformed, "\(name) is not base64url") }
            return bytes
        }
        guard jwk["d"] == nil, jwk["priv"] == nil else { throw COSEError(.privateParameter) }
        let operations = jwk["key_ops"]?.arrayValue
        guard operations?.contains("verify") != false, jwk["use"].map({ $0 == "sig" }) != false else {
            throw COSEError(.keyOperations)
        }
        let curve = jwk["crv"]?.stringValue
        var algorithm = algorithm
        if let name = jwk["alg"]?.stringValue {
            guard let named = COSEAlgorithmIdentifier.supported.first(where: { $0.name == name }) else {
                throw COSEError(.unknownAlgorithm, "alg")
            }
            guard algorithm == nil || algorithm == named else {
                throw COSEError(.keyTypeMismatch, "the key is for \(named.name)")
            }
            algorithm = named
        }
        algorithm = algorithm ?? curve.flatMap { Self.algorithms[$0]?.usual }
        guard let algorithm else { throw COSEError(.missingParameter, "alg") }
        let material: Material
        switch jwk["kty"]?.stringValue {
        case "EC":
            guard let curve = curve.flatMap({ Self.algorithms[$0]?.curve }), curve != .ed25519 else {
                throw COSEError(.curveMismatch, "crv")
            }
            material = .ec2(curve: curve, x: try number("x"), y: try number("y"))
        case "OKP":
            guard curve == "Ed25519" else { throw COSEError(.curveMismatch, "crv") }
            material = .okp(curve: .ed25519, x: try number("x"))
        case "RSA": material = .rsa(n: try number("n"), e: try number("e"))
        case "AKP": material = .akp(publicKey: try number("pub"))
        case .some: throw COSEError(.keyTypeMismatch, "kty")
        case nil: throw COSEError(.missingParameter, "kty")
        }
        try self.init(algorithm: algorithm, material: material)
    }

    /// The curves of JSON Web Keys, each with the algorithm that WebAuthn binds to it.
    private static let algorithms: [String: (curve: Curve, usual: COSEAlgorithmIdentifier)] = [
        "P-256": (.p256, .es256), "P-384": (.p384, .es384), "P-521": (.p521, .es512), "Ed25519": (.ed25519, .edDSA),
    ]
}

extension COSEKey.Curve {
    /// A coordinate in the curve's length; one that is too long stays too long.
    fileprivate func coordinate(_ number: [UInt8]) -> [UInt8] {
        let digits = Array(number.drop { $0 == 0 })
        return [UInt8](repeating: 0, count: max(0, coordinateLength - digits.count)) + digits
    }
}
