internal import Crypto

/// How signatures are checked: with Ed25519, except in tests with millions of entries.
package struct SignatureScheme: Sendable {
    package let isValid: @Sendable (_ signature: [UInt8], _ message: [UInt8], _ publicKey: [UInt8]) -> Bool

    package init(isValid: @escaping @Sendable (_ signature: [UInt8], _ message: [UInt8], _ publicKey: [UInt8]) -> Bool)
    {
        self.isValid = isValid
    }

    /// RFC 8032.
    package static let ed25519 = Self { signature, message, publicKey in
        guard let key = try? Curve25519.Signing.PublicKey(rawRepresentation: publicKey) else { return false }
        return key.isValidSignature(signature, for: message)
    }
}
