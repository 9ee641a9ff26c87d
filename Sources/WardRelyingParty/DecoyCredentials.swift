internal import Crypto
public import WardWebAuthn

/// Credentials for accounts that do not exist, so that sign-in options tell nobody which names do.
///
/// The same name always gets the same ones, and without the secret nobody can tell them from real ones or compute them.
///
/// WebAuthn Level 3, [§14.6.2](https://www.w3.org/TR/webauthn-3/#sctn-username-enumeration).
public struct DecoyCredentials: Sendable {
    /// How many bytes a secret has at least.
    public static let secretLength = 32

    private let key: SymmetricKey
    /// A COSE key whose private half was thrown away when it was made.
    private let publicKey: [UInt8]

    /// Takes the secret, or answers `nil` when it has fewer than ``secretLength`` bytes: a weak secret would make decoys recognizable.
    public init?(secret: [UInt8]) {
        guard secret.count >= Self.secretLength else { return nil }
        key = SymmetricKey(data: secret)
        let point = P256.Signing.PrivateKey().publicKey.rawRepresentation
        // RFC 9053, section 7.1.1: kty EC2, alg ES256, crv P-256, x, y.
        publicKey =
            [0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 0x20] + point.prefix(32)
            + [0x22, 0x58, 0x20] + point.suffix(32)
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

    /// A record that any credential the ceremony asked for is found by, and no signature fits.
    ///
    /// - Parameters:
    ///   - id: The credential that answered.
    ///   - ceremony: The ceremony it answered.
    /// - Returns: The record, or `nil` when the ceremony names no account or asked for other credentials.
    func record(_ id: CredentialID, in ceremony: Ceremony) -> CredentialRecord? {
        guard let user = ceremony.userHandle, ceremony.allowedCredentials.contains(id) else { return nil }
        return CredentialRecord(
            id: id,
            userHandle: user,
            publicKey: publicKey,
            signCount: 0,
            uvInitialized: true,
            transports: [],
            backupEligible: true,
            backedUp: true,
            aaguid: .zero,
            attestationFormat: "none",
            rpID: ceremony.rpID
        )
    }

    private func digest(_ purpose: String, _ name: String) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: Array("\(purpose)\u{0}\(name)".utf8), using: key))
    }
}
