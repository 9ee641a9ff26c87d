internal import Crypto

/// How entries are signed, and how signatures are checked: with Ed25519, except in tests with millions of entries.
package struct SignatureScheme: Sendable {
    package let isValid: @Sendable (_ signature: [UInt8], _ message: [UInt8], _ publicKey: [UInt8]) -> Bool
    /// What signs in place of Ed25519; `nil` for Ed25519 itself.
    package let substitute: Substitute?

    /// Keys and signatures of a test, which protect nothing.
    package struct Substitute: Sendable {
        package let publicKey: @Sendable (_ seed: [UInt8]) -> [UInt8]
        package let sign: @Sendable (_ message: [UInt8], _ publicKey: [UInt8]) -> [UInt8]

        package init(
            publicKey: @escaping @Sendable (_ seed: [UInt8]) -> [UInt8],
            sign: @escaping @Sendable (_ message: [UInt8], _ publicKey: [UInt8]) -> [UInt8]
        ) {
            self.publicKey = publicKey
            self.sign = sign
        }
    }

    package init(
        isValid: @escaping @Sendable (_ signature: [UInt8], _ message: [UInt8], _ publicKey: [UInt8]) -> Bool,
        substitute: Substitute? = nil
    ) {
        self.isValid = isValid
        self.substitute = substitute
    }

    /// RFC 8032.
    package static let ed25519 = Self { signature, message, publicKey in
        guard let key = try? Curve25519.Signing.PublicKey(rawRepresentation: publicKey) else { return false }
        return key.isValidSignature(signature, for: message)
    }

    /// The scheme in force, which is Ed25519.
    ///
    /// Only the simulation in Tests sets another one, for its own tasks; `Scripts/lint` refuses that in Sources.
    @TaskLocal package static var inForce: SignatureScheme = .ed25519
}
