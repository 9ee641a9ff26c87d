import Testing
import WardLog
import WardVault

@testable import WardSync

/// What a device keeps of a server's order is in records that have the same names for every server.
@Suite struct `The records of a server's order` {
    private static let length = RemotePosition.orderLength

    private func order(_ byte: UInt8, of count: UInt8, in vault: Vault) -> ServerOrder {
        let order = ServerOrder(beginning: [UInt8](repeating: byte, count: Self.length), in: vault)
        for number in 0..<count { order.append([UInt8](repeating: number, count: 32)) }
        return order
    }

    @Test func `are those of one order`() async throws {
        let world = try await CircleWorld(devices: 1)
        let (first, second) = (order(1, of: 3, in: world[0]), order(2, of: 3, in: world[0]))
        try await first.keep()
        #expect(try await ServerOrder(at: first.position, in: world[0]) != nil)
        #expect(try await ServerOrder(at: second.position, in: world[0]) == nil)
        // A position of another order with the hash of this one does not belong to its records either.
        let mixed = RemotePosition(order: second.position.order, number: 3, hash: first.position.hash)
        #expect(try await ServerOrder(at: mixed, in: world[0]) == nil)
        try await second.keep()
        #expect(try await ServerOrder(at: second.position, in: world[0]) != nil)
        #expect(try await ServerOrder(at: first.position, in: world[0]) == nil)
        try await world.close()
    }

    @Test func `go on where they were kept, although more was written`() async throws {
        let world = try await CircleWorld(devices: 1)
        let order = order(1, of: 3, in: world[0])
        let kept = order.position
        order.append([UInt8](repeating: 9, count: 32))
        try await order.keep()
        let again = try #require(try await ServerOrder(at: kept, in: world[0]))
        again.append([UInt8](repeating: 8, count: 32))
        #expect(again.position.number == 4 && again.position != order.position)
        #expect(try await again.has([UInt8](repeating: 8, count: 32), at: 4) == true)
        #expect(try await again.has([UInt8](repeating: 9, count: 32), at: 4) == false)
        try await world.close()
    }
}
