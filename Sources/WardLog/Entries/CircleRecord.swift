package import WardCBOR

/// What an operation on a circle of devices records: the operations 6 to 12.
///
/// `Documentation/formats/sync.md`, "Operations".
package enum CircleRecord: Hashable, Sendable {
    /// The circle begins (6).
    case begin(members: [CircleDevice], recovery: [CircleRecoveryKey], CircleKeysRecord)
    /// A member admits a device (7).
    ///
    /// The name of the device is sealed.
    case admit(CircleDevice, name: [UInt8])
    /// The first entry of a device that a member admitted (8); the hash is that of the operation 7.
    case joinAdmitted([UInt8])
    /// The first entry of a device that a recovery key admits (8).
    case joinRecovered(CircleDevice)
    /// A member removes devices (9).
    case remove([DeviceID], CircleKeysRecord)
    /// All devices get a new vault key (10).
    case rekey(CircleKeysRecord)
    /// The recovery keys are replaced (11).
    case recovery([CircleRecoveryKey], CircleKeysRecord)
    /// The earliest version of readers (12).
    case rules(minimumReader: UInt64)
    /// The vault moved to another server (12).
    ///
    /// The address is sealed.
    case place([UInt8])
}

/// A device, as an operation names it.
package struct CircleDevice: Hashable, Sendable {
    /// The Ed25519 key that signs the device's entries, 32 bytes.
    package var publicKey: [UInt8]
    /// The suite of the key to which vault keys are sealed.
    package var suite: UInt64
    /// The public key to which vault keys are sealed: at most 2,048 bytes.
    package var sealingKey: [UInt8]

    package init(publicKey: [UInt8], suite: UInt64, sealingKey: [UInt8]) {
        self.publicKey = publicKey
        self.suite = suite
        self.sealingKey = sealingKey
    }

    package var id: DeviceID { DeviceID(publicKey: publicKey) }
}

/// A recovery key, as an operation names it.
package struct CircleRecoveryKey: Hashable, Sendable {
    /// How a person keeps it: 1 on paper.
    ///
    /// Other numbers are kept as they are.
    package var kind: UInt64
    /// The number of the key among those of its kind.
    package var version: UInt64
    /// The Ed25519 key that signs, 32 bytes.
    package var publicKey: [UInt8]
    /// The suite of the key to which vault keys are sealed.
    package var suite: UInt64
    /// The public key to which vault keys are sealed: at most 2,048 bytes.
    package var sealingKey: [UInt8]
    /// What a kind needs besides; `nil` for paper.
    package var parameters: LaterValue?

    package init(
        kind: UInt64,
        version: UInt64,
        publicKey: [UInt8],
        suite: UInt64,
        sealingKey: [UInt8],
        parameters: CBORValue = .null
    ) {
        self.kind = kind
        self.version = version
        self.publicKey = publicKey
        self.suite = suite
        self.sealingKey = sealingKey
        self.parameters = parameters == .null ? nil : LaterValue(parameters)
    }
}

/// The keys that an operation brings.
package struct CircleKeysRecord: Hashable, Sendable {
    /// The number of the new vault key.
    package var epoch: UInt64
    /// The new owner key, an Ed25519 key of 32 bytes.
    ///
    /// It signs the entry too.
    package var owner: [UInt8]
    /// The generation of the new header.
    package var header: UInt64
    /// SHA-256 of the new header's body.
    ///
    /// The body is stored with the entry.
    package var headerHash: [UInt8]
    /// The new vault key, sealed to each device that is left and to each recovery key, in the order of the recipients.
    package var sealed: [CircleSealedKey]

    package init(epoch: UInt64, owner: [UInt8], header: UInt64, headerHash: [UInt8], sealed: [CircleSealedKey]) {
        self.epoch = epoch
        self.owner = owner
        self.header = header
        self.headerHash = headerHash
        self.sealed = sealed
    }

    /// The devices that get the vault key.
    package var recipients: Set<DeviceID> { Set(sealed.compactMap { DeviceID($0.recipient) }) }
}

extension CircleRecord {
    /// The keys that the operation brings.
    package var keys: CircleKeysRecord? {
        switch self {
        case .begin(_, _, let keys), .remove(_, let keys), .rekey(let keys), .recovery(_, let keys): keys
        case .admit, .joinAdmitted, .joinRecovered, .rules, .place: nil
        }
    }

    /// Whether this is the first entry of a device.
    var isJoin: Bool {
        switch self {
        case .joinAdmitted, .joinRecovered: true
        case .begin, .admit, .remove, .rekey, .recovery, .rules, .place: false
        }
    }
}
