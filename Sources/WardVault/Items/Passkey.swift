public import WardCOSE

/// A passkey: the private half, and what the site said when it was made.
public struct Passkey: Hashable, Sendable {
    /// Who asked for it.
    public struct Creator: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// The word in the file.
        public let rawValue: String
        /// Takes any word.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// The word itself.
        public var description: String { rawValue }

        /// A person, in a ceremony of their own.
        public static let user = Self(rawValue: "user")
        /// A site, silently, after a sign-in with the password.
        public static let upgrade = Self(rawValue: "upgrade")
        /// Another manager handed it over.
        public static let imported = Self(rawValue: "import")
    }

    /// The secrets behind the `prf` and `hmac-secret` extensions, which must never change.
    public struct PRFSecrets: Hashable, Sendable {
        /// What is used when the person was verified: 32 bytes.
        public let withVerification: SecretBytes
        /// What is used when the person was not; `nil` where another manager kept one only.
        public let withoutVerification: SecretBytes?

        /// Keeps both.
        public init(withVerification: SecretBytes, withoutVerification: SecretBytes?) {
            self.withVerification = withVerification
            self.withoutVerification = withoutVerification
        }
    }

    /// The credential's name at the site.
    public let credentialID: [UInt8]
    /// The RP ID.
    public let relyingPartyID: String
    /// What the site calls itself.
    public var relyingPartyName: String
    /// The site's name for the account: at most 64 bytes.
    public let userHandle: [UInt8]
    /// The account's name, which the site may change.
    public var userName: String
    /// The person's name, which the site may change.
    public var userDisplayName: String
    /// What the key signs with.
    public let algorithm: COSEAlgorithmIdentifier
    /// The private key as PKCS#8 (RFC 5958), in DER.
    public let privateKey: SecretBytes
    /// The secrets behind `prf`, if the passkey has any.
    public var prf: PRFSecrets?
    /// The backup eligibility flag; never changes in a passkey's life (WebAuthn Level 3, §6.1.3).
    public let isBackupEligible: Bool
    /// The backup state flag of the day it was made; what sites see is ``Vault/isBackedUp(credentialID:)``.
    public let isBackedUp: Bool
    /// When it was made, in seconds since 1970.
    public let createdAt: Int64
    /// Who asked for it.
    public let createdBy: Creator
    /// When it was last used, in seconds since 1970.
    public var lastUsedAt: Int64?
    /// Whether it is no longer offered because the site said so; it is never deleted for that.
    public var isHidden: Bool
    /// The level of the `credProtect` extension, 1 to 3, if the site asked for one.
    public var protection: Int?
    /// What the site keeps in the `largeBlob` extension.
    public var largeBlob: SecretBytes?
    var unknown = UnknownFields()

    /// Puts a passkey together.
    ///
    /// A key made here may be backed up and is in no copy yet; the flags of an imported one stay what they were.
    public init(
        credentialID: [UInt8],
        relyingPartyID: String,
        relyingPartyName: String = "",
        userHandle: [UInt8],
        userName: String = "",
        userDisplayName: String = "",
        algorithm: COSEAlgorithmIdentifier,
        privateKey: SecretBytes,
        prf: PRFSecrets? = nil,
        isBackupEligible: Bool = true,
        isBackedUp: Bool = false,
        createdAt: Int64,
        createdBy: Creator = .user,
        lastUsedAt: Int64? = nil,
        isHidden: Bool = false,
        protection: Int? = nil,
        largeBlob: SecretBytes? = nil
    ) {
        self.credentialID = credentialID
        self.relyingPartyID = relyingPartyID
        self.relyingPartyName = relyingPartyName
        self.userHandle = userHandle
        self.userName = userName
        self.userDisplayName = userDisplayName
        self.algorithm = algorithm
        self.privateKey = privateKey
        self.prf = prf
        self.isBackupEligible = isBackupEligible
        self.isBackedUp = isBackedUp
        self.createdAt = createdAt
        self.createdBy = createdBy
        self.lastUsedAt = lastUsedAt
        self.isHidden = isHidden
        self.protection = protection
        self.largeBlob = largeBlob
    }
}
