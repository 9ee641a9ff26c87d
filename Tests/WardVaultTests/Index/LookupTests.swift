import Testing
import WardVault

/// A place that an item has, and a page that is opened.
private struct Visit: Sendable, CustomTestStringConvertible {
    let site: String
    var match = Site.Match.domain
    let page: String
    let isFound: Bool
    var testDescription: String { "\(site) (\(match)) at \(page)" }

    static let all = [
        Self(site: "https://example.com", page: "https://example.com/login?x=1#y", isFound: true),
        Self(site: "example.com", page: "https://login.example.com", isFound: true),
        Self(site: "https://login.example.com/", page: "http://www.example.com:8080/", isFound: true),
        Self(site: "example.com", page: "https://notexample.com", isFound: false),
        Self(site: "example.com", page: "https://example.com.evil.org", isFound: false),
        Self(site: "example.com", page: "https://evil.org/example.com", isFound: false),
        Self(site: "example.com", page: "https://evil.org?https://example.com", isFound: false),
        Self(site: "example.com", page: "https://example.com@evil.org", isFound: false),
        Self(site: "example.com", page: "https://EXAMPLE.COM.", isFound: true),
        Self(site: "alice.github.io", page: "https://bob.github.io", isFound: false),
        Self(site: "alice.github.io", page: "https://x.alice.github.io", isFound: true),
        Self(site: "one.co.uk", page: "https://two.co.uk", isFound: false),
        Self(site: "one.co.uk", page: "https://www.one.co.uk", isFound: true),
        Self(site: "http://192.168.1.1/admin", page: "http://192.168.1.1", isFound: true),
        Self(site: "192.168.1.1", page: "http://192.168.1.2", isFound: false),
        Self(site: "http://[::1]:80/", page: "http://[::1]:8080/x", isFound: true),
        Self(site: "localhost:3000", page: "http://localhost:8080", isFound: true),
        Self(site: "intranet", page: "http://intranet/", isFound: true),
        Self(site: "https://bücher.de", page: "https://xn--bcher-kva.de", isFound: true),
        Self(site: "https://login.example.com", match: .host, page: "https://login.example.com/x", isFound: true),
        Self(site: "https://login.example.com", match: .host, page: "https://www.example.com", isFound: false),
        Self(site: "https://example.com:8443", match: .host, page: "https://example.com", isFound: false),
        Self(site: "https://example.com/a", match: .exact, page: "https://example.com/a?b", isFound: true),
        Self(site: "https://example.com/a", match: .exact, page: "https://example.com/b", isFound: false),
        Self(site: "https://example.com/", match: .exact, page: "https://example.com", isFound: true),
        Self(site: "example.com", match: .never, page: "https://example.com", isFound: false),
        Self(site: "example.com", match: .init(rawValue: "moon"), page: "https://example.com", isFound: false),
        Self(site: "", page: "https://example.com", isFound: false),
        Self(site: "example.com", page: "", isFound: false),
        Self(site: "example.com", page: "https://", isFound: false),
        Self(site: "com", page: "https://example.com", isFound: false),
    ]
}

@Suite struct `Looking up` {
    @Test(arguments: [true, false])
    func `items are for the pages that their places name, and for no others`(fromDisk: Bool) async throws {
        let fixture = try VaultFixture()
        let vault = try await fixture.create()
        for visit in Visit.all {
            let id = try await vault.add(Item(title: "x", sites: [Site(visit.site, match: visit.match)]))
            if fromDisk {
                await vault.saveIndexNow()
                await vault.lock()
                try await vault.unlock(with: VaultFixture.passphrase())
            }
            #expect(try await vault.summaries(at: visit.page).map(\.id).contains(id) == visit.isFound, "\(visit)")
            try await vault.write { try $0.purge(id) }
            #expect(try await vault.summaries(at: visit.page).isEmpty, "\(visit)")
        }
        try await vault.close()
    }

    @Test func `the same host comes first, then the domain, each by title`() async throws {
        let fixture = try VaultFixture()
        let vault = try await fixture.create()
        try await vault.add(Item(title: "b", sites: [Site("example.com")]))
        try await vault.add(Item(title: "a", sites: [Site("www.example.com")]))
        try await vault.add(Item(title: "d", sites: [Site("login.example.com")]))
        try await vault.add(Item(title: "C", sites: [Site("login.example.com")]))
        try await vault.add(Item(title: "p", passkeys: [Sample.passkey(number: 1)]))
        try await vault.add(Item(title: "f", sites: [Site("mail.example.com")], isFavorite: true))
        let found = try await vault.summaries(at: "https://login.example.com/x")
        #expect(found.map(\.title) == ["C", "d", "f", "a", "b", "p"])
        try await vault.close()
    }

    @Test func `apps are found by their names alone`() async throws {
        let fixture = try VaultFixture()
        let vault = try await fixture.create()
        let id = try await vault.add(
            Item(title: "a", sites: [Site(.androidApp("com.example")), Site(.iosApp("com.example.ios"))])
        )
        #expect(try await vault.summaries(for: .androidApp("com.example")).map(\.id) == [id])
        #expect(try await vault.summaries(for: .iosApp("com.example.ios")).map(\.id) == [id])
        #expect(try await vault.summaries(for: .iosApp("com.example")).isEmpty)
        #expect(try await vault.summaries(for: .web("com.example")).isEmpty)
        #expect(try await vault.summaries(for: .other(type: "x", "com.example")).isEmpty)
        try await vault.close()
    }

    @Test func `a search needs all words, wherever they are, whatever their case and accents`() async throws {
        let fixture = try VaultFixture()
        let vault = try await fixture.create()
        try await vault.add(
            Item(title: "Zürich Bank", sites: [Site("https://bank.example")], username: "jörg", tags: ["Geld"])
        )
        try await vault.add(
            Item(title: "Other", username: "alice", passkeys: [Sample.passkey(number: 1, site: "key.example")])
        )
        for fromDisk in [false, true] {
            if fromDisk {
                await vault.saveIndexNow()
                await vault.lock()
                try await vault.unlock(with: VaultFixture.passphrase())
            }
            func titles(_ query: String) async throws -> [String] {
                try await vault.summaries(matching: query).map(\.title)
            }
            #expect(try await titles("") == ["Other", "Zürich Bank"])
            #expect(try await titles("zurich") == ["Zürich Bank"])
            #expect(try await titles("ZÜRICH  jorg\tgeld bank.ex") == ["Zürich Bank"])
            #expect(try await titles("zurich alice") == [])
            #expect(try await titles("KEY.example") == ["Other"])
            #expect(try await titles("e") == ["Other", "Zürich Bank"])
            #expect(try await titles("nothing like it") == [])
        }
        try await vault.close()
    }
}
