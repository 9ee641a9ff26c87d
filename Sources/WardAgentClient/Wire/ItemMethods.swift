/// Lists items: all items, items with all words of a query, or items for a page.
public struct ListItems: AgentMethod {
    /// `items.list`.
    public static let name = "items.list"
    /// The authorization of the request.
    public var authorization: Authorization
    /// Words to search for; empty lists all items.
    public var query: String
    /// The URL of a page; lists only items for it.
    public var site: String?
    /// Lists only items of this kind.
    public var kind: String?
    /// Lists only items with this tag.
    public var tag: String?
    /// Whether to list the trash instead.
    public var inTrash: Bool

    /// Creates a request.
    public init(
        authorization: Authorization,
        query: String = "",
        site: String? = nil,
        kind: String? = nil,
        tag: String? = nil,
        inTrash: Bool = false
    ) {
        self.authorization = authorization
        self.query = query
        self.site = site
        self.kind = kind
        self.tag = tag
        self.inTrash = inTrash
    }

    /// The items, favourites first, then by title.
    public struct Result: Codable, Sendable {
        /// The items; damaged ones with the values of the latest readable revision.
        public var items: [SummaryRecord]
        /// The IDs of all damaged items in the vault, independent of the query; `nil` if there are none.
        public var damaged: [String]?

        package init(items: [SummaryRecord], damaged: [String]? = nil) {
            self.items = items
            self.damaged = damaged
        }
    }
}

/// Reads one item.
public struct GetItem: AgentMethod {
    /// `items.get`.
    public static let name = "items.get"
    /// The authorization of the request.
    public var authorization: Authorization
    /// The item ID or its first characters, the title, or words that match exactly one item.
    public var item: String
    /// Whether to include passwords, notes, hidden fields and links.
    public var reveal: Bool
    /// A revision other than the latest.
    public var revision: String?

    /// Creates a request.
    public init(authorization: Authorization, item: String, reveal: Bool = false, revision: String? = nil) {
        self.authorization = authorization
        self.item = item
        self.reveal = reveal
        self.revision = revision
    }
    /// The item.
    public typealias Result = ItemRecord
}

/// Changes to an item; absent values stay.
public struct ItemChange: Codable, Sendable {
    /// A change of a field, found by label, or by name if the item's kind has one.
    public struct FieldChange: Codable, Sendable {
        /// The label or the name.
        public var label: String
        /// The value; `nil` removes the field.
        public var value: String?
        /// Whether the value is hidden by default.
        public var isConcealed: Bool

        /// Creates a change of a field.
        public init(label: String, value: String?, isConcealed: Bool = false) {
            self.label = label
            self.value = value
            self.isConcealed = isConcealed
        }
    }

    /// The title.
    public var title: String?
    /// The user name.
    public var username: String?
    /// The password; empty removes it.
    ///
    /// The old one goes into the history.
    public var password: String?
    /// The notes.
    public var notes: String?
    /// Sites to add.
    public var addSites: [String] = []
    /// Sites to remove.
    public var removeSites: [String] = []
    /// How added sites match: `domain`, `host`, `exact` or `never`.
    public var match: String?
    /// Tags to add.
    public var addTags: [String] = []
    /// Tags to remove.
    public var removeTags: [String] = []
    /// Whether the item is a favourite.
    public var isFavorite: Bool?
    /// `otpauth` links to add.
    public var addCodes: [String] = []
    /// The indexes of codes to remove, counted from 0.
    public var removeCodes: [Int] = []
    /// Fields to set or remove.
    public var fields: [FieldChange] = []
    /// The indexes of ``ItemRecord/conflicts`` whose value the item takes instead of the one it shows, counted from 0.
    ///
    /// These conflicts are settled. They refer to the item as it was before this change.
    public var takeConflicts: [Int]?
    /// Whether all other conflicts are settled: the item keeps the values it shows.
    public var settleConflicts: Bool?

    /// Creates an empty change.
    public init() {}
}

/// Adds an item.
public struct AddItem: AgentMethod {
    /// `items.add`.
    public static let name = "items.add"
    /// The authorization of the request.
    public var authorization: Authorization
    /// The kind of the item.
    public var kind: String
    /// The content of the item; it must have a title.
    public var change: ItemChange

    /// Creates a request.
    public init(authorization: Authorization, kind: String = "login", change: ItemChange) {
        self.authorization = authorization
        self.kind = kind
        self.change = change
    }
    /// The item after the change.
    public typealias Result = ItemRecord
}

/// Changes an item.
public struct EditItem: AgentMethod {
    /// `items.edit`.
    public static let name = "items.edit"
    /// The authorization of the request.
    public var authorization: Authorization
    /// The item, as in ``GetItem``.
    public var item: String
    /// The changes.
    public var change: ItemChange

    /// Creates a request.
    public init(authorization: Authorization, item: String, change: ItemChange) {
        self.authorization = authorization
        self.item = item
        self.change = change
    }
    /// The item after the change.
    public typealias Result = ItemRecord
}

