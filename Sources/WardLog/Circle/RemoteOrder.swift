internal import Crypto

/// How far a device has read a server's order of entries: the number of the last entry, and a hash over all of them.
///
/// Each entry carries one. Two devices that were shown the same order have the same hash for each number.
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
}

/// The order of entries that a server showed to this device.
package struct RemoteOrder: Hashable, Sendable {
    /// What a position in somebody's entry says about the server.
    package enum Finding: Hashable, Sendable {
        /// The other device was shown the same order up to there.
        case agrees
        /// The server showed two orders. The two entries prove it.
        case contradicts
        /// The other device has read further. Ask again when this device has read as far.
        case isAhead
        /// The position is one of another order: nothing follows.
        case isOfAnotherOrder
    }

    package let order: [UInt8]
    /// The hash after each number of entries, from 0.
    private var hashes: [[UInt8]]

    /// Starts before the first entry.
    package init(order: [UInt8]) {
        self.order = order
        hashes = [Array(SHA256.hash(data: Array("ward/v1/remote-order".utf8) + [0] + order))]
    }

    /// The position for this device's next entry.
    package var position: RemotePosition {
        RemotePosition(order: order, number: UInt64(hashes.count - 1), hash: hashes[hashes.count - 1])
    }

    /// Adds the next entry that the server showed.
    package mutating func append(_ entry: [UInt8]) {
        hashes.append(Array(SHA256.hash(data: hashes[hashes.count - 1] + entry)))
    }

    /// Compares a position in an entry of another device.
    package func compare(_ position: RemotePosition) -> Finding {
        guard position.order == order else { return .isOfAnotherOrder }
        guard position.number < UInt64(hashes.count) else { return .isAhead }
        return hashes[Int(position.number)] == position.hash ? .agrees : .contradicts
    }
}
