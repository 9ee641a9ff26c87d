import Foundation
import HTTPTypes
import Testing
import WardAccounts
import WardServer
import WardTesting
import WardText

@Suite struct `Naming helpers` {
    private static func names(_ visitor: Visitor) async throws -> [JSONValue] {
        try await visitor.get("account/helpers")["helpers"]?.arrayValue ?? []
    }

    @Test func `a helper counts a week after accepting`() async throws {
        try await MailFixture.with(helpers: true) { mail in
            let (ada, bob) = (try await mail.member(), try await mail.member("bob"))
            let id = try await HelperFixture.accepted(ada, bob)
            let it = HelperFixture(mail: mail, ada: ada, bob: bob, lost: mail.world.visitor(), id: id)
            let helper = try #require(try await Self.names(ada).first)
            #expect(helper["state"] == "accepted" && helper["username"] == "bob" && helper["countsAt"] != .null)
            mail.world.effects.advance(by: HelperRules.delay - 1)
            try await bob.signIn()
            let token = try await it.link()
            #expect(try await it.state(token)["helpers"] == .null)
            let ask = try await it.lost.post("recovery/helpers", ["token": .string(token)])
            #expect(ask.refusal == "409 step_not_allowed")
            #expect(try await it.approve("123456").refusal == "409 help_not_asked")
            mail.world.effects.advance(by: 1)
            #expect(try await Self.names(ada).first?["state"] == "active")
            #expect(try await it.approve(try await it.code(token)).status == .noContent)
        }
    }

    @Test func `the answer is the same for a name that nobody has, and stays the same when the person declines`()
        async throws
    {
        try await MailFixture.with(helpers: true) { mail in
            let (ada, bob) = (try await mail.member(), try await mail.member("bob"))
            var shapes: [[String]] = []
            for name in ["bob", "nobody"] {
                let answer = try await ada.post("account/helpers", ["username": .string(name)])
                #expect(answer.status == .created)
                let helper = try #require(answer["helper"])
                #expect(helper["username"] == .string(name) && helper["state"] == "asked")
                #expect(helper["displayName"] == .null && helper["acceptedAt"] == .null)
                shapes.append(helper.objectValue?.map(\.name) ?? [])
            }
            #expect(shapes[0] == shapes[1])
            let before = try await Self.names(ada)
            let wish = try #require(try await bob.get("account/helping")["helping"]?.arrayValue?.first)
            let id = try #require(wish["id"]?.stringValue)
            #expect(try await bob.delete("account/helping/\(id)").status == .noContent)
            #expect(try await bob.get("account/helping")["helping"] == [])
            #expect(try await bob.put("account/helping/\(id)", [:]).refusal == "404 not_found")
            #expect(try await Self.names(ada) == before)
            let events = try await HelperFixture.events(ada)
            #expect(events.allSatisfy { $0["event"] != "helper_removed" })
        }
    }

    @Test func `naming does the same work for every name`() async throws {
        let store = CountingStore(MemoryAccountStore())
        var configuration = ServerConfiguration()
        let folder = FileManager.default.temporaryDirectory.appending(path: "ward-mail-\(UUID())")
        configuration.mail = MailSettings(route: "folder:\(folder.path)", sender: "ward@login.example")
        configuration.usesRecoveryHelpers = true
        try await withService(configuration, store: store) { world in
            for name in ["bob", "eve"] { try await world.visitor().register(name) }
            let bob = try #require(try await store.read { try await $0.account(username: "bob") })
            let email = AccountEmail(
                accountID: bob.id,
                confirmed: .init(try EmailAddress("bob@example.com"), at: world.effects.now),
                language: "en"
            )
            try await store.write { try await $0.setEmail(email) }
            let ada = world.visitor()
            try await ada.register("ada")
            var seen: [[String: Int]] = []
            for name in ["bob", "eve", "nobody"] {
                store.reset()
                #expect(try await ada.post("account/helpers", ["username": .string(name)]).status == .created)
                var counts = store.counts
                // A message or a use of nothing is one row; the sender's own calls come at any time.
                #expect((counts["insert(_:)"] ?? 0) + (counts["insertUse(_:until:)"] ?? 0) >= 1, "\(name)")
                for key in [
                    "insert(_:)", "insertUse(_:until:)", "deleteMail(id:)", "postponeMail(id:attempts:until:)",
                    "dueMail(by:at:)", "mailCount(by:)", "read", "write",
                ] { counts[key] = nil }
                seen.append(counts)
            }
            #expect(Set(seen).count == 1, "\(seen)")
        }
        try? FileManager.default.removeItem(at: folder)
    }

    @Test func `a person who takes the name later is not asked`() async throws {
        try await MailFixture.with(helpers: true) { mail in
            let ada = try await mail.member()
            _ = try await ada.post("account/helpers", ["username": "later"])
            let later = try await mail.member("later")
            #expect(try await later.get("account/helping")["helping"] == [])
        }
    }

