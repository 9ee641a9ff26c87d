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
    /// The circle of devices changes.
    ///
    /// A reader that does not know the entry that begins the circle treats it as ``unknown(_:_:)``.
    case circle(CircleRecord)
    /// A file was attached to an item; its sealed content is stored with the entry.
    case content(ContentEntry)
    /// An operation of a later version that a reader may ignore.
    case ignorable(UInt64, LaterValue)
    /// An operation of a later version that a reader must not ignore: the entries of its device count only up to here.
    ///
    /// A reader does not refuse the log because of it. Otherwise a stolen device could stop all others with one such entry.
    case unknown(UInt64, LaterValue)

    /// A reader may ignore unknown operations from this number on.
    package static let firstIgnorable: UInt64 = 128

    /// The operation of an entry that only names entries of other devices, before one that would name too many.
    package static let naming = Self.ignorable(131, [:])
}

/// A revision in the log; the sealed item is stored with the entry.
package struct RevisionEntry: Hashable, Sendable {
    package var item: LogItemID
    /// One more than the largest number among the parents; 1 without parents.
    package var number: UInt64
    /// The hashes of the revisions that this one replaces, in order: all newest revisions that its device knew.
    package var parents: [[UInt8]]
    /// The epoch of the key that seals the item.
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

/// The content of an attached file in the log; its name and its key are in the sealed item.
package struct ContentEntry: Hashable, Sendable {
    package var item: LogItemID
    /// SHA-256 of the sealed content.
    package var blobHash: [UInt8]

    package init(item: LogItemID, blobHash: [UInt8]) {
        self.item = item
        self.blobHash = blobHash
    }
}
