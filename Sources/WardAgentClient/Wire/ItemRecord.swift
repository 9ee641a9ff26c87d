/// An item as JSON.
///
/// Times are seconds since 1970. Secrets are included only if requested.
public struct ItemRecord: Codable, Hashable, Sendable {
    /// A site of the item.
    public struct SiteRecord: Codable, Hashable, Sendable {
        /// A URL, or `androidapp://…`, `iosapp://…`.
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
        /// The current password; `nil` unless requested.
        public var value: String?
        /// When it was set.
        public var changedAt: Int64
        /// The number of earlier passwords.
        public var previous: Int
        /// The earlier passwords, latest first; `nil` unless requested.
        public var history: [PreviousPassword]?

        package init(value: String? = nil, changedAt: Int64, previous: Int, history: [PreviousPassword]? = nil) {
            self.value = value
            self.changedAt = changedAt
            self.previous = previous
            self.history = history
        }
    }

    /// An earlier password.
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

    /// The secret of a verification code.
    public struct CodeRecord: Codable, Hashable, Sendable {
        /// `totp`, `hotp` or `steam`.
        public var type: String
        /// The issuer of the secret.
        public var issuer: String
        /// The account of the code.
        public var account: String
        /// The number of characters of a code.
        public var digits: Int
        /// The lifetime of a code in seconds; `nil` if it is counter-based.
        public var period: Int?
        /// The `otpauth` link with the secret; `nil` unless requested.
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
        /// The kind that defines these fields; empty for a group that the person made.
        public var kind: String
        /// The label of the group.
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
        /// The name of a known field; empty for a field that the person made.
        public var name: String
        /// The label of the field.
        public var label: String
        /// The type of the value, such as `string` or `concealed-string`.
        public var type: String
        /// The value, bytes in base64url; `nil` if it is hidden and was not requested.
        public var value: String?

        package init(name: String, label: String, type: String, value: String? = nil) {
            self.name = name
            self.label = label
            self.type = type
            self.value = value
        }
    }

    /// A value that was entered on one device while another device changed the same value; the item shows the other one.
    public struct ConflictRecord: Codable, Hashable, Sendable {
        /// `title`, `username`, `password`, `notes`, `kind`, or the name or label of a field.
        public var name: String
        /// The value; `nil` if it is hidden and was not requested.
        public var value: String?
        /// The device on which the value was entered.
        public var device: String
        /// When it was entered.
        public var time: Int64

        package init(name: String, value: String? = nil, device: String, time: Int64) {
            self.name = name
            self.value = value
            self.device = device
            self.time = time
        }
    }

    /// The item ID.
    public var id: String
    /// The kind.
    public var kind: String
    /// The title.
    public var title: String
    /// The sites.
    public var sites: [SiteRecord]
    /// The user name.
    public var username: String
    /// The password.
    public var password: PasswordRecord?
    /// The passkeys, without their keys.
    public var passkeys: [PasskeyRecord]
    /// The secrets of verification codes.
    public var codes: [CodeRecord]
    /// The notes; `nil` if there are notes that were not requested.
    public var notes: String?
    /// The fields.
    public var sections: [SectionRecord]
    /// The tags.
    public var tags: [String]
    /// Whether the item is a favourite.
    public var isFavorite: Bool
    /// Other values that were entered at the same time on other devices, oldest first; `nil` if there are none.
    public var conflicts: [ConflictRecord]?
    /// When it was created.
    public var createdAt: Int64
    /// When a person last changed it.
    public var modifiedAt: Int64
    /// When it was moved to the trash.
    public var deletedAt: Int64?
    /// The revision that was read.
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
        conflicts: [ConflictRecord]? = nil,
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
        self.conflicts = conflicts
        self.createdAt = createdAt
        self.modifiedAt = modifiedAt
        self.deletedAt = deletedAt
        self.revision = revision
    }
}

/// A passkey as JSON, without its private key.
public struct PasskeyRecord: Codable, Hashable, Sendable {
    /// The credential ID in base64url.
    public var credentialID: String
    /// The item ID.
    public var item: String
    /// The RP ID.
    public var rpID: String
    /// The user handle in base64url.
    public var userHandle: String
    /// The user name.
    public var userName: String
    /// The display name.
    public var userDisplayName: String
    /// The signature algorithm, such as `ES256`.
    public var algorithm: String
    /// Whether the site signalled that it no longer knows the passkey.
    public var isHidden: Bool
    /// When it was created.
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

/// An item in a list, as JSON.
public struct SummaryRecord: Codable, Hashable, Sendable {
    /// The item ID.
    public var id: String
    /// The kind.
    public var kind: String
    /// The title.
    public var title: String
    /// The user name.
    public var username: String
    /// The sites.
    public var sites: [String]
    /// The tags.
    public var tags: [String]
    /// Whether the item is a favourite.
    public var isFavorite: Bool
    /// Whether its latest revision cannot be read, so that these are the values of an older one; otherwise `nil`.
    public var isDamaged: Bool?
    /// The number of its conflicts, as in ``ItemRecord/conflicts``; `nil` if there are none.
    public var conflicts: Int?
    /// Whether it has a password.
    public var hasPassword: Bool
    /// The number of verification codes.
    public var codes: Int
    /// The number of passkeys.
    public var passkeys: Int
    /// When a person last changed it.
    public var modifiedAt: Int64
    /// When it was moved to the trash.
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
        conflicts: Int? = nil,
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
        self.conflicts = conflicts
        self.hasPassword = hasPassword
        self.codes = codes
        self.passkeys = passkeys
        self.modifiedAt = modifiedAt
        self.deletedAt = deletedAt
    }
}

/// A revision of an item, as JSON.
public struct RevisionRecord: Codable, Hashable, Sendable {
    /// The revision ID.
    public var id: String
    /// The number of the revision, from 1.
    public var number: Int
    /// When it was made.
    public var time: Int64
    /// The device that made it.
    public var device: String
    /// The change: `created`, `edited`, `used`, …; `nil` if the revision's content is no longer kept.
    public var change: String?
    /// The title in this revision.
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
