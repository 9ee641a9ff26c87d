internal import WardCBOR

/// An account at one site, or another entry such as a note or a card.
///
/// An item is a value: changes affect the vault only when the item is written in a transaction.
public struct Item: Hashable, Sendable, Identifiable {
    /// The item ID, which never changes.
    public private(set) var id: ItemID
    /// The kind.
    public var kind: ItemKind
    /// The title.
    public var title: String
    /// The sites.
    public var sites: [Site]
    /// The user name.
    public var username: String
    /// The password and the earlier passwords.
    public var password: Password?
    /// The passkeys.
    public var passkeys: [StoredPasskey]
    /// The secrets of verification codes.
    public var codes: [OneTimePassword]
    /// The notes.
    public var notes: SecretText
    /// Groups of fields: those of the item's kind, and the person's own.
    public var sections: [FieldSection]
    /// The tags.
    public var tags: [String]
    /// Whether the item is a favourite.
    public var isFavorite: Bool
    /// The time of creation, in seconds since 1970.
    ///
    /// If it is 0, the vault sets it.
    public var createdAt: Int64
    /// The time of the last change by a person, in seconds since 1970.
    ///
    /// The vault sets it.
    public internal(set) var modifiedAt: Int64
    /// The kind of change in the latest revision.
    ///
    /// The vault sets it.
    public package(set) var change: Change
    /// The step in which the latest revision was written together with others.
    ///
    /// The vault sets it.
    public internal(set) var step: ItemStep?
    /// The revision that was read.
    ///
    /// It is `nil` for an item that is not in the vault yet.
    ///
    /// If the vault has a later revision, writing the item is refused.
    public internal(set) var revision: RevisionID?
    /// The time when the item was moved to the trash, in seconds since 1970.
    ///
    /// The vault sets it.
    public package(set) var deletedAt: Int64?
    /// Values from one device that another device changed at the same time, oldest first.
    ///
    /// Remove those that are settled.
    public var conflicts: [ItemConflict] = []
    /// The attached files.
    public var attachments: [Attachment] = []
    /// The name and the icon of the site, if the person let Ward fetch them.
    public var appearance: SiteAppearance?
    /// Data of another manager that Ward does not understand, by its name and byte for byte.
    public var extensions: [String: [UInt8]]
    /// Codes of unknown kinds.
    var unknownCodes: [CBORValue] = []
    var unknown = UnknownFields()

    /// The maximum size of an item's encoding, in bytes.
    public static let maximumSize = 1 << 20

    /// Creates an item.
    public init(
        _ kind: ItemKind = .login,
        title: String,
        sites: [Site] = [],
        username: String = "",
        password: Password? = nil,
        passkeys: [StoredPasskey] = [],
        codes: [OneTimePassword] = [],
        notes: SecretText = "",
        sections: [FieldSection] = [],
        tags: [String] = [],
        isFavorite: Bool = false,
        createdAt: Int64 = 0,
        extensions: [String: [UInt8]] = [:],
        id: ItemID = ItemID()
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
        self.modifiedAt = createdAt
        change = .created
        self.extensions = extensions
    }

    /// The rules for each property, by its key in the encoding.
    ///
    /// `Documentation/formats/vault.md`, "Items". A new property is declared above and has a line here.
    static let properties: [ItemProperty] = [
        .text(2, \.kind, .kind),
        .text(3, \.title, .title),
        .list(4, \.sites, ItemMerge.siteRules),
        .text(5, \.username, .username),
        .password,
        .list(7, \.passkeys, PasskeyMerge.rules),
        .codes,
        .text(9, \.notes, .notes),
        .list(10, \.sections) { $0.sections($1, $2, $3) },
        .tags,
        .flag(12, \.isFavorite),
        .time(13, \.createdAt, min),
        .time(14, \.modifiedAt, max),
        .trash,
        .extensions,
        .change,
        .list(18, \.conflicts, ItemConflict.rules),
        .list(19, \.attachments, AttachmentMerge.rules),
        .step,
        .appearance,
    ]

    /// A copy with a new ID, without passkeys, data of other managers, and history.
    package func copy(title: String, at time: Int64) -> Item {
        var copy = self
        copy.id = ItemID()
        copy.title = title
        copy.passkeys = []
        copy.password = password.map { Password($0.value, changedAt: time) }
        copy.conflicts = []
        // An attached content belongs to one item, so the caller must attach it again.
        copy.attachments = []
        copy.extensions = [:]
        copy.unknownCodes = []
        copy.unknown = UnknownFields()
        copy.createdAt = 0
        copy.revision = nil
        return copy
    }

    /// Whether the item is in the trash.
    public var isInTrash: Bool { deletedAt != nil }

    /// The person's own fields that are not in a group.
    public var fields: [Field] {
        get { sections.first(where: Self.isOwn)?.fields ?? [] }
        set {
            if let index = sections.firstIndex(where: Self.isOwn) {
                sections[index].fields = newValue
                if newValue.isEmpty, sections[index].unknown.pairs.isEmpty { sections.remove(at: index) }
            } else if !newValue.isEmpty {
                sections.append(FieldSection(fields: newValue))
            }
        }
    }

    /// The fields that belong to a kind, such as ``ItemKind/card``.
    public func section(_ kind: ItemKind) -> FieldSection? { sections.first { $0.kind == kind } }

    private static func isOwn(_ section: FieldSection) -> Bool {
        section.kind.rawValue.isEmpty && section.label.isEmpty
    }
}
