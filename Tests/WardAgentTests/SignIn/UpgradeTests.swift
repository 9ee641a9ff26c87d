import Testing
import WardAgent
import WardAgentClient

@Suite(.timeLimit(.minutes(15))) struct `A passkey without a question` {
    private let password = AppRequest(.password, domain: Shop.domain)

    private func shop() async throws -> Shop {
        let shop = try await Shop()
        try await shop.office.create()
        return shop
    }

    /// Whether Ada gets a passkey now.
    private func isMade(_ shop: Shop, _ name: String = "ada") async throws -> Bool {
        let (request, ceremony) = shop.registration(name, isConditional: true)
        let asked = shop.person.asked.count
        do {
            _ = try shop.verify(try await shop.ask(request, quiet: true), ceremony)
        } catch let error as AgentError where error.code == .nothingAvailable {
            return false
        }
        #expect(shop.person.asked.count == asked)
        return true
    }

    private func fillIn(_ shop: Shop) async throws {
        shop.person.will(.agreed)
        #expect(try await shop.ask(password).user == "ada")
    }

    @Test func `is made within five minutes of the password, and not later`() async throws {
        let shop = try await shop()
        try await shop.keep("ada")
        try await fillIn(shop)
        shop.clock.advance(.seconds(301))
        #expect(try await !isMade(shop))
        try await fillIn(shop)
        shop.clock.advance(.seconds(299))
        #expect(try await isMade(shop))
        try await shop.close()
    }

    @Test func `needs a password that went to an app: adding, changing and showing it are none of that`() async throws {
        let shop = try await shop()
        try await shop.keep("ada")
        #expect(try await !isMade(shop))
        var change = ItemChange()
        change.password = "another"
        _ = try await shop.call(EditItem(authorization: Shop.quiet, item: "ada", change: change))
        #expect(try await !isMade(shop))
        _ = try await shop.call(GetItem(authorization: Shop.quiet, item: "ada", reveal: true))
        #expect(try await !isMade(shop))
        try await shop.close()
    }

    @Test func `is not made for a password that the app itself brought to be saved`() async throws {
        let shop = try await shop()
        shop.person.will(.agreed)
        let save = SaveForApp(domain: Shop.domain, user: "ada", password: "hunter2")
        _ = try await shop.call(save)
        _ = try await shop.call(save)
        #expect(try await !isMade(shop))
        try await shop.close()
    }

    @Test func `is made for the app that got the password, and for no other`() async throws {
        let shop = try await shop()
        try await shop.keep("ada")
        try await fillIn(shop)
        var twin = Shop.app("Shiny")
        twin.executable = "/home/ada/shiny"
        shop.becomes(twin)
        #expect(try await !isMade(shop))
        shop.becomes(Shop.app("Shiny"))
        #expect(try await isMade(shop))
        try await shop.close()
    }

    @Test func `two logins of one name below a domain do not block it, and it lies with the one that was filled in`()
        async throws
    {
        let shop = try await shop()
        try await shop.keep("ada", "first", at: "https://login.example.com")
        try await shop.keep("ada", "second", at: "https://mail.example.com")
        shop.person.will(.other, .agreed)
        let filled = try await shop.ask(password).password
        #expect(try await isMade(shop))
        for item in try await shop.call(ListItems(authorization: Shop.quiet)).items {
            let whole = try await shop.call(GetItem(authorization: Shop.quiet, item: item.id, reveal: true))
            #expect((whole.passkeys.count == 1) == (whole.password?.value == filled))
        }
        try await shop.close()
    }

    @Test func `is not made for a password of another host`() async throws {
        let shop = try await shop()
        try await shop.keep("ada", at: "https://shop.example.com")
        shop.person.will(.agreed)
        _ = try await shop.ask(AppRequest(.password, domain: "shop.example.com"))
        #expect(try await !isMade(shop))
        try await shop.close()
    }

    @Test(arguments: ["moved", "renamed", "removed"])
    func `is not made when the login is not the account's any more`(_ what: String) async throws {
        let shop = try await shop()
        try await shop.keep("ada")
        try await fillIn(shop)
        var change = ItemChange()
        switch what {
        case "moved": (change.addSites, change.removeSites) = (["https://example.org"], ["https://example.com"])
        case "renamed": change.username = "bob"
        default: break
        }
        if what == "removed" {
            _ = try await shop.call(RemoveItem(authorization: Shop.quiet, item: "ada"))
        } else {
            _ = try await shop.call(EditItem(authorization: Shop.quiet, item: "ada", change: change))
        }
        #expect(try await !isMade(shop))
        try await shop.close()
    }
}
