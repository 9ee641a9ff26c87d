import NIOCore
import Synchronization
import Testing
import WardServer

@Suite struct `Shares of the connections` {
    /// Connections by name; which ones were closed for others.
    private final class SharesFixture: Sendable {
        let shares: ConnectionShares
        private let closed = Mutex<[String]>([])

        init(room: Int, proxies: [String] = []) throws {
            shares = ConnectionShares(room, proxies: try TrustedProxies(proxies))
        }

        @discardableResult
        func open(_ name: String, from address: UInt8) -> ConnectionShares.ID {
            let peer = try? SocketAddress(ipAddress: "192.0.2.\(address)", port: 1)
            return shares.add(peer) { [self] in closed.withLock { $0.append(name) } }
        }

        func takeClosed() -> [String] {
            closed.withLock { closed in
                defer { closed = [] }
                return closed
            }
        }
    }

    @Test func `are free while there is room`() throws {
        let fixture = try SharesFixture(room: 4)
        for name in ["a", "b", "c", "d"] { fixture.open(name, from: 1) }
        #expect(fixture.takeClosed() == [])
        #expect(fixture.shares.count == 4)
    }

    @Test func `are taken from the client that has the most, its oldest idle one first`() throws {
        let fixture = try SharesFixture(room: 4)
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

    @Test func `are never taken from a request that is being answered`() throws {
        let fixture = try SharesFixture(room: 3)
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

    @Test func `are taken from a trusted proxy last, however many it has`() throws {
        let fixture = try SharesFixture(room: 4, proxies: ["192.0.2.9"])
        for name in ["a", "b", "c"] { fixture.open(name, from: 9) }
        fixture.open("stranger", from: 1)
        fixture.open("d", from: 9)
        #expect(fixture.takeClosed() == ["stranger"])
        // Nobody else has any.
        fixture.open("e", from: 9)
        #expect(fixture.takeClosed() == ["a"])
        // A proxy that is not trusted is a client like others.
        fixture.open("first", from: 8)
        #expect(fixture.takeClosed() == ["b"])
        fixture.open("second", from: 8)
        #expect(fixture.takeClosed() == ["first"])
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
