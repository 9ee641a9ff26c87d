public import Crypto
public import WardCOSE
public import WardWebAuthn

/// A passkey as a ``CredentialStore`` keeps it: the private half, and all that an authenticator must remember.
///
/// Nothing here prints its secrets.
public struct StoredCredential: Sendable, CustomStringConvertible, CustomReflectable {
    /// The two secrets behind `hmac-secret` and `prf`, which never change: 32 random bytes each.
    ///
    /// CTAP 2.3, section 12.5.
    public struct HMACSecrets: Sendable, CustomStringConvertible, CustomReflectable {
        /// What is used where the person was verified; `prf` uses no other.
        public let withVerification: SymmetricKey
        /// What is used where nobody was verified; `nil` where another manager kept one only.
        public let withoutVerification: SymmetricKey?

        /// Keeps both.
        public init(withVerification: SymmetricKey, withoutVerification: SymmetricKey?) {
            self.withVerification = withVerification
            self.withoutVerification = withoutVerification
        }

        /// Nothing of the secrets.
        public var description: String { "HMACSecrets" }
        /// Nothing of the secrets.
        public var customMirror: Mirror { Mirror(self, children: [:]) }
    }

    /// The credential's name.
    public let id: CredentialID
    /// Whom it is for.
    public let relyingPartyID: String
    /// What the relying party calls itself, in its own words; at most 1,024 bytes when made here.
    public var relyingPartyName: String
    /// The relying party's name for the account.
    public let userHandle: UserHandle
    /// The account's name; at most 1,024 bytes when made here.
    public var userName: String
    /// The person's name; at most 1,024 bytes when made here.
    public var userDisplayName: String
    /// What signs.
    public let privateKey: COSEPrivateKey
    /// What is behind `hmac-secret` and `prf`; every passkey made here has it.
    public let hmacSecrets: HMACSecrets?
    /// How well it is guarded, as CTAP 2.3, section 12.1, has it; absent means level 1.
    public let protection: CredentialProtectionPolicy?
    /// BE, which never changes in a passkey's life.
    ///
    /// WebAuthn Level 3, [§6.1.3](https://www.w3.org/TR/webauthn-3/#sctn-credential-backup).
    public let isBackupEligible: Bool
    /// BS: whether a copy exists elsewhere now; a store answers it anew each time.
    public let isBackedUp: Bool
    /// When it was made, in seconds since 1970.
    public let createdAt: Int64
    /// Whether nobody was asked when it was made: an upgrade after a sign-in with a password.
    public let isUpgrade: Bool
    /// What the relying party keeps with it.
    public var largeBlob: [UInt8]?

    /// Puts a credential together.
    public init(
        id: CredentialID,
        relyingPartyID: String,
        relyingPartyName: String = "",
        userHandle: UserHandle,
        userName: String = "",
        userDisplayName: String = "",
        privateKey: COSEPrivateKey,
        hmacSecrets: HMACSecrets?,
        protection: CredentialProtectionPolicy? = nil,
        isBackupEligible: Bool = true,
        isBackedUp: Bool = false,
        createdAt: Int64,
        isUpgrade: Bool = false,
        largeBlob: [UInt8]? = nil
    ) {
        self.id = id
        self.relyingPartyID = relyingPartyID
        self.relyingPartyName = relyingPartyName
        self.userHandle = userHandle
        self.userName = userName
        self.userDisplayName = userDisplayName
        self.privateKey = privateKey
        self.hmacSecrets = hmacSecrets
        self.protection = protection
        self.isBackupEligible = isBackupEligible
        self.isBackedUp = isBackedUp
        self.createdAt = createdAt
        self.isUpgrade = isUpgrade
        self.largeBlob = largeBlob
    }

    /// Its name and whom it is for.
    public var description: String { "StoredCredential(\(id) for \(relyingPartyID))" }
    /// Shows no secret to whoever dumps the value.
    public var customMirror: Mirror {
        Mirror(self, children: ["id": id, "relyingPartyID": relyingPartyID, "userHandle": userHandle])
    }

    /// Whether it may be used at all, given what is known of the person and whether it was asked for by name.
    ///
    /// CTAP 2.3, section 12.1: level 3 needs a verified person, level 2 that or the credential's name.
    func mayAnswer(isVerified: Bool, isNamed: Bool) -> Bool {
        switch protection?.level ?? 1 {
        case 3: isVerified
        case 2: isVerified || isNamed
        default: true
        }
    }
}