    @Test func `an account has three helpers, not itself, and none twice`() async throws {
        try await MailFixture.with(helpers: true) { mail in
            let ada = try await mail.member()
            for name in ["bob", "eve", "BOB", "joe"] {
                #expect(try await ada.post("account/helpers", ["username": .string(name)]).status == .created)
            }
            #expect(try await Self.names(ada).count == 3)
            #expect(try await ada.post("account/helpers", ["username": "kim"]).refusal == "409 too_many_helpers")
            #expect(try await ada.post("account/helpers", ["username": "ADA"]).refusal == "409 own_account")
            #expect(
                try await ada.post("account/helpers", ["username": "a b"]).refusal == "422 username_not_allowed"
            )
        }
    }

    @Test func `an account names ten people a day`() async throws {
        try await MailFixture.with(helpers: true) { mail in
            let ada = try await mail.member()
            for number in 0..<10 {
                let answer = try await ada.post("account/helpers", ["username": .string("person\(number)")])
                let id = try #require(answer["helper"]?["id"]?.stringValue)
                #expect(try await ada.delete("account/helpers/\(id)").status == .noContent)
            }
            #expect(try await ada.post("account/helpers", ["username": "kim"]).refusal == "429 too_many_requests")
        }
    }

    @Test func `only the two people can change it, and only after a proof`() async throws {
        try await HelperFixture.with { it in
            let eve = it.world.visitor()
            try await eve.register("eve")
            #expect(try await eve.delete("account/helpers/\(it.id)").refusal == "404 not_found")
            #expect(try await eve.put("account/helping/\(it.id)", [:]).refusal == "404 not_found")
            #expect(try await eve.delete("account/helping/\(it.id)").refusal == "404 not_found")
            #expect(try await it.bob.delete("account/helpers/\(it.id)").refusal == "404 not_found")
            // Ada's session is a week old.
            #expect(try await it.ada.delete("account/helpers/\(it.id)").refusal == "403 passkey_sign_in_required")
            #expect(
                try await it.ada.post("account/helpers", ["username": "eve"]).refusal == "403 passkey_sign_in_required"
            )
            it.world.effects.advance(by: 301)
            #expect(try await it.bob.delete("account/helping/\(it.id)").refusal == "403 passkey_sign_in_required")
            #expect(try await it.bob.put("account/helping/\(it.id)", [:]).refusal == "403 passkey_sign_in_required")
            try await it.bob.signIn()
            #expect(try await it.bob.delete("account/helping/\(it.id)").status == .noContent)
            #expect(try await Self.names(it.ada) == [])
            #expect(try await it.mail.sent().joined().contains("Subject: Helper removed from your account"))
        }
    }

    @Test func `the link for 'this was not me' removes helpers who do not count yet, and no others`() async throws {
        try await HelperFixture.with { it in
            let eve = try await it.mail.member("eve")
            try await it.ada.signIn()
            _ = try await it.ada.post("account/helpers", ["username": "nobody"])
            _ = try await HelperFixture.accepted(it.ada, eve, name: "eve")
            #expect(try await Self.names(it.ada).count == 3)
            let alarm = try await it.mail.link(.alarm, to: "ada@example.com", of: try await it.mail.account())
            #expect(try await it.world.visitor().post("email/alarm", alarm).status == .noContent)
            try await it.ada.signIn()
            #expect(try await Self.names(it.ada).compactMap { $0["username"]?.stringValue } == ["bob"])
            #expect(try await eve.get("account/helping")["helping"] == [])
        }
    }

    @Test func `a service without helpers refuses each call, and asks nobody`() async throws {
        try await MailFixture.with { mail in
            let ada = try await mail.member()
            let id = "RKcIx30JTJU3UYWmtCDlnw"
            let answers = [
                try await ada.get("account/helpers"), try await ada.get("account/helping"),
                try await ada.post("account/helpers", ["username": "bob"]),
                try await ada.delete("account/helpers/\(id)"), try await ada.put("account/helping/\(id)", [:]),
                try await ada.delete("account/helping/\(id)"),
                try await ada.post("account/helping/\(id)/approval", ["code": "123456"]),
                try await ada.post("recovery/helpers", ["token": "RKcIx30JTJU3UYWmtCDlnw8x2yyMMmyVnbJPXkS2Q1s"]),
            ]
            for answer in answers { #expect(answer.refusal == "403 helpers_disabled") }
        }
    }

    @Test func `helpers need mail, because the mailbox is the first proof`() {
        var configuration = ServerConfiguration()
        configuration.usesRecoveryHelpers = true
        #expect(throws: ServerConfigurationError.self) { try configuration.validate() }
    }

    @Test func `the export has them`() async throws {
        try await HelperFixture.with { it in
            let named = try await it.ada.get("account/export")["helpers"]
            #expect(named?["named"]?.arrayValue?.count == 1 && named?["helping"] == [])
            let helping = try await it.bob.get("account/export")["helpers"]
            #expect(helping?["helping"]?.arrayValue?.first?["username"] == "ada")
        }
    }
}
