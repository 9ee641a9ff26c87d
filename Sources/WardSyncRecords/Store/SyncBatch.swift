package import WardLog

/// What one upload changes in a vault.
package struct SyncBatch: Sendable {
    /// The number of the last entry that the upload was checked against.
    package var head: Int64
    /// New entries, in order; they get the numbers after ``head``.
    package var records: [LogRecord]
    /// Blobs of entries that the vault has without them.
    package var blobs: [SyncBlob]
    package var evidence: [SyncEvidence]
    /// The entry that begins the circle, if this upload names it first.
    package var circleRoot: [UInt8]?
    /// All keys of the vault from now on, if they change.
    ///
    /// Sessions of a subject that has no allowed key end.
    package var keys: [SyncKey]?

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
    package var isEmpty: Bool {
        records.isEmpty && blobs.isEmpty && evidence.isEmpty && circleRoot == nil && keys == nil
    }
}

/// How many entries an answer can have.
package struct SyncPage: Hashable, Sendable {
    package var entries: Int
    /// The length of entries and blobs after which the page ends.
    ///
    /// A page always has at least one entry, if there is one.
    package var bytes: Int
    /// Whether blobs are read.
    package var hasBlobs: Bool

    package init(entries: Int, bytes: Int = .max, hasBlobs: Bool = true) {
        self.entries = entries
        self.bytes = bytes
        self.hasBlobs = hasBlobs
    }
}
