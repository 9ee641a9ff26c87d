internal import Crypto

extension VerificationKey {
    /// Whether the key signed the message, with a signature as JSON Web Signatures have it.
    ///
    /// An ECDSA signature is both integers in the length of a coordinate, not DER: RFC 7518,
    /// [section 3.4](https://www.rfc-editor.org/rfc/rfc7518#section-3.4). Other signatures have the same form as in COSE. A malformed
    /// signature is not an error; the result is `false`.
    package func isValid(jws signature: [UInt8], for message: [UInt8]) -> Bool {
        switch imported {
        case .p256(let key):
            guard let signature = try? P256.Signing.ECDSASignature(rawRepresentation: signature) else { return false }
            return key.isValidSignature(signature, for: message)
        case .p384(let key):
            guard let signature = try? P384.Signing.ECDSASignature(rawRepresentation: signature) else { return false }
            return key.isValidSignature(signature, for: message)
        case .p521(let key):
            guard let signature = try? P521.Signing.ECDSASignature(rawRepresentation: signature) else { return false }
            return key.isValidSignature(signature, for: message)
        case .ed25519, .rsa, .mlDSA65, .mlDSA87:
            return isValid(signature: signature, for: message)
        }
    }
}
