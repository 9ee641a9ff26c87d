internal import WardDomains

/// What the index keeps of an item: where its newest revisions lie, and what lists need.
struct IndexEntry: Hashable, Sendable {
    /// Where the newest revisions lie in the file, in the order of their hashes; what lies there must have these.
    var heads: [RevisionPlace]
    var summary: ItemSummary
    /// The text to search.
    var search: [UInt8]
    /// The keys for lookups by site.
    var siteKeys: Set<String>

    init(heads: [RevisionPlace], summary: ItemSummary, suffixes: PublicSuffixList) {
        self.heads = heads
        self.summary = summary
        search = SearchText.text(summary)
        siteKeys = SiteKeys.keys(summary, suffixes)
    }
}