/// Adds a copy of an item, without its passkeys, its history, and its past passwords.
public struct CloneItem: AgentMethod {
    /// `items.clone`.
    public static let name = "items.clone"
    /// The authorization of the request.
    public var authorization: Authorization
    /// Which item, as in ``GetItem``.
    public var item: String
    /// The title of the copy; absent for the item's title and the word “copy”.
    public var title: String?

    /// Creates a request.
    public init(authorization: Authorization, item: String, title: String? = nil) {
        self.authorization = authorization
        self.item = item
        self.title = title
    }
    /// The copy.
    public typealias Result = ItemRecord
}

/// Moves an item to the trash, or removes it permanently.
public struct RemoveItem: AgentMethod {
    /// `items.remove`.
    public static let name = "items.remove"
    /// The authorization of the request.
    public var authorization: Authorization
    /// The item, as in ``GetItem``.
    ///
    /// For a permanent removal it must be the exact title, or at least eight characters of the item ID; the trash is
    /// searched too.
    public var item: String
    /// Whether to remove the item and its history permanently.
    public var forGood: Bool

    /// Creates a request.
    public init(authorization: Authorization, item: String, forGood: Bool = false) {
        self.authorization = authorization
        self.item = item
        self.forGood = forGood
    }
    /// The removed item.
    public typealias Result = SummaryRecord
}

/// Finds exactly one item and changes nothing.
public struct FindItem: AgentMethod {
    /// `items.find`.
    public static let name = "items.find"
    /// The authorization of the request.
    public var authorization: Authorization
    /// The item, as for a permanent removal with ``RemoveItem``.
    public var item: String

    /// Creates a request.
    public init(authorization: Authorization, item: String) {
        self.authorization = authorization
        self.item = item
    }
    /// The item.
    public typealias Result = SummaryRecord
}

/// Permanently removes all items in the trash.
public struct EmptyTrash: AgentMethod {
    /// `trash.empty`.
    public static let name = "trash.empty"
    /// The authorization of the request.
    public var authorization: Authorization
    /// Creates a request.
    public init(authorization: Authorization) { self.authorization = authorization }

    /// The result.
    public struct Result: Codable, Sendable {
        /// The number of removed items.
        public var removed: Int

        package init(removed: Int) {
            self.removed = removed
        }
    }
}

/// Takes an item out of the trash, or restores an earlier revision.
public struct RestoreItem: AgentMethod {
    /// `items.restore`.
    public static let name = "items.restore"
    /// The authorization of the request.
    public var authorization: Authorization
    /// The item, as in ``GetItem``.
    public var item: String
    /// The revision to restore; `nil` takes the item out of the trash.
    public var revision: String?

    /// Creates a request.
    public init(authorization: Authorization, item: String, revision: String? = nil) {
        self.authorization = authorization
        self.item = item
        self.revision = revision
    }
    /// The restored item.
    public typealias Result = SummaryRecord
}

/// Lists the revisions of an item, latest first.
public struct ItemHistory: AgentMethod {
    /// `items.history`.
    public static let name = "items.history"
    /// The authorization of the request.
    public var authorization: Authorization
    /// The item, as in ``GetItem``.
    public var item: String

    /// Creates a request.
    public init(authorization: Authorization, item: String) {
        self.authorization = authorization
        self.item = item
    }

    /// The revisions.
    public struct Result: Codable, Sendable {
        /// The item.
        public var item: SummaryRecord
        /// Its revisions, latest first.
        public var revisions: [RevisionRecord]

        package init(item: SummaryRecord, revisions: [RevisionRecord]) {
            self.item = item
            self.revisions = revisions
        }
    }
}

/// Returns a verification code; a counter-based one is used up.
public struct ShowCode: AgentMethod {
    /// `items.code`.
    public static let name = "items.code"
    /// The authorization of the request.
    public var authorization: Authorization
    /// The item, as in ``GetItem``.
    public var item: String
    /// The index of the code, counted from 0.
    public var index: Int
    /// Whether a display refreshes itself; this does not count as use of the vault.
    ///
    /// `nil` if a person asks.
    public var isRefresh: Bool?

    /// Creates a request.
    public init(authorization: Authorization, item: String, index: Int = 0) {
        self.authorization = authorization
        self.item = item
        self.index = index
    }

    /// A code.
    public struct Result: Codable, Sendable {
        /// The digits or letters to type.
        public var code: String
        /// The remaining seconds of the code; `nil` if it is counter-based.
        public var secondsLeft: Int?
        /// The lifetime of each code in seconds; `nil` if it is counter-based.
        public var period: Int?
        /// The item's title.
        public var title: String
        /// The account of the code.
        public var account: String

        package init(code: String, secondsLeft: Int? = nil, period: Int? = nil, title: String, account: String) {
            self.code = code
            self.secondsLeft = secondsLeft
            self.period = period
            self.title = title
            self.account = account
        }
    }
}
