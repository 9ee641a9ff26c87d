import HTTPTypes
import NIOCore
import Testing
import WardServer

@Suite struct `Proxies that are trusted` {
    /// One request behind `10.0.0.0/8` and `fd00::/8`.
    struct Hops: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var peer: String? = "10.0.0.1"
        var forwardedFor: [String] = []
        var forwarded: [String] = []
        let client: String

        static let all = [
            Self(
                testDescription: "a peer that is no proxy",
                peer: "192.0.2.7",
                forwardedFor: ["8.8.8.8"],
                client: "192.0.2.7"
            ),
            Self(testDescription: "no word of the proxy", client: "10.0.0.1"),
            Self(testDescription: "one hop", forwardedFor: ["192.0.2.1"], client: "192.0.2.1"),
            Self(
                testDescription: "a forged word left of it",
                forwardedFor: ["8.8.8.8, 192.0.2.1"],
                client: "192.0.2.1"
            ),
            Self(
                testDescription: "a forged proxy left of it",
                forwardedFor: ["10.9.9.9, 192.0.2.1"],
                client: "192.0.2.1"
            ),
            Self(testDescription: "two proxies", forwardedFor: ["8.8.8.8, 192.0.2.1, 10.3.3.3"], client: "192.0.2.1"),
            Self(testDescription: "two fields", forwardedFor: ["8.8.8.8", "192.0.2.1, 10.3.3.3"], client: "192.0.2.1"),
            Self(testDescription: "proxies alone", forwardedFor: ["10.4.4.4, 10.3.3.3"], client: "10.4.4.4"),
            Self(testDescription: "no address", forwardedFor: ["192.0.2.1, unknown"], client: "10.0.0.1"),
            Self(testDescription: "an empty word", forwardedFor: ["192.0.2.1,"], client: "10.0.0.1"),
            Self(testDescription: "ports", forwardedFor: ["192.0.2.1:4711, [fd00::3]:80"], client: "192.0.2.1"),
            Self(testDescription: "IPv6", forwardedFor: ["2001:db8:1:2345::1"], client: "2001:db8:1:2300::/56"),
            Self(
                testDescription: "IPv4 in IPv6",
                peer: "::ffff:10.0.0.1",
                forwardedFor: ["::ffff:192.0.2.1"],
                client: "192.0.2.1"
            ),
            Self(
                testDescription: "Forwarded",
                forwarded: ["for=8.8.8.8, for=192.0.2.1;proto=https;by=10.0.0.1"],
                client: "192.0.2.1"
            ),
            Self(
                testDescription: "Forwarded, quoted",
                forwarded: ["For=\"[2001:db8:1:2345::1]:80\""],
                client: "2001:db8:1:2300::/56"
            ),
            Self(
                testDescription: "Forwarded, a quoted comma",
                forwarded: ["for=192.0.2.1;ext=\"a, for=8.8.8.8\""],
                client: "192.0.2.1"
            ),
            Self(
                testDescription: "Forwarded, an escaped quote",
                forwarded: [#"for=192.0.2.1;ext="\", for=8.8.8.8""#],
                client: "192.0.2.1"
            ),
            Self(testDescription: "Forwarded, an open quote", forwarded: ["for=\"192.0.2.1"], client: "10.0.0.1"),
            Self(testDescription: "Forwarded, hidden", forwarded: ["for=192.0.2.1, for=_hidden"], client: "10.0.0.1"),
            Self(
                testDescription: "Forwarded without for",
                forwarded: ["for=192.0.2.1, proto=https"],
                client: "10.0.0.1"
            ),
            Self(
                testDescription: "both alike",
                forwardedFor: ["192.0.2.1"],
                forwarded: ["for=192.0.2.1"],
                client: "192.0.2.1"
            ),
            Self(
                testDescription: "both, one forged",
                forwardedFor: ["192.0.2.1"],
                forwarded: ["for=8.8.8.8"],
                client: "10.0.0.1"
            ),
            Self(testDescription: "a Unix socket", peer: nil, forwardedFor: ["192.0.2.1"], client: "none"),
        ]
    }

    private static func address(_ text: String?) throws -> SocketAddress? {
        try text.map { try SocketAddress(ipAddress: $0, port: 1) }
    }

    private static func client(_ hops: Hops, _ settings: [String]) throws -> String {
        var fields = HTTPFields()
        for value in hops.forwardedFor { fields.append(.init(name: .init("X-Forwarded-For")!, value: value)) }
        for value in hops.forwarded { fields.append(.init(name: .init("Forwarded")!, value: value)) }
        return try TrustedProxies(settings).client(peer: address(hops.peer), fields)?.description ?? "none"
    }

    @Test(arguments: Hops.all)
    func `are believed from the right, up to the first hop that is not trusted`(hops: Hops) throws {
        #expect(try Self.client(hops, ["10.0.0.0/8, fd00::/8"]) == hops.client)
        #expect(try Self.client(hops, ["10.0.0.0/8", "fd00::/8"]) == hops.client)
    }

    @Test func `are none where nobody names them, and Unix sockets only by name`() throws {
        let hops = Hops(testDescription: "", forwardedFor: ["192.0.2.1"], client: "")
        let unix = Hops(testDescription: "", peer: nil, forwardedFor: ["192.0.2.1"], client: "")
        for settings in [[], ["none"], ["192.0.2.9", "10.0.0.2"], ["unix"]] {
            #expect(try Self.client(hops, settings) == "10.0.0.1")
        }
        #expect(try Self.client(unix, ["none"]) == "none")
        #expect(try Self.client(unix, ["unix"]) == "192.0.2.1")
        #expect(try !TrustedProxies([]).knowsClients)
        #expect(try TrustedProxies(["none"]).knowsClients)
    }

    @Test(arguments: [
        "10.0.0.0/33", "10.0.0.0/0", "10.0.0.0/", "10.0.0.0/+8", "10.0.0.0/08", "::1/129", "localhost", "10.0.0",
        "1::2::3",
        "[::1]", "10.0.0.1:80", "fe80::1%eth0", "none,10.0.0.1", "10.0.0.1\u{0}",
    ])
    func `are named exactly`(setting: String) {
        #expect(throws: ServerConfigurationError.self) { try TrustedProxies([setting]) }
    }

    @Test func `a prefix ends at its last bit`() throws {
        let proxies = try TrustedProxies(["192.0.2.128/25", "2001:db8::/33", "203.0.113.9"])
        for (peer, isTrusted) in [
            ("192.0.2.128", true), ("192.0.2.255", true), ("192.0.2.127", false), ("2001:db8:7fff::1", true),
            ("2001:db8:8000::1", false), ("203.0.113.9", true), ("203.0.113.8", false),
        ] {
            #expect(try proxies.trusts(peer: Self.address(peer)) == isTrusted, "\(peer)")
        }
    }
}
