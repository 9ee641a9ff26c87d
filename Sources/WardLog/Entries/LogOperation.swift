package import WardCBOR

/// What a log entry records.
package enum LogOperation: Hashable, Sendable {
    /// The vault begins, on a first device.
    case genesis(device: [UInt8], certificate: [UInt8], nonce: [UInt8], authority: [UInt8])
    /// Another device begins to write.
    case enrol(device: [UInt8], certificate: [UInt8])
    /// An item has a new revision.
    case revision(RevisionEntry)
    /// An item is removed for good.
    case purge(item: LogItemID, parents: [[UInt8]])
    /// The header was replaced.
    case header(generation: UInt64, hash: [UInt8])
    /// A file was attached to an item; its content lies sealed beside the entry.
    case content(ContentEntry)
    /// Something that a later version records and that may be passed over.
    case ignorable(UInt64, CBORValue)
    /// Something that must not be passed over and that nothing in the log announced: its device counts no further.
    ///
    /// A reader does not refuse the log because of it. Otherwise a stolen device could stop all others with one such entry.
    case unknown(UInt64, CBORValue)

    /// Operations from here on may be passed over by a reader that does not know them.
    package static let firstIgnorable: UInt64 = 128
}

/// What the log says about a revision; the item itself lies sealed beside it.
package struct RevisionEntry: Hashable, Sendable {
    package var item: LogItemID
    /// One more than the largest number among the parents; 1 without parents.
    package var number: UInt64
    /// The hashes of the revisions that this one was made from, in order: all that its device knew to be newest.
    package var parents: [[UInt8]]
    /// Whose key seals it.
    package var epoch: UInt64
    /// SHA-256 of the sealed item.
    package var blobHash: [UInt8]
    /// The hashes of the attached contents that the item has in this revision, in order.
    package var contents: [[UInt8]]

    package init(
        item: LogItemID,
        number: UInt64,
        parents: [[UInt8]],
        epoch: UInt64,
        blobHash: [UInt8],
        contents: [[UInt8]] = []
    ) {
        self.item = item
        self.number = number
        self.parents = parents
        self.epoch = epoch
        self.blobHash = blobHash
        self.contents = contents
    }
}

/// What the log says about the content of an attached file; its name and its key lie in the sealed item.
package struct ContentEntry: Hashable, Sendable {
    package var item: LogItemID
    /// SHA-256 of the sealed content.
    package var blobHash: [UInt8]

    package init(item: LogItemID, blobHash: [UInt8]) {
        self.item = item
        self.blobHash = blobHash
    }
}
