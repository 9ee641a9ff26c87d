import Foundation
import Testing
import WardAgentClient
@testable import WardAgent

@Suite(.agents, .timeLimit(.minutes(15))) struct `A passkey without a question in a browser` {
    @Test func `is made within five minutes of the password, and not later`() async throws {
        let fixture = try await BrowserFixture()
        try await fixture.pair()
        try await fixture.keep("ada")
        #expect(try await fixture.fill().user == "ada")
        fixture.clock.advance(.seconds(301))
        #expect(try await !fixture.isMade())
        #expect(try await fixture.fill().password == "hunter2")
        fixture.clock.advance(.seconds(299))
        let asked = fixture.person.asked.count
        #expect(try await fixture.isMade() && fixture.person.asked.count == asked)
        #expect(fixture.agent.notes.shown.count == 1)
        try await fixture.close()
    }

    @Test func `is made within five minutes of a sign-in if it is safe from quantum computers, and not later`()
        async throws
    {
        let fixture = try await BrowserFixture()
        try await fixture.pair()
        try await fixture.make(nil)
        try await fixture.signIn()
        fixture.clock.advance(.seconds(301))
        #expect(try await !fixture.isMade(algorithm: -49))
        try await fixture.signIn()
        fixture.clock.advance(.seconds(299))
        #expect(try await fixture.isMade(algorithm: -49))
        try await fixture.close()
    }

    @Test func `is removed by the button of its notification, and no other one is made at the site`() async throws {
        let fixture = try await BrowserFixture()
        try await fixture.pair()
        try await fixture.keep("ada")
        _ = try await fixture.fill()
        #expect(try await fixture.isMade())
        #expect(await fixture.agent.notes.click() == "Undo")
        let item = try await fixture.agent.call(GetItem(authorization: BrowserFixture.quiet, item: "ada"))
        #expect(item.passkeys.isEmpty)
        #expect(try await fixture.browse(ListPageUpgrades()).upgrades.isEmpty)
        _ = try await fixture.fill()
        #expect(try await !fixture.isMade())
        try await fixture.close()
    }

    @Test func `is not made for a password that was shown, added or changed`() async throws {
        let fixture = try await BrowserFixture()
        try await fixture.pair()
        try await fixture.keep("ada")
        _ = try await fixture.agent.call(GetItem(authorization: BrowserFixture.quiet, item: "ada", reveal: true))
        #expect(try await !fixture.isMade())
        try await fixture.close()
    }
}

@Suite(.agents, .timeLimit(.minutes(15))) struct `The methods for browsers` {
    @Test func `ward-browser may call the methods for browsers and no others`() async throws {
        let fixture = try await BrowserFixture()
        func refused<Method: AgentMethod>(_ method: Method) async -> AgentError.Code? {
            do { _ = try await fixture.browse(method) } catch let error as AgentError { return error.code } catch {}
            return nil
        }
        #expect(await refused(BrowserState()) == nil)
        #expect(await refused(Status()) == .appUnknown)
        #expect(await refused(ListItems(authorization: BrowserFixture.quiet)) == .appUnknown)
        #expect(await refused(StopAgent()) == .appUnknown)
        #expect(await refused(ListBrowsers()) == .appUnknown)
        try await fixture.close()
    }

    @Test func `no other program may call them`() async throws {
        let fixture = try await BrowserFixture()
        try await fixture.pair()
        func refused<Method: AgentMethod>(_ method: Method) async -> AgentError.Code? {
            do { _ = try await fixture.agent.call(method) } catch let error as AgentError { return error.code } catch {}
            return nil
        }
        #expect(await refused(BrowserState()) == .appUnknown)
        #expect(await refused(LockForBrowser()) == .appUnknown)
        #expect(await refused(Status()) == nil)
        try await fixture.close()
    }

    @Test func `an entry can be filled in for ten minutes`() async throws {
        let fixture = try await BrowserFixture()
        try await fixture.pair()
        try await fixture.keep("ada")
        let sender = BrowserFixture.sender()
        let id = try await fixture.browse(ListPageEntries(sender: sender)).entries[0].id
        fixture.clock.advance(.seconds(599))
        #expect(try await fixture.browse(FillPage(sender: sender, entry: id)).password == "hunter2")
        fixture.clock.advance(.seconds(2))
        let error = await #expect(throws: AgentError.self) {
            try await fixture.browse(FillPage(sender: sender, entry: id))
        }
        #expect(error?.code == .itemMissing)
        try await fixture.close()
    }

    @Test func `a page waits after three refusals in a row, and a browser after one`() throws {
        let clock = ManualClock()
        let declines = Declines { clock.now }
        let page = Declines.Asker.page(BrowserFixture.identity, origin: "https://example.com")
        for wait in [0, 0, 30, 60, 120, 240, 300, 300] {
            declines.note(.declined, to: page)
            guard wait > 0 else {
                try declines.check(page)
                continue
            }
            clock.advance(.seconds(wait - 1))
            #expect(throws: AgentError.self) { try declines.check(page) }
            clock.advance(.seconds(1))
            try declines.check(page)
        }
        declines.note(.declined, to: page)
        declines.note(.agreed, to: page)
        declines.note(.declined, to: page)
        try declines.check(page)
        try declines.check(.page(BrowserFixture.identity, origin: "https://example.org"))
        declines.note(.timedOut, to: .browser)
        #expect(throws: AgentError.self) { try declines.check(.browser) }
    }

    @Test func `a browser is connected with one extension, and there are thirty-two browsers at most`() throws {
        let folder = NSTemporaryDirectory() + "wb-\(UUID().uuidString.prefix(8))"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let pairings = BrowserPairings(path: folder + "/ward/browsers.json")
        #expect(try pairings.read() == [])
        for number in 1...BrowserPairings.limit {
            try pairings.add(BrowserIdentity(path: "/usr/bin/b\(number)", extensionID: "a"))
        }
        let one = BrowserIdentity(path: "/usr/bin/b1", extensionID: "a")
        try pairings.add(one)
        try pairings.check(one)
        #expect(try pairings.read().count == BrowserPairings.limit)
        let other = BrowserIdentity(path: "/usr/bin/b1", extensionID: "b")
        for error in [
            #expect(throws: AgentError.self) { try pairings.add(other) },
            #expect(throws: AgentError.self) { try pairings.check(other) },
        ] { #expect(error?.code == .notPaired) }
        #expect(try pairings.hasOtherExtension(other) && !pairings.hasOtherExtension(one))
        let tooMany = BrowserIdentity(path: "/usr/bin/more", extensionID: "a")
        #expect(throws: AgentError.self) { try pairings.add(tooMany) }
        #expect(try pairings.remove("/usr/bin/b1") == [one])
        #expect(throws: AgentError.self) { try pairings.remove("/usr/bin/b1") }
        try pairings.add(other)
    }
}
