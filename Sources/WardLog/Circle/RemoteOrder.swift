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
        hashes = [RemotePosition(beginning: order).hash]
    }

    /// The position for this device's next entry.
    package var position: RemotePosition {
        RemotePosition(order: order, number: UInt64(hashes.count - 1), hash: hashes[hashes.count - 1])
    }

    /// Adds the next entry that the server showed.
    package mutating func append(_ entry: [UInt8]) {
        hashes.append(position.next(entry).hash)
    }

    /// Compares a position in an entry of another device.
    package func compare(_ position: RemotePosition) -> Finding {
        guard position.order == order else { return .isOfAnotherOrder }
        guard position.number < UInt64(hashes.count) else { return .isAhead }
        return hashes[Int(position.number)] == position.hash ? .agrees : .contradicts
    }
}
