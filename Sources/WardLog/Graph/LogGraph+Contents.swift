/// The content of a file that was attached to an item.
package struct LoggedContent: Hashable, Sendable {
    /// SHA-256 of the sealed content.
    package let blobHash: [UInt8]
    /// The position of its entry in the file.
    package let position: Int64
    package let item: LogItemID
    /// The revisions that name it.
    package let revisions: [LoggedRevision]
}

extension LogGraph {
    /// The attached contents of an item, in order of arrival.
    package func contents(of item: LogItemID) -> [LoggedContent] {
        guard let found = attached[item] else { return [] }
        let revisions = (items[item]?.nodes ?? []).compactMap { revision($0) }
        return found.compactMap { index in
            guard let hash = nodes[index].contentHash else { return nil }
            return LoggedContent(
                blobHash: hash,
                position: nodes[index].position,
                item: item,
                revisions: revisions.filter { $0.record.contents.contains(hash) }
            )
        }
    }

    /// All attached contents.
    package func contents() -> [LoggedContent] { attached.keys.flatMap { contents(of: $0) } }

    /// The attached contents of an item that can be cleared now: every revision that names them can be cleared.
    ///
    /// A content stays if no revision names it, because its revision may still arrive from another device.
    package func clearableContents(of item: LogItemID) -> [LoggedContent] {
        let found = contents(of: item)
        guard !found.isEmpty else { return [] }
        let clearable = Set(clearableRevisions(of: item).map(\.hash))
        return found.filter { content in
            !content.revisions.isEmpty && content.revisions.allSatisfy { clearable.contains($0.hash) }
        }
    }
}
