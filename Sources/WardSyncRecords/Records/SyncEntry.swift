package import WardLog

/// An entry as a server stores it.
package struct SyncEntry: Hashable, Sendable {
    /// The number in the order of arrival, from 1.
    package var number: Int64
    package var device: DeviceID
    /// The number on the device.
    package var sequence: Int64
    package var hash: [UInt8]
    /// The bytes of the signed entry.
    package var encoded: [UInt8]
    /// What the entry names, if the server has it.
    ///
    /// A later upload can fill it in.
    package var blob: [UInt8]?

    package init(
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
}

/// Two different entries that one device signed with the same number.
///
/// Both are stored, and both prove to anybody what the device did.
package struct SyncEvidence: Hashable, Sendable {
    package var device: DeviceID
    package var sequence: Int64
    /// The hashes of the entries, the one that arrived first before the other one.
    package var first: [UInt8]
    package var second: [UInt8]

    package init(device: DeviceID, sequence: Int64, first: [UInt8], second: [UInt8]) {
        self.device = device
        self.sequence = sequence
        self.first = first
        self.second = second
    }
}

/// A blob that arrived after its entry.
package struct SyncBlob: Hashable, Sendable {
    /// The hash of the entry.
    package var entry: [UInt8]
    package var blob: [UInt8]

    package init(entry: [UInt8], blob: [UInt8]) {
        self.entry = entry
        self.blob = blob
    }
}

/// The pair of stored entries of a ``SyncEvidence``.
package struct SyncContradiction: Hashable, Sendable {
    package var first: SyncEntry
    package var second: SyncEntry

    package init(first: SyncEntry, second: SyncEntry) {
        self.first = first
        self.second = second
    }
}
