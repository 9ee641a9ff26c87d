public import WardVault

/// What is written to a file for another manager.
public struct ExportSource: Sendable {
    /// The items.
    public var items: [Item]
    /// The contents of the items' attachments.
    public var contents: [Attachment.ID: SecretBytes]
    /// The time of the export, in seconds since 1970.
    public var now: Int64

    /// Creates a source.
    public init(items: [Item], contents: [Attachment.ID: SecretBytes] = [:], now: Int64) {
        self.items = items
        self.contents = contents
        self.now = now
    }
}
