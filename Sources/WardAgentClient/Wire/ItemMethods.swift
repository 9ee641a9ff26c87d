/// Lists items: all, those with all the words of a query, those of a page.
public struct ListItems: AuthorizedMethod {
    /// `items.list`.
    public static let name = "items.list"
    /// How it is allowed.
    public var authorization: Authorization
    /// Words; none for all items.
    public var query: String
    /// The address of a page; only items for it.
    public var site: String?
    /// Only items of this kind.
    public var kind: String?
    /// Only items with this tag.
    public var tag: String?
    /// Whether what is in the trash is listed, instead of what is not.
    public var inTrash: Bool

    /// Asks.
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
        /// The items; damaged ones with what the latest readable revision says.
        public var items: [SummaryRecord]
        /// The IDs of all damaged items in the vault, whatever was asked for; absent when there are none.
        public var damaged: [String]?

        package init(items: [SummaryRecord], damaged: [String]? = nil) {
            self.items = items
            self.damaged = damaged
        }
    }
}

/// Reads one item.
public struct GetItem: AuthorizedMethod {
    /// `items.get`.
    public static let name = "items.get"
    /// How it is allowed.
    public var authorization: Authorization
    /// The item's name, the beginning of it, its title, or words that fit one item alone.
    public var item: String
    /// Whether passwords, notes, hidden fields and links come too.
    public var reveal: Bool
    /// A state of the item other than the latest.
    public var revision: String?

    /// Asks.
    public init(authorization: Authorization, item: String, reveal: Bool = false, revision: String? = nil) {
        self.authorization = authorization
        self.item = item
        self.reveal = reveal
        self.revision = revision
    }
    /// The item.
    public typealias Result = ItemRecord
}

/// What to change in an item; what is absent stays.
public struct ItemChange: Codable, Sendable {
    /// A field to set, by label, or by name where the item's kind has one.
    public struct FieldChange: Codable, Sendable {
        /// The label or the name.
        public var label: String
        /// The value; absent to remove the field.
        public var value: String?
        /// Whether it is shown only when asked for.
        public var isConcealed: Bool

        /// Sets or removes a field.
        public init(label: String, value: String?, isConcealed: Bool = false) {
            self.label = label
            self.value = value
            self.isConcealed = isConcealed
        }
    }

    /// The title.
    public var title: String?
    /// The name to sign in with.
    public var username: String?
    /// The password, empty to remove it; the one before goes into the history.
    public var password: String?
    /// The notes.
    public var notes: String?
    /// Places to add.
    public var addSites: [String] = []
    /// Places to remove.
    public var removeSites: [String] = []
    /// How places that are added match: `domain`, `host`, `exact` or `never`.
    public var match: String?
    /// Tags to add.
    public var addTags: [String] = []
    /// Tags to remove.
    public var removeTags: [String] = []
    /// Whether it is listed first.
    public var isFavorite: Bool?
    /// `otpauth` links to add.
    public var addCodes: [String] = []
    /// Which codes to remove, counted from 0.
    public var removeCodes: [Int] = []
    /// Fields to set or remove.
    public var fields: [FieldChange] = []

    /// Changes nothing.
    public init() {}
}

/// Adds an item.
public struct AddItem: AuthorizedMethod {
    /// `items.add`.
    public static let name = "items.add"
    /// How it is allowed.
    public var authorization: Authorization
    /// What it mainly is.
    public var kind: String
    /// What is in it; a title at least.
    public var change: ItemChange

    /// Asks.
    public init(authorization: Authorization, kind: String = "login", change: ItemChange) {
        self.authorization = authorization
        self.kind = kind
        self.change = change
    }
    /// The item as it is now.
    public typealias Result = ItemRecord
}

/// Changes an item.
public struct EditItem: AuthorizedMethod {
    /// `items.edit`.
    public static let name = "items.edit"
    /// How it is allowed.
    public var authorization: Authorization
    /// Which one, as in ``GetItem``.
    public var item: String
    /// What to change.
    public var change: ItemChange

    /// Asks.
    public init(authorization: Authorization, item: String, change: ItemChange) {
        self.authorization = authorization
        self.item = item
        self.change = change
    }
    /// The item as it is now.
    public typealias Result = ItemRecord
}

