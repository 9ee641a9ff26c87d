/// What making one entry of several items does, or did.
public struct MergePlan: Sendable {
    /// A part of an entry.
    public enum Part: String, CaseIterable, Hashable, Sendable, Codable {
        /// A password that becomes the current one, because the entry had none or because it is newer.
        case password
        /// Passwords of the history.
        case earlierPasswords
        /// Passkeys.
        case passkeys
        /// Secrets of verification codes.
        case codes
        /// Sites.
        case sites
        /// Notes.
        case notes
        /// Fields.
        case fields
        /// Attached files.
        case attachments
        /// Tags.
        case tags
    }

    /// The item that gets everything.
    public let item: ItemID
    /// The items that go to the trash.
    public let others: [ItemID]
    /// What the item gets, by part.
    public let gains: [Part: Int]

    init(_ before: Item, _ after: Item, _ others: [ItemID]) {
        item = before.id
        self.others = others
        func fields(_ item: Item) -> Int { item.sections.reduce(0) { $0 + $1.fields.count } }
        let isNewPassword = before.password?.value != after.password?.value
        let counts: [Part: Int] = [
            .password: isNewPassword ? 1 : 0,
            .earlierPasswords: (after.password?.history.count ?? 0) - (before.password?.history.count ?? 0),
            .passkeys: after.passkeys.count - before.passkeys.count,
            .codes: after.codes.count - before.codes.count,
            .sites: after.sites.count - before.sites.count,
            .notes: before.notes == after.notes ? 0 : 1,
            .fields: fields(after) - fields(before),
            .attachments: after.attachments.count - before.attachments.count,
            .tags: after.tags.count - before.tags.count,
        ]
        gains = counts.filter { $0.value > 0 }
    }
}

/// What moving a part of an item into an item of its own does, or did.
public struct SplitPlan: Sendable {
    /// The part.
    public enum Part: String, CaseIterable, Hashable, Sendable, Codable {
        /// The passkeys.
        case passkeys
        /// The secrets of verification codes.
        case codes
        /// The password and its history.
        case password
    }

    /// The part that moves.
    public let part: Part
    /// The number of passkeys, codes or passwords.
    public let count: Int
    /// The item that loses the part.
    public let item: ItemID
    /// The new item.
    public let new: ItemID
    /// The user name of the new item.
    public let username: String
}
