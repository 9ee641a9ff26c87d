public import WardLog

/// An entry as a server stores it.
public struct SyncEntry: Hashable, Sendable {
    /// The number in the order of arrival, from 1.
    public var number: Int64
    /// The device that signed the entry.
    public var device: DeviceID
    /// The number on the device.
    public var sequence: Int64
    /// SHA-256 of the signed entry, 32 bytes, as the log names it.
    public var hash: [UInt8]
    /// The bytes of the signed entry.
    public var encoded: [UInt8]
    /// What the entry names, if the server has it.
    ///
    /// A later upload can fill it in.
    public var blob: [UInt8]?

    /// An entry with all its parts.
    public init(
        number: Int64,
        device: DeviceID,
        sequence: Int64,
        hash: [UInt8],
        encoded: [UInt8],
        blob: [UInt8]? = nil
    ) {
        self.number = number
        self.device = device
        self.sequence = sequence
        self.hash = hash
        self.encoded = encoded
        self.blob = blob
    }

    package init(_ record: LogRecord, number: Int64) {
        self.init(
            number: number,
            device: record.entry.entry.device,
            sequence: Int64(clamping: record.entry.entry.sequence),
            hash: record.entry.hash,
            encoded: record.entry.encoded,
            blob: record.blob
        )
    }
}

/// Two different entries that one device signed with the same number.
///
/// Both are stored, and both prove to anybody what the device did.
public struct SyncEvidence: Hashable, Sendable {
    /// The device that signed both.
    public var device: DeviceID
    /// The number that both have on the device.
    public var sequence: Int64
    /// The hashes of the entries, the one that arrived first before the other one.
    public var first: [UInt8]
    /// The hash of the other one.
    public var second: [UInt8]

    /// The evidence of two entries.
    public init(device: DeviceID, sequence: Int64, first: [UInt8], second: [UInt8]) {
        self.device = device
        self.sequence = sequence
        self.first = first
        self.second = second
    }
}

/// A blob that arrived after its entry.
public struct SyncBlob: Hashable, Sendable {
    /// The hash of the entry.
    public var entry: [UInt8]
    /// The blob: at most 1 MiB and 128 KiB, as the edge of the server checks.
    public var blob: [UInt8]

    /// A blob of an entry.
    public init(entry: [UInt8], blob: [UInt8]) {
        self.entry = entry
        self.blob = blob
    }
}

/// The pair of stored entries of a ``SyncEvidence``.
public struct SyncContradiction: Hashable, Sendable {
    /// The entry that arrived first.
    public var first: SyncEntry
    /// The other one.
    public var second: SyncEntry

    /// A pair of stored entries.
    public init(first: SyncEntry, second: SyncEntry) {
        self.first = first
        self.second = second
    }
}
