internal import WardCBOR
internal import WardLog

/// The part of the index about the log: its end, the items with several newest revisions, the removals, and the contents of
/// attached files.
struct IndexState {
    let chain: LogChain
    /// The newest revisions of items that have more than one newest revision.
    private(set) var several: [ItemID: [RevisionPlace]] = [:]
    private(set) var removals: [Removal] = []
    private(set) var contents: [[UInt8]: ContentPlace] = [:]

    init(
        _ chain: LogChain,
        _ pieces: [IndexSnapshot.Piece],
        _ removals: [Removal],
        _ contents: [[UInt8]: ContentPlace]
    ) {
        self.chain = chain
        self.removals = removals
        self.contents = contents
        for piece in pieces where piece.heads.count > 1 { several[piece.id] = piece.heads }
    }

    var cbor: CBORValue {
        [
            1: chain.cbor,
            2: .array(
                several.sorted { $0.key < $1.key }.map { id, heads in
                    [.bytes(id.bytes), .array(heads.map { [.integer($0.position), .bytes($0.hash)] })]
                }
            ),
            3: .array(removals.map { [.bytes($0.item.bytes), .integer($0.position), .integer($0.time)] }),
            4: .array(
                contents.sorted { $0.value.position < $1.value.position }.map { hash, place in
                    [.bytes(hash), .bytes(place.item.bytes), .integer(place.position)]
                }
            ),
        ]
    }

    init?(_ value: CBORValue) {
        guard let chain = value[1].flatMap({ LogChain($0) }), let several = value[2]?.arrayValue,
            let removals = value[3]?.arrayValue
        else { return nil }
        self.chain = chain
        for element in several {
            guard let parts = element.arrayValue, parts.count == 2,
                let id = parts[0].bytesValue.flatMap({ ItemID($0) }),
                let heads = parts[1].arrayValue
            else { return nil }
            self.several[id] = heads.compactMap { head in
                guard let parts = head.arrayValue, parts.count == 2, let position = parts[0].integerValue,
                    let hash = parts[1].bytesValue
                else { return nil }
                return RevisionPlace(position: position, hash: hash)
            }
        }
        for element in removals {
            guard let parts = element.arrayValue, parts.count == 3,
                let id = parts[0].bytesValue.flatMap({ ItemID($0) }),
                let position = parts[1].integerValue, let time = parts[2].integerValue
            else { return nil }
            self.removals.append(Removal(item: id, position: position, time: time))
        }
        for element in value[4]?.arrayValue ?? [] {
            guard let parts = element.arrayValue, parts.count == 3, let hash = parts[0].bytesValue,
                let id = parts[1].bytesValue.flatMap({ ItemID($0) }), let position = parts[2].integerValue
            else { return nil }
            self.contents[hash] = ContentPlace(item: id, position: position)
        }
    }
}
