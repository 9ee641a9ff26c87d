import NIOCore
import Synchronization
import Testing
import WardServer

@Suite struct `Shares of the connections` {
    /// Connections by name; which ones were closed for others.
    private final class SharesFixture: Sendable {
        let shares: ConnectionShares
        private let closed = Mutex<[String]>([])

        init(room: Int) { shares = ConnectionShares(room) }

        @discardableResult
        func open(_ name: String, from address: UInt8) -> ConnectionShares.ID {
            shares.add(ClientAddress(packed: [192, 0, 2, address])) { [self] in closed.withLock { $0.append(name) } }
        }

        func takeClosed() -> [String] {
            closed.withLock { closed in
                defer { closed = [] }
                return closed
            }
        }
    }

    @Test func `are free while there is room`() {
        let fixture = SharesFixture(room: 4)
        for name in ["a", "b", "c", "d"] { fixture.open(name, from: 1) }
        #expect(fixture.takeClosed() == [])
        #expect(fixture.shares.count == 4)
    }

    @Test func `are taken from the client that has the most, its oldest idle one first`() {
        let fixture = SharesFixture(room: 4)
        fixture.open("owner", from: 2)
        let first = fixture.open("first", from: 1)
        fixture.open("second", from: 1)
        fixture.open("third", from: 1)
        // The first one asked for something since.
        fixture.shares.set(first, .forAnswer)
        fixture.shares.set(first, .forHead)
        fixture.open("other", from: 3)
        #expect(fixture.takeClosed() == ["second"])
        // A client that has the most closes its own.
        fixture.open("fourth", from: 1)
        #expect(fixture.takeClosed() == ["third"])
        fixture.open("fifth", from: 1)
        #expect(fixture.takeClosed() == ["first"])
        #expect(fixture.shares.count == 4)
    }

    @Test func `are never taken from a request that is being answered`() {
        let fixture = SharesFixture(room: 3)
        let busy = (1...3).map { fixture.open("busy \($0)", from: 1) }
        for id in busy { fixture.shares.set(id, .forAnswer) }
        fixture.open("new", from: 2)
        #expect(fixture.takeClosed() == [])
        #expect(fixture.shares.count == 4)
        // A slow sender is idle enough if nobody else is.
        fixture.shares.set(busy[1], .forBody)
        fixture.open("newer", from: 3)
        #expect(fixture.takeClosed() == ["busy 2"])
        fixture.shares.remove(busy[0])
        fixture.shares.remove(busy[0])
        #expect(fixture.shares.count == 3)
    }

    @Test func `are by address: all of IPv4, and the 56 bits of IPv6 that one customer gets`() throws {
        let v6 = { (text: String) in ClientAddress(try? SocketAddress(ipAddress: text, port: 1)) }
        #expect(v6("2001:db8:0:100::1") == v6("2001:db8:0:1ff:ffff::1"))
        #expect(v6("2001:db8:0:100::1") != v6("2001:db8:0:200::1"))
        #expect(v6("192.0.2.1") != v6("192.0.2.2"))
        #expect(v6("::ffff:192.0.2.1") == v6("192.0.2.1"))
        #expect(v6("::ffff:192.0.2.1") != v6("::ffff:192.0.2.2"))
        #expect(ClientAddress(nil) == ClientAddress(packed: []))
    }
}
