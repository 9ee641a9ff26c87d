internal import Crypto
internal import CryptoExtras
internal import WardCOSE

/// An issuer's public key, imported for verification.
struct CertificateKey: Sendable {
    private enum Imported: Sendable {
        case p256(P256.Signing.PublicKey)
        case p384(P384.Signing.PublicKey)
        case p521(P521.Signing.PublicKey)
        case rsa(_RSA.Signing.PublicKey)
        case ed25519(Curve25519.Signing.PublicKey)
        case mlDSA65(MLDSA65.PublicKey)
        case mlDSA87(MLDSA87.PublicKey)
    }

    private let imported: Imported

    /// Imports the key of a certificate.
    ///
    /// - Throws: ``CertificateError`` if the key is of an unsupported kind, too small or not valid.
    init(_ certificate: AttestationCertificate) throws(CertificateError) {
        let input = certificate.encoded.span
        do {
            switch certificate.layout.key {
            case .ec(.p256, let point):
                imported = .p256(try P256.Signing.PublicKey(x963Representation: input.copy(point)))
            case .ec(.p384, let point):
                imported = .p384(try P384.Signing.PublicKey(x963Representation: input.copy(point)))
            case .ec(.p521, let point):
                imported = .p521(try P521.Signing.PublicKey(x963Representation: input.copy(point)))
            case .rsa(let n, let e):
                try Self.check(n, e, input)
                imported = .rsa(try _RSA.Signing.PublicKey(n: input.copy(n), e: input.copy(e)))
            case .ed25519(let bytes):
                imported = .ed25519(try Curve25519.Signing.PublicKey(rawRepresentation: input.copy(bytes)))
            case .mlDSA65(let bytes):
                imported = .mlDSA65(try MLDSA65.PublicKey(rawRepresentation: input.copy(bytes)))
            case .mlDSA87(let bytes):
                imported = .mlDSA87(try MLDSA87.PublicKey(rawRepresentation: input.copy(bytes)))
            case .ec, .unsupported:
                throw CertificateError(.unsupportedKey, certificate.keyDescription)
            }
        } catch let error as CertificateError {
            throw error
        } catch {
            throw CertificateError(.weakKey, "the \(certificate.keyDescription) key is not valid")
        }
    }

    /// The same limits as for credentials: 2048 to 8192 bits, an odd exponent of at most 32 bits.
    static func check(_ n: Range<Int>, _ e: Range<Int>, _ input: Span<UInt8>) throws(CertificateError) {
        guard let top = n.first, let bottom = n.last, let lowest = e.last else {
            throw CertificateError(.weakKey, "the RSA key has no modulus or no exponent")
        }
        let bits = n.count * 8 - input[top].leadingZeroBitCount
        guard (2048...8192).contains(bits), input[bottom] & 1 == 1 else {
            throw CertificateError(.weakKey, "the RSA key has \(bits) bits")
        }
        guard e.count <= 4, input[lowest] & 1 == 1, e.count > 1 || input[lowest] >= 3 else {
            throw CertificateError(.weakKey, "the RSA key's exponent is not accepted")
        }
    }

    /// Whether this key signed a certificate, checked over the signed bytes exactly as received.
    func signed(_ certificate: AttestationCertificate) -> Bool {
        let layout = certificate.layout
        let bytes = certificate.encoded
        let message = bytes[layout.signed]
        let signature = bytes.span.copy(layout.signature)
        switch layout.signatureAlgorithm {
        case .ecdsa(.sha256): return isECDSA(signature, SHA256.hash(data: message))
        case .ecdsa(.sha384): return isECDSA(signature, SHA384.hash(data: message))
        case .ecdsa(.sha512): return isECDSA(signature, SHA512.hash(data: message))
        case .rsaPKCS1(let hash): return isRSA(signature, message, hash, .insecurePKCS1v1_5)
        case .rsaPSS(let hash): return isRSA(signature, message, hash, .PSS)
        case .ed25519:
            guard case .ed25519(let key) = imported else { return false }
            return key.isValidSignature(signature, for: message)
        case .mlDSA65:
            guard case .mlDSA65(let key) = imported else { return false }
            return key.isValidSignature(signature, for: message)
        case .mlDSA87:
            guard case .mlDSA87(let key) = imported else { return false }
            return key.isValidSignature(signature, for: message)
        case .unsupported: return false
        }
    }

    private func isECDSA(_ signature: [UInt8], _ digest: some Digest) -> Bool {
        switch imported {
        case .p256(let key):
            guard let raw = Self.rawSignature(signature, coordinateLength: 32),
                let signature = try? P256.Signing.ECDSASignature(rawRepresentation: raw)
            else { return false }
            return key.isValidSignature(signature, for: digest)
        case .p384(let key):
            guard let raw = Self.rawSignature(signature, coordinateLength: 48),
                let signature = try? P384.Signing.ECDSASignature(rawRepresentation: raw)
            else { return false }
            return key.isValidSignature(signature, for: digest)
        case .p521(let key):
            guard let raw = Self.rawSignature(signature, coordinateLength: 66),
                let signature = try? P521.Signing.ECDSASignature(rawRepresentation: raw)
            else { return false }
            return key.isValidSignature(signature, for: digest)
        case .rsa, .ed25519, .mlDSA65, .mlDSA87: return false
        }
    }

    private func isRSA(
        _ signature: [UInt8],
        _ message: ArraySlice<UInt8>,
        _ hash: CertificateSignatureAlgorithm.Hash,
        _ padding: _RSA.Signing.Padding
    ) -> Bool {
        guard case .rsa(let key) = imported else { return false }
        let signature = _RSA.Signing.RSASignature(rawRepresentation: signature)
        return switch hash {
        case .sha256: key.isValidSignature(signature, for: SHA256.hash(data: message), padding: padding)
        case .sha384: key.isValidSignature(signature, for: SHA384.hash(data: message), padding: padding)
        case .sha512: key.isValidSignature(signature, for: SHA512.hash(data: message), padding: padding)
        }
    }

    /// The two numbers of an ECDSA signature (RFC 3279, section 2.2.3).
    ///
    /// Deviations from DER are accepted here too, because the signature must verify in any case.
    private static func rawSignature(_ der: [UInt8], coordinateLength: Int) -> [UInt8]? {
        let input = der.span
        var reader = DERReader(input)
        guard let outer = try? reader.enter(.sequence, input), let r = try? reader.readIntegerBytes(input),
            let s = try? reader.readIntegerBytes(input), (try? reader.leave(outer)) != nil, reader.isAtEnd
        else { return nil }
        var raw: [UInt8] = []
        raw.reserveCapacity(2 * coordinateLength)
        for number in [r, s] {
            var start = number.lowerBound
            while start < number.upperBound, input[start] == 0 { start += 1 }
            let count = number.upperBound - start
            guard count <= coordinateLength else { return nil }
            raw.append(contentsOf: repeatElement(0, count: coordinateLength - count))
            raw.append(contentsOf: der[start..<number.upperBound])
        }
        return raw
    }
}
