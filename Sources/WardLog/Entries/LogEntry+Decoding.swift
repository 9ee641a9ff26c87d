internal import WardCBOR

extension LogOperation {
    /// The operation's number and body.
    var cbor: (code: UInt64, body: CBORValue) {
        switch self {
        case .genesis(let device, let certificate, let nonce, let authority):
            (1, [1: .bytes(device), 2: .bytes(certificate), 3: .bytes(nonce), 4: .bytes(authority)])
        case .enrol(let device, let certificate):
            (2, [1: .bytes(device), 2: .bytes(certificate)])
        case .revision(let record): (3, record.cbor)
        case .purge(let item, let parents):
            (4, [1: .bytes(item.bytes), 2: .array(parents.map { .bytes($0) })])
        case .header(let generation, let hash):
            (5, [1: .unsigned(generation), 2: .bytes(hash)])
        case .circle(let record): record.cbor
        case .content(let record):
            (Self.contentCode, [1: .bytes(record.item.bytes), 2: .bytes(record.blobHash)])
        case .ignorable(let code, let body), .unknown(let code, let body):
            (code, body.value)
        }
    }

    /// The number of ``content(_:)``; a reader that does not know it must not ignore it, or it would clear contents.
    private static let contentCode: UInt64 = 20

    init(code: UInt64, body: CBORValue) throws(LogError) {
        let read = OperationReader(body: body)
        switch code {
        case 1:
            self = .genesis(
                device: try read.bytes(1, count: LogEntry.publicKeyLength),
                certificate: try read.bytes(2, count: LogEntry.signatureLength),
                nonce: try read.bytes(3, count: 32),
                authority: try read.bytes(4, count: LogEntry.publicKeyLength)
            )
        case 2:
            self = .enrol(
                device: try read.bytes(1, count: LogEntry.publicKeyLength),
                certificate: try read.bytes(2, count: LogEntry.signatureLength)
            )
        case 3:
            self = .revision(
                RevisionEntry(
                    item: try read.item(1),
                    number: try read.unsigned(2),
                    parents: try read.hashes(3),
                    epoch: try read.unsigned(4),
                    blobHash: try read.bytes(5, count: LogEntry.hashLength),
                    contents: body[6] == nil ? [] : try read.hashes(6)
                )
            )
        case 4:
            self = .purge(item: try read.item(1), parents: try read.hashes(2))
        case 5:
            self = .header(
                generation: try read.unsigned(1),
                hash: try read.bytes(2, count: LogEntry.hashLength)
            )
        case CircleRecord.codes:
            // A body that this version cannot read ends what counts of its device, as an unknown operation does. If the entry were
            // refused, nothing could be taken that names it.
            self = (try? CircleRecord(code: code, body: body)).map { .circle($0) } ?? .unknown(code, LaterValue(body))
        case Self.contentCode:
            self = .content(
                ContentEntry(item: try read.item(1), blobHash: try read.bytes(2, count: LogEntry.hashLength))
            )
        case Self.firstIgnorable...:
            self = .ignorable(code, LaterValue(body))
        default:
            self = .unknown(code, LaterValue(body))
        }
    }
}

extension RevisionEntry {
    fileprivate var cbor: CBORValue {
        var pairs: [CBORPair] = [
            CBORPair(key: 1, value: .bytes(item.bytes)), CBORPair(key: 2, value: .unsigned(number)),
            CBORPair(key: 3, value: .array(parents.map { .bytes($0) })), CBORPair(key: 4, value: .unsigned(epoch)),
            CBORPair(key: 5, value: .bytes(blobHash)),
        ]
        if !contents.isEmpty { pairs.append(CBORPair(key: 6, value: .array(contents.map { .bytes($0) }))) }
        return .map(pairs)
    }
}

extension LogEntry {
    /// Reads the signed bytes; the signature is checked elsewhere.
    ///
    /// The fields 1 to 5 mean the same in every version, so the place of an entry of a later version is known.
    ///
    /// - Throws: ``LogError`` with `malformed`.
    package init(payload: [UInt8]) throws(LogError) {
        guard let value = try? CBORValue.decode(payload, rules: Self.rules) else { throw OperationReader.malformed }
        let read = OperationReader(body: value)
        version = try read.unsigned(0)
        guard let device = DeviceID(try read.bytes(1, count: DeviceID.length)), let body = value[7] else {
            throw OperationReader.malformed
        }
        self.device = device
        sequence = try read.unsigned(2)
        previous = value[3] == nil ? nil : try read.bytes(3, count: Self.hashLength)
        time = HybridTime(value: try read.unsigned(4))
        guard time.value < HybridTime.limit else { throw OperationReader.malformed }
        seen = []
        for element in value[5]?.arrayValue ?? [] {
            guard let parts = element.arrayValue, parts.count == 3, let bytes = parts[0].bytesValue,
                let device = DeviceID(bytes), case .unsigned(let sequence) = parts[1], let hash = parts[2].bytesValue,
                hash.count == Self.hashLength
            else { throw OperationReader.malformed }
            seen.append(Seen(device: device, sequence: sequence, hash: hash))
        }
        let code = try read.unsigned(6)
        if version == Self.version, Self.approvable.contains(code) {
            // Signatures that cannot be read are no signatures: the operation is then not allowed, and does nothing.
            let fields = OperationReader(body: body)
            recoveryApproval = try? LogApproval(cbor: fields.value(Self.recoveryField))
            approvals = (try? fields.ordered(Self.ownerField, by: \.publicKey, LogApproval.init(cbor:))) ?? []
        }
        operation =
            version == Self.version ? try LogOperation(code: code, body: body) : .unknown(code, LaterValue(body))
        // What no reader of this version can use is kept as it is.
        positions = version == Self.version ? RemotePosition.list(value[RemotePosition.field]) ?? [] : []
        let known = positions.isEmpty ? Self.fields : Self.fieldsWithPositions
        unknown = (value.mapValue ?? []).filter { !known.contains($0.key) }
    }

    private static let fields = Set((0...7).map { CBORValue.integer(Int64($0)) })
    private static let fieldsWithPositions = Set((0...RemotePosition.field).map { CBORValue.integer(Int64($0)) })
}
