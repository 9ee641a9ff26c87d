import Testing
import WardSync

@Suite struct `The address of a sync server` {
    @Test(arguments: [
        ("https://sync.example.org", "https://sync.example.org", "sync.example.org"),
        ("HTTPS://Sync.Example.org:443/", "https://sync.example.org", "sync.example.org"),
        ("https://sync.example.org:8443/ward/", "https://sync.example.org:8443/ward", "sync.example.org:8443"),
        ("http://127.0.0.1:8081", "http://127.0.0.1:8081", "127.0.0.1:8081"),
        ("http://localhost", "http://localhost", "localhost:80"),
        ("http://[::1]:8081", "http://[::1]:8081", "[::1]:8081"),
        ("https://[2001:db8::1]", "https://[2001:db8::1]", "[2001:db8::1]"),
        ("http://abc.onion", "http://abc.onion", "abc.onion:80"),
    ])
    func `has one form, and the host that a device signs`(given: String, text: String, host: String) throws {
        let address = try #require(ServerAddress(given))
        #expect(address.text == text && address.host == host)
        #expect(address.isOnion == text.contains(".onion"))
        #expect(ServerAddress(address.text) == address)
    }

    @Test(arguments: [
        "", "sync.example.org", "http://sync.example.org", "ftp://sync.example.org", "https://", "https:///path",
        "https://user@sync.example.org", "https://sync.example.org?x=1", "https://sync.example.org#x",
        "https://sync.example.org:0", "https://sync.example.org:65536", "https://sync.example.org:+80",
        "https://sync.example.org:080", "https://-a.example", "https://a..example", "https://sync.example.org/a//b",
        "https://sync.example.org/../x", "https://sync.example.org/%2e", "https://sync example.org",
        "https://s\u{fc}nc.example", "http://127.0.0.1.example.org", "http://127.0.0.256", "https://[::1",
        "https://[x]",
        "http://localhost.example", "https://sync.example.org\\@evil.example",
        "https://" + String(repeating: "a", count: 600),
    ])
    func `is refused in any other form`(given: String) {
        #expect(ServerAddress(given) == nil)
    }
}
