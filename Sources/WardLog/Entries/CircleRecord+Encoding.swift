internal import WardCBOR

extension CircleRecord {
    /// The numbers of the operations.
    static let codes: ClosedRange<UInt64> = 6...12

    /// The operation's number and body, without signatures.
    var cbor: (code: UInt64, body: CBORValue) {
        switch self {
        case .begin(let members, let recovery, let keys):
            (6, [1: .array(members.map(\.cbor)), 2: .array(recovery.map(\.cbor)), 3: keys.cbor])
        case .admit(let device, let name):
            (
                7,
                [
                    1: .bytes(device.publicKey), 2: .unsigned(device.suite), 3: .bytes(device.sealingKey),
                    4: .bytes(name),
                ]
            )
        case .joinAdmitted(let admission): (8, [1: .bytes(admission)])
        case .joinRecovered(let device):
            (8, [2: .bytes(device.publicKey), 3: .unsigned(device.suite), 4: .bytes(device.sealingKey)])
        case .remove(let devices, let keys): (9, [1: .array(devices.map { .bytes($0.bytes) }), 3: keys.cbor])
        case .rekey(let keys): (10, [3: keys.cbor])
        case .recovery(let recovery, let keys): (11, [2: .array(recovery.map(\.cbor)), 3: keys.cbor])
        case .rules(let minimumReader): (12, [1: .unsigned(minimumReader)])
        case .place(let sealed): (12, [2: .bytes(sealed)])
        }
    }

    /// Reads a body; unknown fields in it are ignored.
    ///
    /// Lists must be in order and have nothing twice, so that one operation has one form.
    ///
    /// - Throws: ``LogError`` with `malformed`.
    init(code: UInt64, body: CBORValue) throws(LogError) {
        let read = OperationReader(body: body)
        switch code {
        case 6:
            self = .begin(
                members: try read.ordered(1, by: \.publicKey, CircleDevice.init(cbor:)),
                recovery: try read.ordered(2, by: \.publicKey, CircleRecoveryKey.init(cbor:)),
                try CircleKeysRecord(cbor: read.value(3))
            )
        case 7:
            self = .admit(
                CircleDevice(
                    publicKey: try read.bytes(1, count: LogEntry.publicKeyLength),
                    suite: try read.unsigned(2),
                    sealingKey: try read.bytes(3, upTo: Self.keyLimit)
                ),
                name: try read.bytes(4, upTo: Self.nameLimit)
            )
        case 8:
            if body[1] != nil {
                self = .joinAdmitted(try read.bytes(1, count: LogEntry.hashLength))
            } else {
                self = .joinRecovered(
                    CircleDevice(
                        publicKey: try read.bytes(2, count: LogEntry.publicKeyLength),
                        suite: try read.unsigned(3),
                        sealingKey: try read.bytes(4, upTo: Self.keyLimit)
                    )
                )
            }
        case 9:
            let devices = try read.ordered(1, by: \.bytes) { (value) throws(LogError) in
                guard let device = value.bytesValue.flatMap(DeviceID.init) else { throw OperationReader.malformed }
                return device
            }
            self = .remove(devices, try CircleKeysRecord(cbor: read.value(3)))
        case 10: self = .rekey(try CircleKeysRecord(cbor: read.value(3)))
        case 11:
            self = .recovery(
                try read.ordered(2, by: \.publicKey, CircleRecoveryKey.init(cbor:)),
                try CircleKeysRecord(cbor: read.value(3))
            )
        case 12:
            if body[1] != nil {
                self = .rules(minimumReader: try read.unsigned(1))
            } else {
                self = .place(try read.bytes(2, upTo: Self.placeLimit))
            }
        default: throw OperationReader.malformed
        }
    }

    /// The maximum lengths of a public key or an encapsulation, of a sealed vault key, of a sealed name, and of a sealed address, in
    /// bytes.
    static let keyLimit = 2_048
    static let sealedLimit = 1_024
    static let nameLimit = 1_024
    package static let placeLimit = 1_024
}

extension CircleDevice {
    fileprivate var cbor: CBORValue { [.bytes(publicKey), .unsigned(suite), .bytes(sealingKey)] }

    fileprivate init(cbor: CBORValue) throws(LogError) {
        let read = try ElementReader(cbor, count: 3)
        self.init(
            publicKey: try read.bytes(0, count: LogEntry.publicKeyLength),
            suite: try read.unsigned(1),
            sealingKey: try read.bytes(2, upTo: CircleRecord.keyLimit)
        )
    }
}

extension CircleRecoveryKey {
    fileprivate var cbor: CBORValue {
        [
            .unsigned(kind), .unsigned(version), .bytes(publicKey), .unsigned(suite), .bytes(sealingKey),
            parameters?.value ?? .null,
        ]
    }

    fileprivate init(cbor: CBORValue) throws(LogError) {
        let read = try ElementReader(cbor, count: 6)
        self.init(
            kind: try read.unsigned(0),
            version: try read.unsigned(1),
            publicKey: try read.bytes(2, count: LogEntry.publicKeyLength),
            suite: try read.unsigned(3),
            sealingKey: try read.bytes(4, upTo: CircleRecord.keyLimit),
            parameters: read.elements[5]
        )
    }
}

extension CircleKeysRecord {
    fileprivate var cbor: CBORValue {
        [
            1: .unsigned(epoch), 2: .bytes(owner), 3: .unsigned(header), 4: .bytes(headerHash),
            5: .array(
                sealed.map { key in
                    [
                        .bytes(key.recipient), .unsigned(key.suite), .bytes(key.encapsulation),
                        .bytes(key.ciphertext),
                    ]
                }
            ),
        ]
    }

    fileprivate init(cbor: CBORValue) throws(LogError) {
        let read = OperationReader(body: cbor)
        self.init(
            epoch: try read.unsigned(1),
            owner: try read.bytes(2, count: LogEntry.publicKeyLength),
            header: try read.unsigned(3),
            headerHash: try read.bytes(4, count: LogEntry.hashLength),
            sealed: try read.ordered(5, by: \.recipient) { (value) throws(LogError) in
                let read = try ElementReader(value, count: 4)
                let recipient = try read.bytes(0, upTo: LogEntry.publicKeyLength)
                guard recipient.count == DeviceID.length || recipient.count == LogEntry.publicKeyLength else {
                    throw OperationReader.malformed
                }
                return CircleSealedKey(
                    recipient: recipient,
                    suite: try read.unsigned(1),
                    encapsulation: try read.bytes(2, upTo: CircleRecord.keyLimit),
                    ciphertext: try read.bytes(3, upTo: CircleRecord.sealedLimit)
                )
            }
        )
    }
}

/// Reads values of exact types from an array.
private struct ElementReader {
    let elements: [CBORValue]

    init(_ value: CBORValue, count: Int) throws(LogError) {
        guard let elements = value.arrayValue, elements.count == count else { throw OperationReader.malformed }
        self.elements = elements
    }

    func unsigned(_ index: Int) throws(LogError) -> UInt64 {
        guard case .unsigned(let value) = elements[index] else { throw OperationReader.malformed }
        return value
    }

    func bytes(_ index: Int, count: Int) throws(LogError) -> [UInt8] {
        guard let value = elements[index].bytesValue, value.count == count else { throw OperationReader.malformed }
        return value
    }

    func bytes(_ index: Int, upTo limit: Int) throws(LogError) -> [UInt8] {
        guard let value = elements[index].bytesValue, value.count <= limit else { throw OperationReader.malformed }
        return value
    }
}
