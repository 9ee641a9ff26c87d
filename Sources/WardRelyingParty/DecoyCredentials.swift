internal import Crypto
public import WardWebAuthn

/// Decoys: credentials for unknown names, so that sign-in options do not show which names exist.
///
/// The same name always gets the same decoys. Without the secret, an attacker cannot compute them or distinguish them from real
/// credentials.
///
/// WebAuthn Level 3, [§14.6.2](https://www.w3.org/TR/webauthn-3/#sctn-username-enumeration).
public struct DecoyCredentials: Sendable {
    /// The minimum length of the secret, in bytes.
    public static let secretLength = 32

    private let key: SymmetricKey
    private let shapes: DecoyShapes
    /// A COSE key whose private key was deleted when it was generated.
    private let publicKey: [UInt8]

    /// Creates decoys from a secret.
    ///
    /// It returns `nil` for fewer than ``secretLength`` bytes, because a weak secret makes decoys recognisable.
    ///
    /// - Parameters:
    ///   - secret: Random bytes, kept by the service.
    ///   - shapes: What the service's own accounts have. Give the same ones each time, or a name's decoys change.
    public init?(secret: [UInt8], shapes: DecoyShapes = .typical) {
        guard secret.count >= Self.secretLength else { return nil }
        self.shapes = shapes
        key = SymmetricKey(data: secret)
        let point = P256.Signing.PrivateKey().publicKey.rawRepresentation
        // RFC 9053, section 7.1.1: kty EC2, alg ES256, crv P-256, x, y.
        publicKey =
            [0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 0x20] + point.prefix(32)
            + [0x22, 0x58, 0x20] + point.suffix(32)
    }

    /// The decoys of a name: a list that one of the service's accounts could have, with IDs of its own.
    ///
    /// Number, lengths and transports are drawn from the shapes. So a list does not tell whether its account exists:
    /// each list is as frequent among decoys as among accounts with credentials.
    ///
    /// - Parameter name: The name in its mapped form.
    /// - Returns: Credentials for the options, in a stable order.
    public func credentials(for name: String) -> [PublicKeyCredentialDescriptor] {
        let point = digest("credentials", name).prefix(8).reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
        return shapes.list(at: point).enumerated().compactMap { index, credential in
            var material: [UInt8] = []
            while material.count < credential.idLength { material += digest("id \(index) \(material.count)", name) }
            return CredentialID(Array(material.prefix(credential.idLength))).map {
                .init(id: $0, transports: credential.transports)
            }
        }
    }

    /// A user handle for an unknown name.
    public func userHandle(for name: String) -> UserHandle {
        UserHandle(digest("user", name) + digest("user, continued", name)) ?? .random()
    }

    /// A record for a decoy.
    ///
    /// No signature is valid for its key.
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
