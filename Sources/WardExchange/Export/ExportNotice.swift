/// A part of an item that the format of a file cannot hold, or holds only in another form.
public struct ExportNotice: Hashable, Sendable {
    /// What happens to the part.
    public enum Outcome: String, Hashable, Sendable, Codable {
        /// The part is written in another form.
        case changed
        /// The part is not written.
        case skipped
    }

    /// The title of the item.
    public var item: String
    /// The part.
    public var part: ExportPart
    /// What happens.
    public var outcome: Outcome
    /// One sentence for the person, without secrets.
    public var text: String

    /// Creates a notice.
    public init(item: String, _ part: ExportPart, _ outcome: Outcome, _ text: String) {
        self.item = item
        self.part = part
        self.outcome = outcome
        self.text = text
    }
}
