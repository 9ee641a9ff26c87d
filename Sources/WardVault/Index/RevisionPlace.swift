internal import WardLog

/// The position of a revision in the file, and the hash of its entry.
struct RevisionPlace: Hashable, Sendable {
    var position: Int64
    var hash: [UInt8]

    init(position: Int64, hash: [UInt8]) {
        self.position = position
        self.hash = hash
    }

    init(_ revision: LoggedRevision) { self.init(position: revision.position, hash: revision.hash) }
}

/// The position of the content of an attached file, and the item that it belongs to.
struct ContentPlace: Hashable, Sendable {
    var item: ItemID
    var position: Int64
}

/// The removal of an item.
///
/// Its revisions may still be in the file.
struct Removal: Hashable, Sendable {
    var item: ItemID
    var position: Int64
    /// The time when the item was removed, in seconds since 1970.
    var time: Int64

    init(item: ItemID, position: Int64, time: Int64) {
        self.item = item
        self.position = position
        self.time = time
    }

    init?(_ removal: LoggedRemoval) {
        guard let item = ItemID(removal.item.bytes) else { return nil }
        self.init(item: item, position: removal.position, time: removal.time.seconds)
    }
}
