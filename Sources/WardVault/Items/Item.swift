internal import WardCBOR

/// One person at one site, or one other thing worth keeping.
///
/// An item is a value: changing it changes nothing in the vault until it is written back in a transaction.
public struct Item: Hashable, Sendable, Identifiable {
    /// The item's name, which never changes.
    public let id: ItemID
    /// What it mainly is.
    public var kind: ItemKind
    /// What a person calls it.
    public var title: String
    /// Where it belongs.
    public var sites: [Site]
    /// The name to sign in with.
    public var username: String
    /// The password and those it replaced.
    public var password: Password?
    /// The passkeys.
    public var passkeys: [Passkey]
    /// The secrets of verification codes.
    public var codes: [OneTimePassword]
    /// Text of any length.
    public var notes: SecretText
    /// Fields: those of the item's kind, and a person's own.
    public var sections: [FieldSection]
    /// Words to find it by.
    public var tags: [String]
    /// Whether it is listed first.
    public var isFavorite: Bool
    /// When it was made, in seconds since 1970; the vault sets it when it is 0.
    public var createdAt: Int64
    /// When it was last changed by a person, in seconds since 1970; set by the vault.
    public internal(set) var modifiedAt: Int64
    /// What the latest revision did; set by the vault.
    public internal(set) var change: Change
    /// The revision that was read; `nil` for an item that is not in the vault yet.
    ///
    /// A write back is refused when the vault has a later one.
    public internal(set) var revision: RevisionID?
    /// When it went to the trash, in seconds since 1970; set by the vault.
    public internal(set) var deletedAt: Int64?
    /// What another manager attached and nobody here understands, by its name and byte for byte.
    public var extensions: [String: [UInt8]]
    /// Codes of kinds that a later version knows.
    var unknownCodes: [CBORValue] = []
    var unknown = UnknownFields()

    /// The largest item, in bytes of its encoding.
    public static let maximumSize = 1 << 20

    /// Starts an item; nothing but a title is needed.
    public init(
        _ kind: ItemKind = .login,
        title: String,
        sites: [Site] = [],
        username: String = "",
        password: Password? = nil,
        passkeys: [Passkey] = [],
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

    /// Whether the item is in the trash.
    public var isInTrash: Bool { deletedAt != nil }

    /// A person's own fields that are in no group.
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

    /// The fields of a kind, such as ``ItemKind/card``.
    public func section(_ kind: ItemKind) -> FieldSection? { sections.first { $0.kind == kind } }

    private static func isOwn(_ section: FieldSection) -> Bool {
        section.kind.rawValue.isEmpty && section.label.isEmpty
    }
}
