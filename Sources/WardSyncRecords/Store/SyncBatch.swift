package import WardLog

/// What one upload changes in a vault.
public struct SyncBatch: Sendable {
    /// A new entry.
    public struct Addition: Hashable, Sendable {
        /// The entry with its number.
        public var entry: SyncEntry
        /// The hash of the entry before it on its device, which is no head any more; `nil` for the first one of the device.
        public var previous: [UInt8]?

        init(_ entry: SyncEntry, after previous: [UInt8]?) { (self.entry, self.previous) = (entry, previous) }

        /// The length of the entry and its blob, in bytes.
        public var length: Int { entry.encoded.count + (entry.blob?.count ?? 0) }
    }

    /// The number of the last entry that the upload was checked against.
    public var head: Int64
    /// The new entries as the log has them.
    package var records: [LogRecord]
    /// New entries, in order, with the numbers after ``head``.
    public var additions: [Addition] {
        zip(1..., records).map { Addition(SyncEntry($1, number: head + $0), after: $1.entry.entry.previous) }
    }
    /// Blobs of entries that the vault has without them.
    public var blobs: [SyncBlob]
    /// Pairs of entries that one device signed with the same number; a pair can be there already.
    public var evidence: [SyncEvidence]
    /// The entry that begins the circle, if this upload names it first.
    public var circleRoot: [UInt8]?
    /// Whether a device brings it in a session: the vault's invitation brings nothing more then.
    public var endsBringing = false
    /// All keys of the vault from now on, if they change.
    ///
    /// Sessions of a subject that has no allowed key end.
    public var keys: [SyncKey]?

    package init(
        head: Int64,
        records: [LogRecord] = [],
        blobs: [SyncBlob] = [],
        evidence: [SyncEvidence] = [],
        circleRoot: [UInt8]? = nil,
        keys: [SyncKey]? = nil
    ) {
        self.head = head
        self.records = records
        self.blobs = blobs
        self.evidence = evidence
        self.circleRoot = circleRoot
        self.keys = keys
    }

    /// Whether the batch changes nothing.
    public var isEmpty: Bool {
        records.isEmpty && blobs.isEmpty && evidence.isEmpty && circleRoot == nil && keys == nil
    }
}

/// How many entries an answer can have.
public struct SyncPage: Hashable, Sendable {
    /// The maximum number of entries.
    public var entries: Int
    /// The length of entries and blobs after which the page ends.
    ///
    /// A page always has at least one entry, if there is one.
    public var bytes: Int
    /// Whether blobs are read.
    public var hasBlobs: Bool
    /// The largest number that an entry of the page can have: what arrived later is left out.
    public var last: Int64

    /// A page with limits.
    public init(entries: Int, bytes: Int = .max, hasBlobs: Bool = true, upTo last: Int64 = .max) {
        self.entries = entries
        self.bytes = bytes
        self.hasBlobs = hasBlobs
        self.last = last
    }
}
