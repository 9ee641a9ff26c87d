import Crypto
import WardRelyingParty
import WardWebAuthn

/// What a name without an account is answered with, so that nobody learns which names exist.
///
/// The credential identifiers follow from the name and a secret of the service, so they stay the same for ever. An answer
/// to such a ceremony is checked step by step against a key whose private half was thrown away: it takes the same work
/// and fails with the same words as a wrong answer for a real account.
struct Decoys: Sendable {
    /// How long the service's secret is.
    static let secretLength = 32

    private let credentials: DecoyCredentials
    private let publicKey: [UInt8]

    /// Takes the service's secret, or answers `nil` when it is too short to keep one.
    init?(secret: [UInt8]) {
        guard let credentials = DecoyCredentials(secret: secret) else { return nil }
        self.credentials = credentials
        let point = P256.Signing.PrivateKey().publicKey.rawRepresentation
        // RFC 9053, section 7.1.1: kty EC2, alg ES256, crv P-256, x, y.
        publicKey =
            [0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 0x20] + point.prefix(32)
            + [0x22, 0x58, 0x20] + point.suffix(32)
    }

    /// The credentials to ask for; of a name as it is mapped, or as it was typed if no account can have it.
    func descriptors(for name: String) -> [PublicKeyCredentialDescriptor] {
        credentials.credentials(for: name)
    }

    /// Who is asked: bytes as random as an account's, and no account's.
    func userHandle(for name: String) -> UserHandle { credentials.userHandle(for: name) }

    /// A record that any of the ceremony's credentials is found by, and no signature fits.
    func record(_ id: CredentialID, of user: UserHandle, in ceremony: Ceremony) -> CredentialRecord? {
        guard ceremony.allowedCredentials.contains(id), ceremony.userHandle == user else { return nil }
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
}
