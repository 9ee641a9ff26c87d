internal import WardCOSE
internal import WardRelyingParty

extension AttestationCertificate {
    /// The subject's key, bound to the statement's algorithm: curve or size must match.
    func verificationKey(_ algorithm: COSEAlgorithmIdentifier) throws(COSEError) -> VerificationKey {
        let input = encoded.span
        switch layout.key {
        case .ec(_, let point): return try VerificationKey(algorithm, x963: input.copy(point))
        case .rsa(let n, let e):
            do {
                try CertificateKey.check(n, e, input)
            } catch {
                throw COSEError(.keyTooSmall, error.detail)
            }
            return try VerificationKey(algorithm, modulus: input.copy(n), exponent: input.copy(e))
        case .ed25519, .mlDSA65, .mlDSA87, .unsupported:
            return try VerificationKey(algorithm, subjectPublicKeyInfo: subjectPublicKeyInfo)
        }
    }

    /// Checks that this certificate's key signed a message.
    ///
    /// - Parameters:
    ///   - signature: In COSE's form for the algorithm; for ECDSA that is DER (L3 #sctn-signature-attestation-types).
    ///   - message: The signed bytes.
    ///   - algorithm: The statement's algorithm. It is bound to the key here, so nobody can choose another hash.
    ///   - allowsSHA1: Whether RS1 is accepted; only the format `tpm` needs it.
    ///   - section: The section, with which errors begin.
    /// - Throws: `AttestationError` if the signature is not valid.
    func check(
        _ signature: [UInt8],
        of message: [UInt8],
        _ algorithm: COSEAlgorithmIdentifier,
        allowsSHA1: Bool = false,
        section: String
    ) throws(AttestationError) {
        let isValid: Bool
        do {
            if algorithm == .rs1, allowsSHA1 {
                isValid = try VerificationKey.isValidWithSHA1(
                    signature: signature,
                    for: message,
                    subjectPublicKeyInfo: subjectPublicKeyInfo
                )
            } else {
                isValid = try verificationKey(algorithm).isValid(signature: signature, for: message)
            }
        } catch {
            throw AttestationError("\(section): alg does not match the certificate's \(keyDescription) key: \(error)")
        }
        guard isValid else {
            throw AttestationError("\(section): sig is not valid for the first certificate's key")
        }
    }

    /// Whether the certificate's key is this credential's key.
    func hasKey(_ key: COSEKey) -> Bool {
        let input = encoded.span
        return switch (key.material, layout.key) {
        case (.ec2(let curve, let x, let y), .ec(let other, let point)):
            curve == other && input.copy(point) == [4] + x + y
        case (.rsa(let n, let e), .rsa(let otherN, let otherE)):
            input.copy(otherN) == n && input.copy(otherE) == e
        case (.okp(.ed25519, let x), .ed25519(let other)):
            input.copy(other) == x
        case (.akp(let publicKey), .mlDSA65(let other)), (.akp(let publicKey), .mlDSA87(let other)):
            input.copy(other) == publicKey
        default: false
        }
    }
}
