/// A relying party's record of a credential.
///
/// WebAuthn Level 3, [credential record](https://www.w3.org/TR/webauthn-3/#credential-record).
public struct CredentialRecord: Hashable, Sendable {
    /// The credential ID, unique over all accounts.
    public var id: CredentialID
    /// The user handle of the account that owns the credential.
    public var userHandle: UserHandle
    /// The public key in COSE form, as attested.
    public var publicKey: [UInt8]
    /// The highest signature counter so far; zero if the authenticator does not count.
    public var signCount: UInt32
    /// Whether the person was verified at registration.
    public var uvInitialized: Bool
    /// The transports of the authenticator.
    public var transports: [AuthenticatorTransport]
    /// Whether the credential is backup eligible.
    public var backupEligible: Bool
    /// Whether the credential was backed up at its last use.
    public var backedUp: Bool
    /// The authenticator's model.
    ///
    /// It proves nothing without trusted attestation.
    public var aaguid: AAGUID
    /// The attestation format of the registration.
    public var attestationFormat: String
    /// The attestation object, if the policy stores it.
    public var attestationObject: [UInt8]?
    /// The client data of the registration, if the policy stores it.
    public var clientDataJSON: [UInt8]?
    /// The RP ID of the credential.
    public var rpID: String

    /// Creates a record, for example from a store's columns.
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

    /// The descriptor of the credential for options.
    public var descriptor: PublicKeyCredentialDescriptor { .init(id: id, transports: transports) }
}
