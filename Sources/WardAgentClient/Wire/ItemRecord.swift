/// An item as JSON.
///
/// Times are seconds since 1970; secrets are there only where they were asked for.
public struct ItemRecord: Codable, Hashable, Sendable {
    /// A place the item belongs to.
    public struct SiteRecord: Codable, Hashable, Sendable {
        /// An address, or `androidapp://…`, `iosapp://…`.
        public var address: String
        /// `domain`, `host`, `exact` or `never`.
        public var match: String

        package init(address: String, match: String) {
            self.address = address
            self.match = match
        }
    }

    /// A password.
    public struct PasswordRecord: Codable, Hashable, Sendable {
        /// The password of today; absent unless asked for.
        public var value: String?
        /// When it was set.
        public var changedAt: Int64
        /// How many it replaced.
        public var previous: Int
        /// Those it replaced, latest first; absent unless asked for.
        public var history: [PreviousPassword]?

        package init(value: String? = nil, changedAt: Int64, previous: Int, history: [PreviousPassword]? = nil) {
            self.value = value
            self.changedAt = changedAt
            self.previous = previous
            self.history = history
        }
    }

    /// A password that was replaced.
    public struct PreviousPassword: Codable, Hashable, Sendable {
        /// The password.
        public var value: String
        /// When it was replaced.
        public var replacedAt: Int64

        package init(value: String, replacedAt: Int64) {
            self.value = value
            self.replacedAt = replacedAt
        }
    }

    /// A secret that makes codes.
    public struct CodeRecord: Codable, Hashable, Sendable {
        /// `totp`, `hotp` or `steam`.
        public var type: String
        /// Who handed it out.
        public var issuer: String
        /// The account it is for.
        public var account: String
        /// Characters a code has.
        public var digits: Int
        /// Seconds a code lives; absent when it counts.
        public var period: Int?
        /// The `otpauth` link with the secret; absent unless asked for.
        public var link: String?

        package init(
            type: String,
            issuer: String,
            account: String,
            digits: Int,
            period: Int? = nil,
            link: String? = nil
        ) {
            self.type = type
            self.issuer = issuer
            self.account = account
            self.digits = digits
            self.period = period
            self.link = link
        }
    }

    /// A group of fields.
    public struct SectionRecord: Codable, Hashable, Sendable {
        /// The kind whose fields these are; empty for a person's own.
        public var kind: String
        /// What a person calls the group.
        public var label: String
        /// The fields.
        public var fields: [FieldRecord]

        package init(kind: String, label: String, fields: [FieldRecord]) {
            self.kind = kind
            self.label = label
            self.fields = fields
        }
    }

    /// A field.
    public struct FieldRecord: Codable, Hashable, Sendable {
        /// The name of a known field; empty for a person's own.
        public var name: String
        /// What a person calls it.
        public var label: String
        /// What kind of value it is, such as `string` or `concealed-string`.
        public var type: String
        /// The value, bytes in base64url; absent when it is concealed and was not asked for.
        public var value: String?

        package init(name: String, label: String, type: String, value: String? = nil) {
            self.name = name
            self.label = label
            self.type = type
            self.value = value
        }
    }

    /// The item's name.
    public var id: String
    /// What it mainly is.
    public var kind: String
    /// What a person calls it.
    public var title: String
    /// Where it belongs.
    public var sites: [SiteRecord]
    /// The name to sign in with.
    public var username: String
    /// The password.
    public var password: PasswordRecord?
    /// The passkeys, without their keys.
    public var passkeys: [PasskeyRecord]
    /// The secrets of codes.
    public var codes: [CodeRecord]
    /// Text; absent when there is some and it was not asked for.
    public var notes: String?
    /// The fields.
    public var sections: [SectionRecord]
    /// Words to find it by.
    public var tags: [String]
    /// Whether it is listed first.
    public var isFavorite: Bool
    /// When it was made.
    public var createdAt: Int64
    /// When a person last changed it.
    public var modifiedAt: Int64
    /// When it went to the trash.
    public var deletedAt: Int64?
    /// The state that was read.
    public var revision: String?

