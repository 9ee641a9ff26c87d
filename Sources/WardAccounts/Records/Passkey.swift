/// A public key credential of an account: WebAuthn's credential record, with the name its owner gave it.
///
/// WebAuthn Level 3, [§4, credential record](https://www.w3.org/TR/webauthn-3/#credential-record).
public struct Passkey: Hashable, Sendable {
    /// What the authenticator calls it, 1 to 1023 bytes; unique over all accounts.
    public var credentialID: [UInt8]
    /// Whose it is; never changes.
    public var accountID: AccountID
    /// What the owner calls it; changed by renaming alone.
    public var name: String
    /// The public key, a COSE key as received.
    public var publicKey: [UInt8]
    /// The authenticator's signature counter at the last use.
    public var signCount: UInt32
    /// Whether the authenticator has ever verified its user.
    public var uvInitialized: Bool
    /// How the authenticator can be reached, as the client reported it; unknown words are kept.
    public var transports: [String]
    /// Whether the key may be copied to other devices.
    public var backupEligible: Bool
    /// Whether it was, at the last use.
    public var backedUp: Bool
    /// The authenticator's model, 16 bytes.
    public var aaguid: [UInt8]
    /// How the registration was attested, `none` included.
    public var attestationFormat: String
    /// The attestation object as received, if it is kept.
    public var attestationObject: [UInt8]?
    /// The registration's client data as received, if it is kept.
    public var clientDataJSON: [UInt8]?
    /// The relying party the key was made for.
    public var rpID: String
    /// Seconds since 1970.
    public var createdAt: Int64
    /// Seconds since 1970; `nil` until the first sign-in.
    public var lastUsedAt: Int64?

    /// Puts a record together.
    public init(
        credentialID: [UInt8],
        accountID: AccountID,
        name: String,
        publicKey: [UInt8],
        signCount: UInt32,
        uvInitialized: Bool,
        transports: [String],
        backupEligible: Bool,
        backedUp: Bool,
        aaguid: [UInt8],
        attestationFormat: String,
        attestationObject: [UInt8]?,
        clientDataJSON: [UInt8]?,
        rpID: String,
        createdAt: Int64,
        lastUsedAt: Int64?
    ) {
        self.credentialID = credentialID
        self.accountID = accountID
        self.name = name
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
        self.createdAt = createdAt
        self.lastUsedAt = lastUsedAt
    }
}
