internal import WardDomains

/// An item in the index: the positions of its newest revisions, and the values for lists.
struct IndexEntry: Hashable, Sendable {
    /// The positions of the newest revisions in the file, in the order of their hashes.
    ///
    /// The entries at these positions must have these hashes.
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
