import Testing

@testable import WardAgentClient

/// The text of a QR code, which anybody can have made.
@Suite struct `A link to join` {
    private static let link = JoinLink(server: "https://sync.example.org:8443", code: "417-2290-8415")

    @Test func `says the server and the code`() throws {
        let text = "ward:join?server=https://sync.example.org:8443&code=417-2290-8415"
        #expect(Self.link.text == text)
        let read = try #require(JoinLink(text))
        #expect(read.server == Self.link.server && read.code == Self.link.code)
        #expect(JoinLink("WARD:JOIN?code=1&server=https%3A%2F%2Fa.example")?.server == "https://a.example")
    }

    @Test(arguments: [
        "", "ward:join", "ward:join?", "ward:join?server=https://a.example", "ward:join?code=1",
        "ward:join?server=a.example&code=1", "ward:join?server=https://a.example&code=1&code=2",
        "ward:join?server=https://a.example&code=1&more=2", "ward:join?server=https://a.example&code",
        "ward:join?server=https://a.example&code=%ZZ", "ward:join?server=https://a.example&code=%C3",
        "https://a.example?code=1",
        "ward:join?server=https://a.example&code=" + String(repeating: "1", count: 1_024),
    ])
    func `of another form is none`(text: String) { #expect(JoinLink(text) == nil) }

    @Test func `that is changed at random is read or refused, and what is read is written alike`() throws {
        var random = SplitMix(state: 7)
        let start = Array(Self.link.text.utf8)
        var read = 0
        for _ in 0..<20_000 {
            var bytes = start
            for _ in 0...Int(random.next() % 3) {
                let place = Int(random.next() % UInt64(bytes.count))
                switch random.next() % 4 {
                case 0: bytes[place] = UInt8(truncatingIfNeeded: random.next())
                case 1: bytes.remove(at: place)
                case 2: bytes.insert(contentsOf: "%\u{212A}&=é\u{0}".utf8.prefix(Int(random.next() % 10)), at: place)
                default: bytes.insert(contentsOf: bytes[place...].prefix(Int(random.next() % 40)), at: place)
                }
            }
            guard let link = JoinLink(String(decoding: bytes, as: UTF8.self)) else { continue }
            read += 1
            let again = try #require(JoinLink(link.text), "\(link.text)")
            #expect(again.server == link.server && again.code == link.code)
        }
        #expect(read > 1_000 && read < 19_000, "\(read)")
    }

    private struct SplitMix {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var z = state
            z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
            z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
            return z ^ (z >> 31)
        }
    }
}
