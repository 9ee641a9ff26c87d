internal import WardCBOR

/// What a device needs of a circle to write the next entry, without the whole log.
package struct CircleSummary: Hashable, Sendable {
    /// A vault key that an operation made.
    package struct Key: Hashable, Sendable {
        package var epoch: UInt64
        /// The owner key that came with it, 32 bytes.
        package var owner: [UInt8]
        /// The position of the operation in the file.
        package var position: Int64
    }

    /// The devices that may write.
    package var members: Set<DeviceID>
    /// The devices in a dispute; they may write too.
    package var disputed: Set<DeviceID>
    /// Whether there is a question that only the person can answer.
    package var isFrozen: Bool
    /// Whether no removed device has the vault key in force.
    package var isClean: Bool
    /// The vault key in force.
    package var key: Key?
    /// The vault keys of all operations that stand, in the order of the file.
    package var keys: [Key]
    /// The positions of the operations that stand and that bring a header, in the order of the file.
    package var headers: [Int64]

    /// Whether a device may write entries.
    package func mayWrite(_ device: DeviceID) -> Bool { members.contains(device) || disputed.contains(device) }

    /// The circle of a log; `nil` if there is none, or if its first entry is not there.
    init?(_ graph: LogGraph) {
        guard let state = graph.circleState, let circle = graph.circle?.circle else { return nil }
        members = state.members
        disputed = state.disputed
        isFrozen = state.isFrozen
        isClean = state.isClean
        keys = circle.nodes.compactMap { node in
            guard node.stands, let keys = node.entry.operation.keys, let owner = keys.owner.owner,
                let position = graph.position(of: node.entry.hash)
            else { return nil }
            return Key(epoch: keys.epoch, owner: owner, position: position)
        }.sorted { $0.position < $1.position }
        headers = circle.nodes.compactMap { node in
            guard node.stands, node.entry.operation.headerGeneration != nil else { return nil }
            return graph.position(of: node.entry.hash)
        }.sorted()
        let position = state.key.flatMap { graph.position(of: $0.entry) }
        key = keys.first { $0.position == position }
    }
}

/// The encoding in the index. The index is sealed, so nothing here comes from outside.
extension CircleSummary {
    var cbor: CBORValue {
        [
            1: .array(members.sorted().map { .bytes($0.bytes) }), 2: .array(disputed.sorted().map { .bytes($0.bytes) }),
            3: .bool(isFrozen), 4: .bool(isClean), 5: key?.cbor ?? .null, 6: .array(keys.map(\.cbor)),
            7: .array(headers.map { .integer($0) }),
        ]
    }

    init?(_ value: CBORValue) {
        guard let members = Self.devices(value[1]), let disputed = Self.devices(value[2]),
            case .bool(let isFrozen) = value[3], case .bool(let isClean) = value[4], let key = value[5],
            let keys = value[6]?.arrayValue, let headers = value[7]?.arrayValue
        else { return nil }
        self.members = members
        self.disputed = disputed
        self.isFrozen = isFrozen
        self.isClean = isClean
        self.key = Key(key)
        self.keys = keys.compactMap { Key($0) }
        self.headers = headers.compactMap(\.integerValue)
        guard self.keys.count == keys.count, self.headers.count == headers.count, self.key != nil || key == .null else {
            return nil
        }
    }

    private static func devices(_ value: CBORValue?) -> Set<DeviceID>? {
        guard let list = value?.arrayValue else { return nil }
        let found = Set(list.compactMap { $0.bytesValue.flatMap { DeviceID($0) } })
        return found.count == list.count ? found : nil
    }
}

extension CircleSummary.Key {
    fileprivate var cbor: CBORValue { [.unsigned(epoch), .bytes(owner), .integer(position)] }

    fileprivate init?(_ value: CBORValue) {
        guard let parts = value.arrayValue, parts.count == 3, case .unsigned(let epoch) = parts[0],
            let owner = parts[1].bytesValue, let position = parts[2].integerValue
        else { return nil }
        self.init(epoch: epoch, owner: owner, position: position)
    }
}
