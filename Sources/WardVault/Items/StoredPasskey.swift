public import WardCOSE
public import WardWebAuthn

/// A passkey: the private key and the site's data.
public struct StoredPasskey: Hashable, Sendable {
    /// The origin of a passkey.
    public struct Creator: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// The word for the origin in the file.
        public let rawValue: String
        /// Takes any word.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// The word itself.
        public var description: String { rawValue }

        /// A person created the passkey in a ceremony.
        public static let user = Self(rawValue: "user")
        /// A site created the passkey without a prompt, after a sign-in with a password.
        public static let upgrade = Self(rawValue: "upgrade")
        /// The passkey was imported from another manager.
        public static let imported = Self(rawValue: "import")
    }

    /// The secrets for the `prf` and `hmac-secret` extensions, which never change.
    public struct PRFSecrets: Hashable, Sendable {
        /// The secret for verified users: 32 bytes.
        public let withVerification: SecretBytes
        /// The secret without user verification.
        ///
        /// It is `nil` if another manager stored only one secret.
        public let withoutVerification: SecretBytes?

        /// Creates secrets.
        public init(withVerification: SecretBytes, withoutVerification: SecretBytes?) {
            self.withVerification = withVerification
            self.withoutVerification = withoutVerification
        }
    }

    /// The credential ID.
    public let credentialID: CredentialID
    /// The RP ID.
    public let rpID: String
    /// The relying party's name.
    public var rpName: String
    /// The user handle: at most 64 bytes.
    public let userHandle: UserHandle
    /// The user name, which the site may change.
    public var userName: String
    /// The display name, which the site may change.
    public var userDisplayName: String
    /// The signature algorithm.
    public let algorithm: COSEAlgorithmIdentifier
    /// The private key as PKCS#8 (RFC 5958), in DER.
    public let privateKey: SecretBytes
    /// The secrets for `prf`, if any.
    public var prf: PRFSecrets?
    /// The backup eligibility flag; it never changes (WebAuthn Level 3, §6.1.3).
    public let isBackupEligible: Bool
    /// The backup state flag at the time of creation or import.
    ///
    /// Sites see ``Vault/isBackedUp(credentialID:)``.
    public let isBackedUp: Bool
    /// The time of creation, in seconds since 1970.
    public let createdAt: Int64
    /// The origin of the passkey.
    public let createdBy: Creator
    /// The time of the last use, in seconds since 1970.
    public var lastUsedAt: Int64?
    /// Whether the passkey is hidden because of a site's signal.
    ///
    /// A signal never deletes a passkey.
    public var isHidden: Bool
    /// The level of the `credProtect` extension, 1 to 3, if requested.
    public var protection: Int?
    /// The content of the `largeBlob` extension.
    public var largeBlob: SecretBytes?
    var unknown = UnknownFields()

    /// Creates a passkey.
    ///
    /// A new key is backup eligible and not backed up; an imported one keeps its flags.
    public init(
        credentialID: CredentialID,
        rpID: String,
        rpName: String = "",
        userHandle: UserHandle,
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
        self.rpID = rpID
        self.rpName = rpName
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
