internal import Crypto
internal import WardCBOR

/// How far a device has read a server's order of entries: the number of the last entry, and a hash over all of them.
///
/// An entry can carry one for each server. Two devices that were shown the same order have the same hash for each number.
package struct RemotePosition: Hashable, Sendable {
    /// The name of the server's order.
    ///
    /// A server that lost entries begins another one, which every device notices.
    package var order: [UInt8]
    /// How many entries were read.
    package var number: UInt64
    package var hash: [UInt8]

    package init(order: [UInt8], number: UInt64, hash: [UInt8]) {
        self.order = order
        self.number = number
        self.hash = hash
    }

    /// The position before the first entry.
    package init(beginning order: [UInt8]) {
        self.order = order
        number = 0
        hash = Array(SHA256.hash(data: Array("ward/v1/remote-order".utf8) + [0] + order))
    }

    /// The position after one more entry, which has this hash.
    package func next(_ entry: [UInt8]) -> RemotePosition {
        RemotePosition(order: order, number: number &+ 1, hash: Array(SHA256.hash(data: hash + entry)))
    }

    /// The length of the name of an order.
    package static let orderLength = 16
}

/// The positions in an entry: an array of [order, number, hash], in the order of the names, each once.
extension RemotePosition {
    /// The field of a payload.
    static let field = 8
    /// The maximum number of positions in an entry.
    private static let limit = 16

    var cbor: CBORValue { [.bytes(order), .unsigned(number), .bytes(hash)] }

    /// Reads the field; `nil` if it has another form.
    static func list(_ value: CBORValue?) -> [RemotePosition]? {
        guard let elements = value?.arrayValue, (1...limit).contains(elements.count) else { return nil }
        var positions: [RemotePosition] = []
        for element in elements {
            guard let parts = element.arrayValue, parts.count == 3, let order = parts[0].bytesValue,
                order.count == orderLength, case .unsigned(let number) = parts[1], let hash = parts[2].bytesValue,
                hash.count == LogEntry.hashLength
            else { return nil }
            if let last = positions.last { guard last.order.lexicographicallyPrecedes(order) else { return nil } }
            positions.append(RemotePosition(order: order, number: number, hash: hash))
        }
        return positions
    }
}
