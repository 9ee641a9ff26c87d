/// A public key that approves operations of a circle: an owner key, or a recovery key.
package struct CircleKey: Hashable, Sendable, Comparable {
    package let bytes: [UInt8]

    package init(_ bytes: [UInt8]) { self.bytes = bytes }

    package static func < (lhs: Self, rhs: Self) -> Bool { lhs.bytes.lexicographicallyPrecedes(rhs.bytes) }
}

/// The fact that a key signed an entry, beside the entry's device.
///
/// The signature is checked before this value is made. The value says what was signed, so that a signature of one entry cannot
/// serve another entry.
package struct CircleApproval: Hashable, Sendable {
    package var key: CircleKey
    /// The content that was signed; see ``CircleEntry/content``.
    package var content: [UInt8]

    package init(_ key: CircleKey, content: [UInt8]) {
        self.key = key
        self.content = content
    }
}

/// The keys that an operation brings.
package struct CircleKeys: Hashable, Sendable {
    /// The number of the new vault key: one more than every number in the past.
    package var epoch: UInt64
    /// The new owner key, which has signed the entry too.
    package var owner: CircleKey
    /// The generation of the new header: one more than every generation in the past.
    package var header: UInt64
    /// The devices that get the vault key; `nil` for all that are left.
    package var recipients: Set<DeviceID>?

    package init(epoch: UInt64, owner: CircleKey, header: UInt64, recipients: Set<DeviceID>? = nil) {
        self.epoch = epoch
        self.owner = owner
        self.header = header
        self.recipients = recipients
    }
}

/// What an entry does to a circle of devices.
package enum CircleOperation: Hashable, Sendable {
    /// The circle begins with these devices and recovery keys.
    case begin(members: Set<DeviceID>, recovery: Set<CircleKey>, CircleKeys)
    /// A member admits a device.
    case admit(DeviceID)
    /// A new device begins, and a recovery key admits it.
    case recover(CircleKey)
    /// A member removes devices, and all others get a new vault key.
    case remove(Set<DeviceID>, CircleKeys)
    /// All devices get a new vault key.
    case rekey(CircleKeys)
    /// Other recovery keys replace all earlier ones.
    case recovery(Set<CircleKey>, CircleKeys)
    /// The header is replaced, for example because the passphrase was changed.
    case header(UInt64)
    /// Readers must be of this version or later.
    case rules(minimumReader: UInt64)
    /// The vault moved to another server.
    case place
    /// An entry that does nothing to the circle. It counts as a statement of what its device had seen.
    case other
    /// An unknown operation that must not be ignored, or an entry of a later version.
    case unknown
}

extension CircleOperation {
    /// The devices that the operation removes.
    package var targets: Set<DeviceID> { if case .remove(let devices, _) = self { devices } else { [] } }

    package var isRemoval: Bool { if case .remove = self { true } else { false } }

    /// Whether the operation answers an open question: it says to whom the next vault key goes.
    package var answers: Bool {
        switch self {
        case .remove, .rekey: true
        case .begin, .admit, .recover, .recovery, .header, .rules, .place, .other, .unknown: false
        }
    }

    package var keys: CircleKeys? {
        switch self {
        case .begin(_, _, let keys), .remove(_, let keys), .rekey(let keys), .recovery(_, let keys): keys
        case .admit, .recover, .header, .rules, .place, .other, .unknown: nil
        }
    }

    /// The generation of the header that comes with the operation.
    package var headerGeneration: UInt64? {
        if case .header(let generation) = self { generation } else { keys?.header }
    }
}

/// An entry of the log as the rules of a circle see it.
///
/// The circle needs the entries with an operation on it that stands, and of all others only those that know such an entry for the first
/// time on their device. The caller has checked the device's signature and that everything is what the entry names.
package struct CircleEntry: Hashable, Sendable {
    /// The entry's hash.
    package var hash: [UInt8]
    /// The hash of the whole entry without the approvals.
    package var content: [UInt8]
    package var device: DeviceID
    /// The hashes of the entries that it builds on: the one before on its device, and the heads of other devices.
    package var names: [[UInt8]]
    package var operation: CircleOperation
    package var approvals: [CircleApproval]

    package init(
        hash: [UInt8],
        content: [UInt8],
        device: DeviceID,
        names: [[UInt8]],
        operation: CircleOperation,
        approvals: [CircleApproval] = []
    ) {
        self.hash = hash
        self.content = content
        self.device = device
        self.names = names
        self.operation = operation
        self.approvals = approvals
    }
}
