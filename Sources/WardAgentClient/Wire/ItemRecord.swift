/// An item as JSON.
///
/// Times are seconds since 1970. Secrets are included only if requested.
package struct ItemRecord: Codable, Hashable, Sendable {
    /// The item ID.
    package var id: String
    package var kind: String
    package var title: String
    package var sites: [SiteRecord]
    /// The name that the site gives itself; `nil` if it is unknown.
    package var siteName: String?
    /// The user name.
    package var username: String
    package var password: PasswordRecord?
    /// The passkeys, without their keys.
    package var passkeys: [PasskeyRecord]
    /// The secrets of verification codes.
    package var codes: [CodeRecord]
    /// The notes; `nil` if there are notes and they were not requested.
    package var notes: String?
    /// The fields.
    package var sections: [SectionRecord]
    package var tags: [String]
    /// Whether the item is a favourite.
    package var isFavorite: Bool
    /// The attached files, without their contents.
    package var attachments: [AttachmentRecord] = []
    /// Other values that were entered at the same time on other devices, oldest first; `nil` if there are none.
    package var conflicts: [ConflictRecord]?
    /// The time of creation.
    package var createdAt: Int64
    /// The time of the last change by a person.
    package var modifiedAt: Int64
    /// The time when the item was moved to the trash.
    package var deletedAt: Int64?
    /// The revision that was read.
    package var revision: String?
    /// Whether what was added became part of this entry, which was there before.
    package var isJoined: Bool?

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

/// Changes to an item.
///
/// Values that are absent stay as they are.
package struct ItemChange: Codable, Sendable {
    package var title: String?
    /// The user name.
    package var username: String?
    /// The new password.
    ///
    /// An empty text removes the password.
    ///
    /// The old password moves to the history.
    package var password: String?
    package var notes: String?
    /// Sites to add.
    package var addSites: [String] = []
    /// Sites to remove.
    package var removeSites: [String] = []
    /// How added sites match: `domain`, `host`, `exact` or `never`.
    package var match: String?
    /// Tags to add.
    package var addTags: [String] = []
    /// Tags to remove.
    package var removeTags: [String] = []
    /// Whether the item is a favourite.
    package var isFavorite: Bool?
    /// `otpauth` links to add.
    package var addCodes: [String] = []
    /// The indexes of codes to remove, counted from 0.
    package var removeCodes: [Int] = []
    /// Files to attach; `nil` for none.
    package var addAttachments: [NewAttachment]?
    /// Names or IDs of attachments to remove; `nil` for none.
    package var removeAttachments: [String]?
    /// Fields to set or remove.
    package var fields: [FieldChange] = []
    /// The indexes, counted from 0, of conflicts in ``ItemRecord/conflicts``.
    ///
    /// The item takes the values of these conflicts.
    ///
    /// These conflicts are then removed. The indexes refer to the item before this change.
    package var takeConflicts: [Int]?
    /// Whether all other conflicts are removed.
    ///
    /// The item keeps the values that it shows.
    package var settleConflicts: Bool?

    /// Creates an empty change.
    package init() {}
}
