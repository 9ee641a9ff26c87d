public import WardCOSE

/// What lists and look-ups need of an item, without its secrets.
public struct ItemSummary: Hashable, Sendable, Identifiable {
    /// What is known of a passkey without its key.
    public struct Passkey: Hashable, Sendable {
        /// The credential's name at the site.
        public var credentialID: [UInt8]
        /// The RP ID.
        public var relyingPartyID: String
        /// The site's name for the account.
        public var userHandle: [UInt8]
        /// The account's name.
        public var userName: String
        /// The person's name.
        public var userDisplayName: String
        /// What the key signs with.
        public var algorithm: COSEAlgorithmIdentifier
        /// Whether it is no longer offered.
        public var isHidden: Bool
        /// When it was made, in seconds since 1970.
        public var createdAt: Int64
        /// When it was last used, in seconds since 1970.
        public var lastUsedAt: Int64?
    }

    /// The item's name.
    public var id: ItemID
    /// What it mainly is.
    public var kind: ItemKind
    /// What a person calls it.
    public var title: String
    /// The name to sign in with.
    public var username: String
    /// Where it belongs.
    public var sites: [Site]
    /// Words to find it by.
    public var tags: [String]
    /// Whether it is listed first.
    public var isFavorite: Bool
    /// Whether it has a password.
    public var hasPassword: Bool
    /// How many secrets for codes it has.
    public var codeCount: Int
    /// Its passkeys.
    public var passkeys: [Passkey]
    /// When it was made, in seconds since 1970.
    public var createdAt: Int64
    /// When it was last changed, in seconds since 1970.
    public var modifiedAt: Int64
    /// When it went to the trash, in seconds since 1970.
    public var deletedAt: Int64?

    /// Whether the item is in the trash.
    public var isInTrash: Bool { deletedAt != nil }

    init(_ item: Item) {
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
                relyingPartyID: passkey.relyingPartyID,
                userHandle: passkey.userHandle,
                userName: passkey.userName,
                userDisplayName: passkey.userDisplayName,
                algorithm: passkey.algorithm,
                isHidden: passkey.isHidden,
                createdAt: passkey.createdAt,
                lastUsedAt: passkey.lastUsedAt
            )
        }
        createdAt = item.createdAt
        modifiedAt = item.modifiedAt
        deletedAt = item.deletedAt
    }
}
