/// What a relying party keeps of a credential.
///
/// WebAuthn Level 3, [credential record](https://www.w3.org/TR/webauthn-3/#credential-record).
public struct CredentialRecord: Hashable, Sendable {
    /// Its identifier, unique over all accounts.
    public var id: CredentialID
    /// Whose it is.
    public var userHandle: UserHandle
    /// The public key in COSE form, as attested.
    public var publicKey: [UInt8]
    /// The highest signature counter seen; zero where the authenticator does not count.
    public var signCount: UInt32
    /// Whether the person was verified when the credential was made.
    public var uvInitialized: Bool
    /// How the authenticator may be reached.
    public var transports: [AuthenticatorTransport]
    /// Whether it may be backed up.
    public var backupEligible: Bool
    /// Whether it was backed up when last used.
    public var backedUp: Bool
    /// The authenticator's model; proves nothing without trusted attestation.
    public var aaguid: AAGUID
    /// The format of the attestation it came with.
    public var attestationFormat: String
    /// The attestation object, where the policy keeps it.
    public var attestationObject: [UInt8]?
    /// The client data of the registration, where the policy keeps it.
    public var clientDataJSON: [UInt8]?
    /// The RP ID it was made for.
    public var rpID: String

    /// Takes all of it, as read from a store.
    public init(
        id: CredentialID,
        userHandle: UserHandle,
        publicKey: [UInt8],
        signCount: UInt32,
        uvInitialized: Bool,
        transports: [AuthenticatorTransport],
        backupEligible: Bool,
        backedUp: Bool,
        aaguid: AAGUID,
        attestationFormat: String,
        attestationObject: [UInt8]? = nil,
        clientDataJSON: [UInt8]? = nil,
        rpID: String
    ) {
        self.id = id
        self.userHandle = userHandle
        self.publicKey = publicKey
        self.signCount = signCount
        self.uvInitialized = uvInitialized
        self.transports = transports
        self.backupEligible = backupEligible
        self.backedUp = backedUp
        self.aaguid = aaguid
        self.attestationFormat = attestationFormat
        self.attestationObject = attestationObject
        self.clientDataJSON = clientDataJSON
        self.rpID = rpID
    }

    /// How options name it.
    public var descriptor: PublicKeyCredentialDescriptor { .init(id: id, transports: transports) }
}
