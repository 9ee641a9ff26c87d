internal import WardWebAuthn

/// The index entry of an item: the position of its latest revision, and data for lists.
struct IndexEntry: Hashable, Sendable {
    /// The position of the latest revision in the file.
    var position: Int64
    /// The hash of its log entry, which must match.
    var hash: [UInt8]
    var summary: ItemSummary
    /// The text to search.
    var search: [UInt8]
    /// The keys for lookups by site.
    var siteKeys: Set<String>

    init(position: Int64, hash: [UInt8], summary: ItemSummary, suffixes: PublicSuffixList) {
        self.position = position
        self.hash = hash
        self.summary = summary
        search = SearchText.text(summary)
        siteKeys = SiteKeys.keys(summary, suffixes)
    }
}
