public import WardCOSE
public import WardWebAuthn

/// A passkey as a ``PasskeyStore`` lists it, without its secrets.
///
/// The authenticator needs no other data before the person agrees.
public struct PasskeyInfo: Hashable, Sendable {
    /// The credential ID.
    public let id: CredentialID
    /// The RP ID of the passkey.
    public let rpID: String
    /// The user handle of the account at the relying party.
    public let userHandle: UserHandle
    /// The user name of the account; text from outside.
    public let userName: String
    /// The display name of the account; text from outside.
    public let userDisplayName: String
    /// The signature algorithm of the key.
    public let algorithm: COSEAlgorithmIdentifier
    /// The protection level of CTAP 2.3, section 12.1.
    ///
    /// If it is absent, it is level 1.
    public let protection: CredentialProtectionPolicy?
    /// BE.
    ///
    /// It never changes after the passkey was created.
    ///
    /// WebAuthn Level 3, [§6.1.3](https://www.w3.org/TR/webauthn-3/#sctn-credential-backup).
    public let isBackupEligible: Bool
    /// BS: whether a copy of the passkey exists elsewhere now.
    ///
    /// It may change from call to call.
    public let isBackedUp: Bool
    /// The time of creation, in seconds since 1970.
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

    /// Whether the passkey may be used in a request.
    ///
    /// That depends on two facts: whether the person was verified, and whether the request lists the passkey.
    ///
    /// CTAP 2.3, section 12.1: level 3 needs a verified person, level 2 a verified person or the credential ID.
    func mayAnswer(isVerified: Bool, isNamed: Bool) -> Bool {
        switch protection?.level ?? 1 {
        case 3: isVerified
        case 2: isVerified || isNamed
        default: true
        }
    }
}

/// A new passkey, as the relying party requests it.
public struct NewPasskey: Hashable, Sendable {
    /// The credential ID.
    ///
    /// No other passkey has it.
    public let id: CredentialID
    /// The RP ID of the passkey.
    public let rpID: String
    /// The name of the relying party, at most 1,024 bytes; text from outside.
    public let rpName: String
    /// The user handle of the account at the relying party.
    public let userHandle: UserHandle
    /// The user name of the account, at most 1,024 bytes; text from outside.
    public let userName: String
    /// The display name of the account, at most 1,024 bytes; text from outside.
    public let userDisplayName: String
    /// The signature algorithm of the key.
    public let algorithm: COSEAlgorithmIdentifier
    /// The protection level of CTAP 2.3, section 12.1.
    ///
    /// If it is absent, it is level 1.
    public let protection: CredentialProtectionPolicy?
    /// The time of creation, in seconds since 1970.
    public let createdAt: Int64
    /// Whether the passkey is created without a prompt, after a sign-in with a password.
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
