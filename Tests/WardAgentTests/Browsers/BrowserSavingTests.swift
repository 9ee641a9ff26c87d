import Foundation
import Testing
import WardAgentClient
@testable import WardAgent
@testable import WardVault

@Suite(.agents, .timeLimit(.minutes(15))) struct `A password that was typed into a page` {
    @Test func `is forgotten after five minutes`() async throws {
        let fixture = try await BrowserFixture()
        try await fixture.pair()
        func captured(_ user: String) async throws -> String {
            let method = CapturePassword(sender: BrowserFixture.sender(), user: user, password: "typed")
            return try await fixture.browse(method).id ?? ""
        }
        let first = try await captured("ada")
        fixture.clock.advance(.seconds(299))
        #expect(try await fixture.browse(SaveCapture(capture: first)).outcome == .new)
        let second = try await captured("bob")
        fixture.clock.advance(.seconds(301))
        let error = await #expect(throws: AgentError.self) {
            try await fixture.browse(SaveCapture(capture: second))
        }
        #expect(error?.code == .itemMissing)
        try await fixture.close()
    }

    @Test func `is wiped although nobody asks for it again`() async throws {
        let (clock, gate) = (ManualClock(), Gate())
        let memory = BrowserMemory(now: { clock.now }, sleep: { try await gate.pass($0) })
        let place = BrowserPlace(
            browser: BrowserFixture.identity,
            process: try #require(PeerProcess.own?.identity),
            tab: 1,
            frame: 0
        )
        for tab in 0..<100 {
            var place = place
            place.tab = tab
            let capture = BrowserMemory.Capture(
                place: place,
                origin: "https://example.com",
                host: "example.com",
                site: "example.com",
                user: "ada",
                password: "typed"
            )
            memory.keep(capture, as: "\(tab)")
        }
        #expect(memory.count == BrowserMemory.limit)
        clock.advance(.seconds(301))
        gate.open()
        while memory.count > 0 { try await Task.sleep(for: .milliseconds(5)) }
        #expect(gate.asked.allSatisfy { $0 > BrowserMemory.window })
    }
}

@Suite(.agents) struct `The settings of sites in browsers` {
    private let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
    private var sites: BrowserSites { BrowserSites(beside: BrowserPairings(path: folder + "/browsers.json")) }

    @Test func `are on until the person switches one off, and have one line each`() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        #expect(try sites.read() == BrowserSites.Settings())
        for site in ["example.org", "example.com"] { try sites.change { $0.change(site) { $0.saves = false } } }
        try sites.change { $0.change("example.org") { $0.saves = true } }
        #expect(try sites.read().sites == [BrowserSiteRecord(site: "example.com", saves: false)])
        #expect(try !sites.read()["example.com"].saves && sites.read()["example.org"].saves)
        let status = try FileManager.default.attributesOfItem(atPath: sites.path)
        #expect(status[.posixPermissions] as? Int == 0o600)
    }

    @Test(arguments: ["", "[]", "{\"sites\":[{}]}", "{\"sites\":[{\"site\":\"a\",\"saves\":1}]}", "{\"sites\":5}"])
    func `in a damaged file are an error`(text: String) throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try sites.change { $0.upgrades = false }
        try Data(text.utf8).write(to: URL(fileURLWithPath: sites.path))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: sites.path)
        let error = #expect(throws: AgentError.self) { try sites.read() }
        #expect(error?.code == .failed)
    }

    @Test func `have a limit, and the file is the person's alone`() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let error = #expect(throws: AgentError.self) {
            try sites.change { settings in
                settings.sites = (0...BrowserSites.limit).map { BrowserSiteRecord(site: "\($0).example", menu: false) }
            }
        }
        #expect(error?.code == .invalidValue)
        #expect(try sites.read().sites.isEmpty)
        try sites.change { $0.upgrades = false }
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: sites.path)
        #expect(throws: AgentError.self) { try sites.read() }
    }
}
