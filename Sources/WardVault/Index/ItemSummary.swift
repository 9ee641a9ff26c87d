public import WardCOSE
public import WardWebAuthn

/// An item in lists and lookups, without its secrets.
public struct ItemSummary: Hashable, Sendable, Identifiable {
    /// A passkey without its private key.
    public struct Passkey: Hashable, Sendable {
        /// The credential ID.
        public var credentialID: CredentialID
        /// The RP ID.
        public var rpID: String
        /// The user handle.
        public var userHandle: UserHandle
        /// The user name.
        public var userName: String
        /// The display name.
        public var userDisplayName: String
        /// The signature algorithm.
        public var algorithm: COSEAlgorithmIdentifier
        /// Whether the passkey is hidden.
        public var isHidden: Bool
        /// The time of creation, in seconds since 1970.
        public var createdAt: Int64
        /// The time of the last use, in seconds since 1970.
        public var lastUsedAt: Int64?
        /// The level of the `credProtect` extension, 1 to 3, if the site asked for one.
        public var protection: Int?
        /// The backup eligibility flag.
        public var isBackupEligible: Bool

        /// Whether Ward can sign with keys of this algorithm.
        ///
        /// Other keys are stored only for the manager that they came from.
        package var canSign: Bool { PKCS8.algorithms.contains(algorithm) }
    }

    /// The item ID.
    public var id: ItemID
    /// The kind.
    public var kind: ItemKind
    /// The title.
    public var title: String
    /// The user name.
    public var username: String
    /// The sites.
    public var sites: [Site]
    /// The tags.
    public var tags: [String]
    /// Whether the item is a favourite.
    public var isFavorite: Bool
    /// Whether the item has a password.
    public var hasPassword: Bool
    /// The number of verification codes.
    public var codeCount: Int
    /// Its passkeys.
    public var passkeys: [Passkey]
    /// The number of conflicts that are not settled; see ``Item/conflicts``.
    public var conflictCount: Int
    /// The name of the site; see ``Item/appearance``.
    public var siteName: String
    /// The time when the name and the icon of the site were fetched, in seconds since 1970; `nil` if there are none.
    public var appearanceFetchedAt: Int64?
    /// The time of creation, in seconds since 1970.
    public var createdAt: Int64
    /// The time of the last change, in seconds since 1970.
    public var modifiedAt: Int64
    /// The time when the item was moved to the trash, in seconds since 1970.
    public var deletedAt: Int64?

    /// Whether the item is in the trash.
    public var isInTrash: Bool { deletedAt != nil }

    package init(_ item: Item) {
        id = item.id
        kind = item.kind
        title = item.title
        username = item.username
        sites = item.sites
        tags = item.tags
        isFavorite = item.isFavorite
        hasPassword = item.password.map { !$0.value.isEmpty } ?? false
        codeCount = item.codes.count
        passkeys = item.passkeys.map { passkey in
            Passkey(
                credentialID: passkey.credentialID,
                rpID: passkey.rpID,
                userHandle: passkey.userHandle,
                userName: passkey.userName,
                userDisplayName: passkey.userDisplayName,
                algorithm: passkey.algorithm,
                isHidden: passkey.isHidden,
                createdAt: passkey.createdAt,
                lastUsedAt: passkey.lastUsedAt,
                protection: passkey.protection,
                isBackupEligible: passkey.isBackupEligible
            )
        }
        conflictCount = item.conflicts.count
        siteName = item.appearance?.name ?? ""
        appearanceFetchedAt = item.appearance?.fetchedAt
        createdAt = item.createdAt
        modifiedAt = item.modifiedAt
        deletedAt = item.deletedAt
    }
}
