internal import Crypto
public import WardWebAuthn

/// Credentials for accounts that do not exist, so that sign-in options tell nobody which names do.
///
/// The same name always gets the same ones, and without the secret nobody can tell them from real ones or compute them.
///
/// WebAuthn Level 3, [§14.6.2](https://www.w3.org/TR/webauthn-3/#sctn-username-enumeration).
public struct DecoyCredentials: Sendable {
    private let key: SymmetricKey

    /// Takes the secret, or answers `nil` when it has fewer than 32 bytes: a weak secret would make decoys recognizable.
    public init?(secret: [UInt8]) {
        guard secret.count >= 32 else { return nil }
        key = SymmetricKey(data: secret)
    }

    /// The decoys of a name: mostly one credential, now and then two, as people have them.
    ///
    /// - Parameter name: The name in the form in which names are compared.
    /// - Returns: Credentials as options list them, in a stable order.
    public func credentials(for name: String) -> [PublicKeyCredentialDescriptor] {
        let seed = digest("credentials", name)
        let count = seed[0] < 64 ? 2 : 1
        return (0..<count).compactMap { index in
            // Identifiers of synced passkeys have 16, 20 or 32 bytes.
            let material = digest("id \(index)", name)
            let length = [16, 20, 32, 32][Int(seed[1 + index] % 4)]
            let transports: [AuthenticatorTransport] = seed[3 + index] < 192 ? [.hybrid, .internal] : [.internal]
            return CredentialID(Array(material.prefix(length))).map { .init(id: $0, transports: transports) }
        }
    }

    /// A user handle for the name that no account has.
    public func userHandle(for name: String) -> UserHandle {
        UserHandle(digest("user", name) + digest("user, continued", name)) ?? .random()
    }

    private func digest(_ purpose: String, _ name: String) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: Array("\(purpose)\u{0}\(name)".utf8), using: key))
    }
}