/// Adds a copy of an item, without its passkeys, its history, and its past passwords.
public struct CloneItem: AuthorizedMethod {
    /// `items.clone`.
    public static let name = "items.clone"
    /// How it is allowed.
    public var authorization: Authorization
    /// Which item, as in ``GetItem``.
    public var item: String
    /// The title of the copy; absent for the item's title and the word “copy”.
    public var title: String?

    /// Asks for a copy.
    public init(authorization: Authorization, item: String, title: String? = nil) {
        self.authorization = authorization
        self.item = item
        self.title = title
    }
    /// The copy.
    public typealias Result = ItemRecord
}

/// Puts an item into the trash, or removes it for good.
public struct RemoveItem: AuthorizedMethod {
    /// `items.remove`.
    public static let name = "items.remove"
    /// How it is allowed.
    public var authorization: Authorization
    /// Which one, as in ``GetItem``.
    ///
    /// To be removed for good it must be the exact title, or at least eight characters of the item
    /// ID; the trash is looked through too.
    public var item: String
    /// Whether it is removed for good, with its history.
    public var forGood: Bool

    /// Asks.
    public init(authorization: Authorization, item: String, forGood: Bool = false) {
        self.authorization = authorization
        self.item = item
        self.forGood = forGood
    }
    /// What was removed.
    public typealias Result = SummaryRecord
}

/// Finds the one item that is meant, and changes nothing.
public struct FindItem: AuthorizedMethod {
    /// `items.find`.
    public static let name = "items.find"
    /// How it is allowed.
    public var authorization: Authorization
    /// Which one: as ``RemoveItem`` takes it when an item is removed for good.
    public var item: String

    /// Asks.
    public init(authorization: Authorization, item: String) {
        self.authorization = authorization
        self.item = item
    }
    /// The item.
    public typealias Result = SummaryRecord
}

/// Removes for good all that is in the trash.
public struct EmptyTrash: AuthorizedMethod {
    /// `trash.empty`.
    public static let name = "trash.empty"
    /// How it is allowed.
    public var authorization: Authorization
    /// Asks.
    public init(authorization: Authorization) { self.authorization = authorization }

    /// What was done.
    public struct Result: Codable, Sendable {
        /// How many items were removed.
        public var removed: Int

        package init(removed: Int) {
            self.removed = removed
        }
    }
}

/// Takes an item out of the trash, or makes it what it was in an earlier state.
public struct RestoreItem: AuthorizedMethod {
    /// `items.restore`.
    public static let name = "items.restore"
    /// How it is allowed.
    public var authorization: Authorization
    /// Which one, as in ``GetItem``.
    public var item: String
    /// The state to go back to; absent to take it out of the trash.
    public var revision: String?

    /// Asks.
    public init(authorization: Authorization, item: String, revision: String? = nil) {
        self.authorization = authorization
        self.item = item
        self.revision = revision
    }
    /// What was restored.
    public typealias Result = SummaryRecord
}

/// The states of an item, latest first.
public struct ItemHistory: AuthorizedMethod {
    /// `items.history`.
    public static let name = "items.history"
    /// How it is allowed.
    public var authorization: Authorization
    /// Which one, as in ``GetItem``.
    public var item: String

    /// Asks.
    public init(authorization: Authorization, item: String) {
        self.authorization = authorization
        self.item = item
    }

    /// The states.
    public struct Result: Codable, Sendable {
        /// The item.
        public var item: SummaryRecord
        /// Its states, latest first.
        public var revisions: [RevisionRecord]

        package init(item: SummaryRecord, revisions: [RevisionRecord]) {
            self.item = item
            self.revisions = revisions
        }
    }
}

/// A verification code; one that counts is used up.
public struct ShowCode: AuthorizedMethod {
    /// `items.code`.
    public static let name = "items.code"
    /// How it is allowed.
    public var authorization: Authorization
    /// Which item, as in ``GetItem``.
    public var item: String
    /// Which of its codes, counted from 0.
    public var index: Int
    /// Whether a display refreshes itself: this keeps no vault open.
    ///
    /// Absent for a person who asks.
    public var isRefresh: Bool?

    /// Asks.
    public init(authorization: Authorization, item: String, index: Int = 0) {
        self.authorization = authorization
        self.item = item
        self.index = index
    }

    /// A code.
    public struct Result: Codable, Sendable {
        /// What a person types.
        public var code: String
        /// For how many more seconds it is the current one; absent when it counts.
        public var secondsLeft: Int?
        /// How many seconds each lives; absent when it counts.
        public var period: Int?
        /// The item's title.
        public var title: String
        /// The account it is for.
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
