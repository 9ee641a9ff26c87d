public import WardCOSE
public import WardWebAuthn

/// What a ``PasskeyStore`` says of a passkey without its secrets: all that an authenticator needs before the person agrees.
public struct PasskeyInfo: Hashable, Sendable {
    /// The credential ID.
    public let id: CredentialID
    /// The relying party it is for.
    public let rpID: String
    /// The account at the relying party.
    public let userHandle: UserHandle
    /// The account's name; text from outside.
    public let userName: String
    /// The person's name; text from outside.
    public let userDisplayName: String
    /// What the key signs with.
    public let algorithm: COSEAlgorithmIdentifier
    /// How well it is guarded, as CTAP 2.3, section 12.1, has it; absent means level 1.
    public let protection: CredentialProtectionPolicy?
    /// BE, which never changes in a passkey's life.
    ///
    /// WebAuthn Level 3, [§6.1.3](https://www.w3.org/TR/webauthn-3/#sctn-credential-backup).
    public let isBackupEligible: Bool
    /// BS: whether a copy exists elsewhere now.
    ///
    /// It may change from call to call.
    public let isBackedUp: Bool
    /// When it was made, in seconds since 1970.
    public let createdAt: Int64

    /// Describes a passkey.
    public init(
        id: CredentialID,
        rpID: String,
        userHandle: UserHandle,
        userName: String = "",
        userDisplayName: String = "",
        algorithm: COSEAlgorithmIdentifier,
        protection: CredentialProtectionPolicy? = nil,
        isBackupEligible: Bool = true,
        isBackedUp: Bool = false,
        createdAt: Int64
    ) {
        self.id = id
        self.rpID = rpID
        self.userHandle = userHandle
        self.userName = userName
        self.userDisplayName = userDisplayName
        self.algorithm = algorithm
        self.protection = protection
        self.isBackupEligible = isBackupEligible
        self.isBackedUp = isBackedUp
        self.createdAt = createdAt
    }

    /// Whether it may be used at all, given what is known of the person and whether the request names it.
    ///
    /// CTAP 2.3, section 12.1: level 3 needs a verified person, level 2 that or the credential ID.
    func mayAnswer(isVerified: Bool, isNamed: Bool) -> Bool {
        switch protection?.level ?? 1 {
        case 3: isVerified
        case 2: isVerified || isNamed
        default: true
        }
    }
}

/// A passkey that is to be made, as the relying party describes it.
public struct NewPasskey: Hashable, Sendable {
    /// The credential ID, which nobody has yet.
    public let id: CredentialID
    /// The relying party it is for.
    public let rpID: String
    /// What the relying party calls itself, at most 1,024 bytes; text from outside.
    public let rpName: String
    /// The account at the relying party.
    public let userHandle: UserHandle
    /// The account's name, at most 1,024 bytes; text from outside.
    public let userName: String
    /// The person's name, at most 1,024 bytes; text from outside.
    public let userDisplayName: String
    /// What the key signs with.
    public let algorithm: COSEAlgorithmIdentifier
    /// How well it is guarded, as CTAP 2.3, section 12.1, has it; absent means level 1.
    public let protection: CredentialProtectionPolicy?
    /// When it is made, in seconds since 1970.
    public let createdAt: Int64
    /// Whether nobody is asked: an upgrade after a sign-in with a password.
    public let isUpgrade: Bool

    /// Describes a passkey.
    public init(
        id: CredentialID,
        rpID: String,
        rpName: String = "",
        userHandle: UserHandle,
        userName: String = "",
        userDisplayName: String = "",
        algorithm: COSEAlgorithmIdentifier,
        protection: CredentialProtectionPolicy? = nil,
        createdAt: Int64,
        isUpgrade: Bool = false
    ) {
        self.id = id
        self.rpID = rpID
        self.rpName = rpName
        self.userHandle = userHandle
        self.userName = userName
        self.userDisplayName = userDisplayName
        self.algorithm = algorithm
        self.protection = protection
        self.createdAt = createdAt
        self.isUpgrade = isUpgrade
    }
}
