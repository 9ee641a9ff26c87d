public import WardVault

/// What a file contains: items that are not in a vault yet, and notices about the rest.
public struct ImportedFile: Sendable {
    /// The items, in the order of the file.
    public var items: [Item]
    /// What the person should know about parts of the file that did not become items as they are.
    public var notices: [ImportNotice]

    /// Creates a result.
    public init(items: [Item] = [], notices: [ImportNotice] = []) {
        self.items = items
        self.notices = notices
    }
}

/// A part of a file that was not understood, was changed, or was left out.
public struct ImportNotice: Hashable, Sendable {
    /// What happened to the part.
    public enum Outcome: String, Hashable, Sendable, Codable {
        /// The part is kept as it is, but Ward does not understand it.
        case kept
        /// The part was imported in another form.
        case changed
        /// The part was not imported.
        case skipped
    }

    /// The place in the file: `row 12`, or the title of an item.
    public var place: String
    /// What happened.
    public var outcome: Outcome
    /// One sentence for the person, without secrets.
    public var text: String

    /// Creates a notice.
    public init(place: String, _ outcome: Outcome, _ text: String) {
        self.place = place
        self.outcome = outcome
        self.text = text
    }
}
