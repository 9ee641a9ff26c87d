import Testing
import WardAgent
import WardAgentClient

@Suite(.agents, .timeLimit(.minutes(15))) struct `A passkey without a question` {
    private let password = AppRequest(.password, domain: SignInFixture.domain)

    private func makeFixture() async throws -> SignInFixture {
        let fixture = try await SignInFixture()
        try await fixture.agent.create()
        return fixture
    }

    /// Whether Ada gets a passkey now.
    private func isMade(_ fixture: SignInFixture, _ name: String = "ada") async throws -> Bool {
        let (request, ceremony) = fixture.registration(name, isConditional: true)
        let asked = fixture.person.asked.count
        do {
            _ = try fixture.verify(try await fixture.ask(request, quiet: true), ceremony)
        } catch let error as AgentError where error.code == .nothingAvailable {
            return false
        }
        #expect(fixture.person.asked.count == asked)
        return true
    }

    private func fillIn(_ fixture: SignInFixture) async throws {
        fixture.person.will(.agreed)
        #expect(try await fixture.ask(password).user == "ada")
    }

    @Test func `is made within five minutes of the password, and not later`() async throws {
        let fixture = try await makeFixture()
        try await fixture.keep("ada")
        try await fillIn(fixture)
        fixture.clock.advance(.seconds(301))
        #expect(try await !isMade(fixture))
        try await fillIn(fixture)
        fixture.clock.advance(.seconds(299))
        #expect(try await isMade(fixture))
        try await fixture.close()
    }

    @Test func `needs a password that went to an app: adding, changing and showing it are none of that`() async throws {
        let fixture = try await makeFixture()
        try await fixture.keep("ada")
        #expect(try await !isMade(fixture))
        var change = ItemChange()
        change.password = "another"
        _ = try await fixture.call(EditItem(authorization: SignInFixture.quiet, item: "ada", change: change))
        #expect(try await !isMade(fixture))
        _ = try await fixture.call(GetItem(authorization: SignInFixture.quiet, item: "ada", reveal: true))
        #expect(try await !isMade(fixture))
        try await fixture.close()
    }

    @Test func `is not made for a password that the app itself brought to be saved`() async throws {
        let fixture = try await makeFixture()
        fixture.person.will(.agreed)
        let save = SaveForApp(domain: SignInFixture.domain, user: "ada", password: "hunter2")
        _ = try await fixture.call(save)
        _ = try await fixture.call(save)
        #expect(try await !isMade(fixture))
        try await fixture.close()
    }

    @Test func `is made for the app that got the password, and for no other`() async throws {
        let fixture = try await makeFixture()
        try await fixture.keep("ada")
        try await fillIn(fixture)
        var twin = SignInFixture.app("Shiny")
        twin.executable = "/home/ada/shiny"
        fixture.becomes(twin)
        #expect(try await !isMade(fixture))
        fixture.becomes(SignInFixture.app("Shiny"))
        #expect(try await isMade(fixture))
        try await fixture.close()
    }

    @Test func `two logins of one name below a domain do not block it, and it lies with the one that was filled in`()
        async throws
    {
        let fixture = try await makeFixture()
        try await fixture.keep("ada", "first", at: "https://login.example.com")
        try await fixture.keep("ada", "second", at: "https://mail.example.com")
        fixture.person.will(.other, .agreed)
        let filled = try await fixture.ask(password).password
        #expect(try await isMade(fixture))
        for item in try await fixture.call(ListItems(authorization: SignInFixture.quiet)).items {
            let whole = try await fixture.call(GetItem(authorization: SignInFixture.quiet, item: item.id, reveal: true))
            #expect((whole.passkeys.count == 1) == (whole.password?.value == filled))
        }
        try await fixture.close()
    }

    @Test func `is removed by the button of its notification`() async throws {
        let fixture = try await makeFixture()
        try await fixture.keep("ada")
        try await fillIn(fixture)
        #expect(try await isMade(fixture))
        #expect(await fixture.agent.notes.click() == "Undo")
        let item = try await fixture.call(GetItem(authorization: SignInFixture.quiet, item: "ada"))
        #expect(item.passkeys.isEmpty && item.password != nil)
        try await fixture.close()
    }

    @Test func `is not made for a password of another host`() async throws {
        let fixture = try await makeFixture()
        try await fixture.keep("ada", at: "https://shop.example.com")
        fixture.person.will(.agreed)
        _ = try await fixture.ask(AppRequest(.password, domain: "shop.example.com"))
        #expect(try await !isMade(fixture))
        try await fixture.close()
    }

    @Test(arguments: ["moved", "renamed", "removed"])
    func `is not made when the login is not the account's any more`(_ what: String) async throws {
        let fixture = try await makeFixture()
        try await fixture.keep("ada")
        try await fillIn(fixture)
        var change = ItemChange()
        switch what {
        case "moved": (change.addSites, change.removeSites) = (["https://example.org"], ["https://example.com"])
        case "renamed": change.username = "bob"
        default: break
        }
        if what == "removed" {
            _ = try await fixture.call(RemoveItem(authorization: SignInFixture.quiet, item: "ada"))
        } else {
            _ = try await fixture.call(EditItem(authorization: SignInFixture.quiet, item: "ada", change: change))
        }
        #expect(try await !isMade(fixture))
        try await fixture.close()
    }
}
