public import WardWebAuthn

/// The proof that the person at a browser has a passkey of the account.
///
/// It belongs to the session.
public struct PasskeyProof: Hashable, Sendable {
    /// The passkey; deleting it ends the session.
    public var credentialID: CredentialID
    /// The time of the proof, in seconds since 1970.
    public var provenAt: Int64
    /// Whether the authenticator verified the person.
    ///
    /// If not, the proof is only one factor: possession of the authenticator.
    public var userVerified: Bool

    /// Creates a proof.
    public init(by credentialID: CredentialID, at provenAt: Int64, userVerified: Bool = true) {
        self.credentialID = credentialID
        self.provenAt = provenAt
        self.userVerified = userVerified
    }
}
