internal import Crypto
internal import CryptoExtras

extension COSEKey {
    /// Imports the key, which checks that its coordinates are a point of the curve.
    ///
    /// - Throws: ``COSEError`` with ``COSEError/Code/pointNotOnCurve`` if they are not.
    public func verificationKey() throws(COSEError) -> VerificationKey {
        switch layout {
        case .ec2(_, let x, let y):
            try VerificationKey(algorithm, point: Array(encoded[x] + encoded[y]))
        case .okp(_, let x):
            try VerificationKey(algorithm, bytes: copy(x))
        case .rsa(let n, let e):
            try VerificationKey(algorithm, modulus: copy(n), exponent: copy(e))
        case .akp(let publicKey):
            try VerificationKey(algorithm, bytes: copy(publicKey))
        }
    }
}

extension VerificationKey {
    /// Imports a point of two concatenated coordinates.
    init(_ algorithm: COSEAlgorithmIdentifier, point: [UInt8]) throws(COSEError) {
        guard case .ecdsa(let curve) = try algorithm.requireScheme() else {
            throw COSEError(.keyTypeMismatch, "\(algorithm.name) with a point")
        }
        guard point.count == 2 * curve.coordinateLength else {
            throw COSEError(.wrongLength, "point of \(point.count) bytes for \(algorithm.name)")
        }
        do {
            let imported: Imported =
                switch curve {
                case .p384: .p384(try P384.Signing.PublicKey(rawRepresentation: point))
                case .p521: .p521(try P521.Signing.PublicKey(rawRepresentation: point))
                case .p256, .ed25519: .p256(try P256.Signing.PublicKey(rawRepresentation: point))
                }
            self.init(algorithm: algorithm, imported: imported)
        } catch {
            throw COSEError(.pointNotOnCurve, algorithm.name)
        }
    }

    /// Imports a key that is a byte string: Ed25519, ML-DSA.
    init(_ algorithm: COSEAlgorithmIdentifier, bytes: [UInt8]) throws(COSEError) {
        let scheme = try algorithm.requireScheme()
        do {
            let imported: Imported
            switch scheme {
            case .ed25519: imported = .ed25519(try Curve25519.Signing.PublicKey(rawRepresentation: bytes))
            case .mlDSA65: imported = .mlDSA65(try MLDSA65.PublicKey(rawRepresentation: bytes))
            case .mlDSA87: imported = .mlDSA87(try MLDSA87.PublicKey(rawRepresentation: bytes))
            case .ecdsa, .rsa: throw COSEError(.keyTypeMismatch, "\(algorithm.name) with a string of bytes")
            }
            self.init(algorithm: algorithm, imported: imported)
        } catch let error as COSEError {
            throw error
        } catch {
            throw COSEError(.wrongLength, "public key of \(bytes.count) bytes for \(algorithm.name)")
        }
    }

    /// Imports an RSA key from its numbers.
    package init(_ algorithm: COSEAlgorithmIdentifier, modulus: [UInt8], exponent: [UInt8]) throws(COSEError) {
        guard case .rsa(let padding, let hash) = try algorithm.requireScheme() else {
            throw COSEError(.keyTypeMismatch, "\(algorithm.name) with a modulus")
        }
        do {
            let key = try _RSA.Signing.PublicKey(n: modulus, e: exponent)
            self.init(algorithm: algorithm, imported: .rsa(key, padding, hash))
        } catch {
            throw COSEError(.invalidModulus, "refused by the cryptographic library")
        }
    }
}
