/// Lists items: all items, items with all words of a query, or items for a page.
package struct ListItems: AgentMethod {
    package static let name = "items.list"
    /// The authorization of the request.
    package var authorization: Authorization
    /// Words to search for; empty lists all items.
    package var query: String
    /// The URL of a page.
    ///
    /// The list contains only items for this page.
    package var site: String?
    /// Lists only items of this kind.
    package var kind: String?
    /// Lists only items with this tag.
    package var tag: String?
    /// Whether to list the trash instead.
    package var inTrash: Bool

    package init(
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
    package struct Result: Codable, Sendable {
        /// The items.
        ///
        /// A damaged item has the values of its latest readable revision.
        package var items: [SummaryRecord]
        /// The IDs of all damaged items in the vault, even if they do not match the query; `nil` if there are none.
        package var damaged: [String]?

        package init(items: [SummaryRecord], damaged: [String]? = nil) {
            self.items = items
            self.damaged = damaged
        }
    }
}

/// Reads one item.
package struct GetItem: AgentMethod {
    package static let name = "items.get"
    /// The authorization of the request.
    package var authorization: Authorization
    /// The item ID or its first characters, the title, or words that match exactly one item.
    package var item: String
    /// Whether to include passwords, notes, hidden fields and links.
    package var reveal: Bool
    /// The revision to read; `nil` for the latest.
    package var revision: String?

    package init(authorization: Authorization, item: String, reveal: Bool = false, revision: String? = nil) {
        self.authorization = authorization
        self.item = item
        self.reveal = reveal
        self.revision = revision
    }
    /// The item.
    package typealias Result = ItemRecord
}

package struct AddItem: AgentMethod {
    package static let name = "items.add"
    /// The authorization of the request.
    package var authorization: Authorization
    /// The kind of the item.
    package var kind: String
    /// The content of the item; it must have a title.
    package var change: ItemChange
    /// Whether a new item is added also if there is an entry of the same account.
    package var isApart: Bool?

    package init(
        authorization: Authorization,
        kind: String = "login",
        change: ItemChange,
        isApart: Bool? = nil
    ) {
        self.authorization = authorization
        self.kind = kind
        self.change = change
        self.isApart = isApart
    }
    /// The item, or the entry that it became a part of.
    package typealias Result = ItemRecord
}

/// Changes an item.
package struct EditItem: AgentMethod {
    package static let name = "items.edit"
    /// The authorization of the request.
    package var authorization: Authorization
    /// The item, as in ``GetItem``.
    package var item: String
    package var change: ItemChange

    package init(authorization: Authorization, item: String, change: ItemChange) {
        self.authorization = authorization
        self.item = item
        self.change = change
    }
    /// The item after the change.
    package typealias Result = ItemRecord
}

/// Adds a copy of an item with its attachments, without its passkeys, its history and its earlier passwords.
package struct CloneItem: AgentMethod {
    package static let name = "items.clone"
    /// The authorization of the request.
    package var authorization: Authorization
    /// The item to copy, as in ``GetItem``.
    package var item: String
    /// The title of the copy.
    ///
    /// If it is absent, the title is the item's title and the word “copy”.
    package var title: String?

    package init(authorization: Authorization, item: String, title: String? = nil) {
        self.authorization = authorization
        self.item = item
        self.title = title
    }
    /// The copy.
    package typealias Result = ItemRecord
}

/// Moves an item to the trash, or removes it permanently.
package struct RemoveItem: AgentMethod {
    package static let name = "items.remove"
    /// The authorization of the request.
    package var authorization: Authorization
    /// The item, as in ``GetItem``.
    ///
    /// For a permanent removal it must be the exact title, or at least eight characters of the item ID; the trash is
    /// searched too.
    package var item: String
    /// Whether to remove the item and its history permanently.
    package var forGood: Bool

    package init(authorization: Authorization, item: String, forGood: Bool = false) {
        self.authorization = authorization
        self.item = item
        self.forGood = forGood
    }
    /// The removed item.
    package typealias Result = SummaryRecord
}

/// Finds exactly one item and changes nothing.
package struct FindItem: AgentMethod {
    package static let name = "items.find"
    /// The authorization of the request.
    package var authorization: Authorization
    /// The item, as for a permanent removal with ``RemoveItem``.
    package var item: String

    package init(authorization: Authorization, item: String) {
        self.authorization = authorization
        self.item = item
    }
    /// The item.
    package typealias Result = SummaryRecord
}

/// Permanently removes all items in the trash.
package struct EmptyTrash: AgentMethod {
    package static let name = "trash.empty"
    /// The authorization of the request.
    package var authorization: Authorization
    package init(authorization: Authorization) { self.authorization = authorization }

    package struct Result: Codable, Sendable {
        /// The number of removed items.
        package var removed: Int

        package init(removed: Int) {
            self.removed = removed
        }
    }
}

/// Takes an item out of the trash, or restores an earlier revision.
package struct RestoreItem: AgentMethod {
    package static let name = "items.restore"
    /// The authorization of the request.
    package var authorization: Authorization
    /// The item, as in ``GetItem``.
    package var item: String
    /// The revision to restore; `nil` takes the item out of the trash.
    package var revision: String?

    package init(authorization: Authorization, item: String, revision: String? = nil) {
        self.authorization = authorization
        self.item = item
        self.revision = revision
    }
    /// The restored item.
    package typealias Result = SummaryRecord
}

/// Lists the revisions of an item, latest first.
package struct ItemHistory: AgentMethod {
    package static let name = "items.history"
    /// The authorization of the request.
    package var authorization: Authorization
    /// The item, as in ``GetItem``.
    package var item: String

    package init(authorization: Authorization, item: String) {
        self.authorization = authorization
        self.item = item
    }

    /// The revisions.
    package struct Result: Codable, Sendable {
        package var item: SummaryRecord
        /// Its revisions, latest first.
        package var revisions: [RevisionRecord]

        package init(item: SummaryRecord, revisions: [RevisionRecord]) {
            self.item = item
            self.revisions = revisions
        }
    }
}

/// Returns a verification code.
///
/// A counter-based code is used up by this.
package struct ShowCode: AgentMethod {
    package static let name = "items.code"
    /// The authorization of the request.
    package var authorization: Authorization
    /// The item, as in ``GetItem``.
    package var item: String
    /// The index of the code, counted from 0.
    package var index: Int
    /// Whether a display sends the request to refresh itself.
    ///
    /// Such a request does not count as use of the vault.
    ///
    /// It is `nil` if a person sends the request.
    package var isRefresh: Bool?

    package init(authorization: Authorization, item: String, index: Int = 0) {
        self.authorization = authorization
        self.item = item
        self.index = index
    }

    /// A code.
    package struct Result: Codable, Sendable {
        /// The digits or letters to type.
        package var code: String
        /// The remaining seconds of the code; `nil` if it is counter-based.
        package var secondsLeft: Int?
        /// The lifetime of each code in seconds; `nil` if it is counter-based.
        package var period: Int?
        /// The item's title.
        package var title: String
        /// The account of the code.
        package var account: String

        package init(code: String, secondsLeft: Int? = nil, period: Int? = nil, title: String, account: String) {
            self.code = code
            self.secondsLeft = secondsLeft
            self.period = period
            self.title = title
            self.account = account
        }
    }
}