    package init(
        id: String,
        kind: String,
        title: String,
        sites: [SiteRecord],
        username: String,
        password: PasswordRecord? = nil,
        passkeys: [PasskeyRecord],
        codes: [CodeRecord],
        notes: String? = nil,
        sections: [SectionRecord],
        tags: [String],
        isFavorite: Bool,
        createdAt: Int64,
        modifiedAt: Int64,
        deletedAt: Int64? = nil,
        revision: String? = nil
    ) {
        self.id = id
        self.kind = kind
        self.title = title
        self.sites = sites
        self.username = username
        self.password = password
        self.passkeys = passkeys
        self.codes = codes
        self.notes = notes
        self.sections = sections
        self.tags = tags
        self.isFavorite = isFavorite
        self.createdAt = createdAt
        self.modifiedAt = modifiedAt
        self.deletedAt = deletedAt
        self.revision = revision
    }
}

/// A passkey as JSON, without its key.
public struct PasskeyRecord: Codable, Hashable, Sendable {
    /// The credential's name in base64url.
    public var credentialID: String
    /// The item it is in.
    public var item: String
    /// The RP ID.
    public var rpID: String
    /// The site's name for the account, in base64url.
    public var userHandle: String
    /// The account's name.
    public var userName: String
    /// The person's name.
    public var userDisplayName: String
    /// What the key signs with, such as `ES256`.
    public var algorithm: String
    /// Whether the site said that it no longer knows it.
    public var isHidden: Bool
    /// When it was made.
    public var createdAt: Int64
    /// When it was last used.
    public var lastUsedAt: Int64?

    package init(
        credentialID: String,
        item: String,
        rpID: String,
        userHandle: String,
        userName: String,
        userDisplayName: String,
        algorithm: String,
        isHidden: Bool,
        createdAt: Int64,
        lastUsedAt: Int64? = nil
    ) {
        self.credentialID = credentialID
        self.item = item
        self.rpID = rpID
        self.userHandle = userHandle
        self.userName = userName
        self.userDisplayName = userDisplayName
        self.algorithm = algorithm
        self.isHidden = isHidden
        self.createdAt = createdAt
        self.lastUsedAt = lastUsedAt
    }
}

/// What lists show of an item, as JSON.
public struct SummaryRecord: Codable, Hashable, Sendable {
    /// The item's name.
    public var id: String
    /// What it mainly is.
    public var kind: String
    /// What a person calls it.
    public var title: String
    /// The name to sign in with.
    public var username: String
    /// Where it belongs.
    public var sites: [String]
    /// Words to find it by.
    public var tags: [String]
    /// Whether it is listed first.
    public var isFavorite: Bool
    /// Whether its latest revision cannot be read, so that this is what an older one says; absent otherwise.
    public var isDamaged: Bool?
    /// Whether it has a password.
    public var hasPassword: Bool
    /// How many secrets of codes it has.
    public var codes: Int
    /// How many passkeys it has.
    public var passkeys: Int
    /// When a person last changed it.
    public var modifiedAt: Int64
    /// When it went to the trash.
    public var deletedAt: Int64?

    package init(
        id: String,
        kind: String,
        title: String,
        username: String,
        sites: [String],
        tags: [String],
        isFavorite: Bool,
        isDamaged: Bool? = nil,
        hasPassword: Bool,
        codes: Int,
        passkeys: Int,
        modifiedAt: Int64,
        deletedAt: Int64? = nil
    ) {
        self.id = id
        self.kind = kind
        self.title = title
        self.username = username
        self.sites = sites
        self.tags = tags
        self.isFavorite = isFavorite
        self.isDamaged = isDamaged
        self.hasPassword = hasPassword
        self.codes = codes
        self.passkeys = passkeys
        self.modifiedAt = modifiedAt
        self.deletedAt = deletedAt
    }
}

/// A state of an item, as JSON.
public struct RevisionRecord: Codable, Hashable, Sendable {
    /// The state's name.
    public var id: String
    /// 1 for the first.
    public var number: Int
    /// When it was made.
    public var time: Int64
    /// The device that made it.
    public var device: String
    /// What it did: `created`, `edited`, `used`, …; absent when the state is no longer kept.
    public var change: String?
    /// What the item was called.
    public var title: String?

    package init(id: String, number: Int, time: Int64, device: String, change: String? = nil, title: String? = nil) {
        self.id = id
        self.number = number
        self.time = time
        self.device = device
        self.change = change
        self.title = title
    }
}
