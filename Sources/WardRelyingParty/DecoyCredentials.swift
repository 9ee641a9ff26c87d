internal import Crypto
public import WardWebAuthn

/// Decoys: credentials for unknown names, so that sign-in options do not show which names exist.
///
/// The same name always gets the same decoys. Without the secret nobody can compute them or distinguish them from real
/// credentials.
///
/// WebAuthn Level 3, [§14.6.2](https://www.w3.org/TR/webauthn-3/#sctn-username-enumeration).
public struct DecoyCredentials: Sendable {
    /// The minimum length of the secret, in bytes.
    public static let secretLength = 32

    private let key: SymmetricKey
    /// A COSE key whose private half was thrown away when it was generated.
    private let publicKey: [UInt8]

    /// Creates decoys from a secret.
    ///
    /// It returns `nil` for fewer than ``secretLength`` bytes, because a weak secret makes decoys recognisable.
    public init?(secret: [UInt8]) {
        guard secret.count >= Self.secretLength else { return nil }
        key = SymmetricKey(data: secret)
        let point = P256.Signing.PrivateKey().publicKey.rawRepresentation
        // RFC 9053, section 7.1.1: kty EC2, alg ES256, crv P-256, x, y.
        publicKey =
            [0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 0x20] + point.prefix(32)
            + [0x22, 0x58, 0x20] + point.suffix(32)
    }

    /// The decoys of a name: usually one credential, sometimes two, as real accounts have.
    ///
    /// - Parameter name: The name in its mapped form.
    /// - Returns: Credentials for the options, in a stable order.
    public func credentials(for name: String) -> [PublicKeyCredentialDescriptor] {
        let seed = digest("credentials", name)
        let count = seed[0] < 64 ? 2 : 1
        return (0..<count).compactMap { index in
            // Credential IDs of synced passkeys have 16, 20 or 32 bytes.
            let material = digest("id \(index)", name)
            let length = [16, 20, 32, 32][Int(seed[1 + index] % 4)]
            let transports: [AuthenticatorTransport] = seed[3 + index] < 192 ? [.hybrid, .internal] : [.internal]
            return CredentialID(Array(material.prefix(length))).map { .init(id: $0, transports: transports) }
        }
    }

    /// A user handle for an unknown name.
    public func userHandle(for name: String) -> UserHandle {
        UserHandle(digest("user", name) + digest("user, continued", name)) ?? .random()
    }

    /// A throw-away record for a decoy, against which no signature is valid.
    ///
    /// - Parameters:
    ///   - id: The credential ID of the answer.
    ///   - ceremony: The ceremony that was answered.
    /// - Returns: The record, or `nil` if the ceremony has no account or did not list this credential.
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
