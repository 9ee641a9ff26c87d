internal import WardWebAuthn

/// What the index keeps of an item: where its latest revision lies, and what lists need.
struct IndexEntry: Hashable, Sendable {
    /// Where the latest revision lies in the file.
    var position: Int64
    /// The hash of its entry: what lies there must have it.
    var hash: [UInt8]
    var summary: ItemSummary
    /// What a search looks through.
    var search: [UInt8]
    /// By which words it is found for a place.
    var siteKeys: Set<String>

    init(position: Int64, hash: [UInt8], summary: ItemSummary, suffixes: PublicSuffixList) {
        self.position = position
        self.hash = hash
        self.summary = summary
        search = SearchText.text(summary)
        siteKeys = SiteKeys.keys(summary, suffixes)
    }
}
