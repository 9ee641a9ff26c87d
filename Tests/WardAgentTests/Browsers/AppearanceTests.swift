import Testing
import WardAgentClient

@Suite(.agents, .timeLimit(.minutes(15))) struct `Names and icons of sites` {
    /// A PNG file with one pixel.
    private static let icon = """
        iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4z8DwHwAFAAH_iZk9HQAAAABJRU5ErkJggg
        """

    private func keep(_ fixture: BrowserFixture, _ sites: [KeepSiteAppearances.Site]) async throws -> Int {
        try await fixture.agent.call(KeepSiteAppearances(authorization: BrowserFixture.quiet, sites: sites)).items
    }

    private func wanted(_ fixture: BrowserFixture, isAgain: Bool = false) async throws -> [String] {
        let method = ListSitesWithoutAppearance(authorization: BrowserFixture.quiet, isAgain: isAgain)
        return try await fixture.agent.call(method).domains
    }

    @Test func `are kept for every account of a site, and shown in the browser's search`() async throws {
        let fixture = try await BrowserFixture()
        try await fixture.pair()
        try await fixture.keep("ada")
        try await fixture.keep("bob")
        #expect(try await wanted(fixture) == ["example.com"])
        let site = KeepSiteAppearances.Site(domain: "example.com", name: "Ex\u{202e}ample", icon: Self.icon)
        #expect(try await keep(fixture, [site]) == 2)
        // What is known is not fetched and not written again.
        #expect(try await wanted(fixture).isEmpty)
        #expect(try await keep(fixture, [site]) == 0)
        #expect(try await wanted(fixture, isAgain: true) == ["example.com"])
        let found = try await fixture.browse(SearchForBrowser(query: "ada")).entries
        #expect(found.map(\.siteName) == ["Example"])
        #expect(found.first?.icon?.hasPrefix("iVBORw0KGgo") == true)
        // A page gets no pictures of the vault.
        let entries = try await fixture.browse(ListPageEntries(sender: BrowserFixture.sender())).entries
        #expect(entries.count == 2 && entries.allSatisfy { $0.icon == nil && $0.siteName == nil })
        let cleared = try await fixture.agent.call(
            RemoveSiteAppearances(authorization: BrowserFixture.quiet, items: ["ada"])
        )
        #expect(cleared.items == 1)
        #expect(try await wanted(fixture) == ["example.com"])
        try await fixture.close()
    }

    @Test func `are refused if they are too many or no icons, and then nothing is kept`() async throws {
        let fixture = try await BrowserFixture()
        try await fixture.keep("ada")
        let good = KeepSiteAppearances.Site(domain: "example.com", name: "Example", icon: nil)
        for bad in ["PHN2Zy8-", "not base64!", ""] {
            let site = KeepSiteAppearances.Site(domain: "other.test", name: "", icon: bad)
            await #expect(throws: AgentError(.invalidValue, "")) { try await keep(fixture, [good, site]) }
        }
        let many = Array(repeating: good, count: KeepSiteAppearances.maximumSites + 1)
        await #expect(throws: AgentError(.invalidValue, "")) { try await keep(fixture, many) }
        #expect(try await wanted(fixture) == ["example.com"])
        try await fixture.close()
    }
}
