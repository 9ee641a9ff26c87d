package import WardCBOR

/// The encoding in the index. The index is sealed, so nothing here comes from outside.
extension LogChain {
    package var cbor: CBORValue {
        [
            1: .bytes(nonce), 2: .bytes(authority), 3: .unsigned(headerGeneration), 4: .bytes(headerHash),
            5: .integer(position), 6: .bytes(hash),
            7: .array(
                devices.sorted { $0.key < $1.key }.map { id, device in
                    [
                        .bytes(id.bytes), .bytes(device.publicKey),
                        .array(
                            device.leaves.map { leaf in
                                [
                                    .unsigned(leaf.sequence), .bytes(leaf.hash), .integer(leaf.position),
                                    .unsigned(leaf.time.value), .integer(leaf.known),
                                ]
                            }
                        ),
                    ]
                }
            ),
            8: circle?.cbor ?? .null,
        ]
    }

    package init?(_ value: CBORValue) {
        guard let nonce = value[1]?.bytesValue, let authority = value[2]?.bytesValue,
            case .unsigned(let generation) = value[3], let headerHash = value[4]?.bytesValue,
            let position = value[5]?.integerValue, let hash = value[6]?.bytesValue,
            let devices = value[7]?.arrayValue
        else { return nil }
        if let circle = value[8], circle != .null {
            guard let read = CircleSummary(circle) else { return nil }
            self.circle = read
        }
        self.nonce = nonce
        self.authority = authority
        headerGeneration = generation
        self.headerHash = headerHash
        self.position = position
        self.hash = hash
        for device in devices {
            guard let parts = device.arrayValue, parts.count == 3, let id = parts[0].bytesValue.flatMap(DeviceID.init),
                let publicKey = parts[1].bytesValue, let leaves = parts[2].arrayValue
            else { return nil }
            self.devices[id] = Device(publicKey: publicKey, leaves: leaves.compactMap(Leaf.init))
            guard self.devices[id]?.leaves.count == leaves.count else { return nil }
        }
    }
}

extension LogChain.Leaf {
    fileprivate init?(_ value: CBORValue) {
        guard let parts = value.arrayValue, parts.count == 5, case .unsigned(let sequence) = parts[0],
            let hash = parts[1].bytesValue, let position = parts[2].integerValue, case .unsigned(let time) = parts[3],
            time < HybridTime.limit, let known = parts[4].integerValue
        else { return nil }
        self.init(sequence: sequence, hash: hash, position: position, time: HybridTime(value: time), known: known)
    }
}
