import HTTPTypes
import Testing
import WardAccounts
import WardServer
import WardTesting
import WardText
import WardWebAuthn

/// What administrators see and change at the admin page.
@Suite struct `The calls of the admin page` {
    @Test func `find people by the first characters of their names, in pages`() async throws {
        try await withAdministrators { admin in
            for name in ["Adam", "adele", "bob"] { try await admin.world.visitor().register(name) }
            func found(_ query: String) async throws -> [String] {
                let answer = try await admin.person.get("admin/accounts?\(query)")
                return answer["accounts"]?.arrayValue?.compactMap { $0["username"]?.stringValue } ?? []
            }
            #expect(try await found("prefix=AD") == ["ada", "Adam", "adele"])
            #expect(try await found("prefix=ad&limit=2") == ["ada", "Adam"])
            #expect(try await admin.person.get("admin/accounts?prefix=ad&limit=2")["next"] == "adam")
            #expect(try await found("prefix=ad&limit=2&after=adam") == ["adele"])
            #expect(try await found("prefix=%25") == [])
            #expect(try await found("") == ["ada", "Adam", "adele", "bob", "olga"])
            #expect(try await found("username=BOB") == ["bob"])
        }
    }

    @Test func `show a person with passkeys, sessions and factors, and no secret`() async throws {
        try await withAdministrators { admin in
            let answer = try await admin.person.get("admin/accounts/\(admin.ada)")
            #expect(answer["account", "username"] == "ada" && answer["passkeys"]?.arrayValue?.count == 1)
            #expect(answer["sessions"]?.arrayValue?.count == 1 && answer["factors"] != nil)
            #expect(answer["disabledAt"] == .null)
            let other = try await admin.person.get("admin/accounts/\(AdminFixture.nobody)")
            #expect(other.refusal == "404 not_found")
        }
    }

    @Test func `show the linked accounts of a person by the provider's name, without the subject`() async throws {
        let (provider, store) = (FakeProvider(), MemoryAccountStore())
        try await provider.run(AdminFixture.configuration, store: store) { world in
            let person = world.visitor()
            try await person.register("olga")
            try await person.signIn()
            let id = try await store.write { tx in
                let account = try #require(try tx.account(username: "olga"))
                try tx.setAccount(id: account.id, groups: [try GroupName("admins")])
                return account.id.text
            }
            func links() async throws -> [JSONValue] {
                let answer = try await person.get("admin/accounts/\(id)")
                let subject = provider.with { $0.subject }
                #expect(answer.status == .ok && !answer.text.contains(subject))
                return answer["factors", "federated"]?.arrayValue ?? []
            }
            #expect(try await links() == [])
            #expect(try await person.signIn(at: provider, world, linking: true)["linked"] == true)
            let link = try #require(try await links().first)
            #expect(link["provider"] == "Example" && link["addedAt"]?.stringValue != nil)
            #expect(link["lastUsedAt"] == .null)
            _ = try await world.visitor().signIn(at: provider, world)
            #expect(try await links().first?["lastUsedAt"]?.stringValue != nil)
        }
    }

    @Test func `disable and enable an account, and note who did it`() async throws {
        try await withAdministrators { admin in
            #expect(try await admin.person.post("admin/accounts/\(admin.ada)/disable").status == .noContent)
            #expect(try await admin.account("ada").disabledAt != nil)
            #expect(try await admin.person.post("admin/accounts/\(admin.ada)/enable").status == .noContent)
            #expect(try await admin.account("ada").disabledAt == nil)
            let events = try await admin.events().suffix(2)
            #expect(events.map(\.kind) == [.accountDisabled, .accountEnabled])
            for event in events {
                #expect(event.actor == .operator && event.account?.text == admin.ada)
                #expect(event.details.administrator == admin.root && event.details.token == nil)
            }
        }
    }

    @Test func `let nobody lock himself out`() async throws {
        try await withAdministrators { admin in
            let answer = try await admin.person.post("admin/accounts/\(admin.root.text)/disable")
            #expect(answer.refusal == "409 own_account")
            let root = try await admin.account("olga")
            #expect(root.disabledAt == nil)
        }
    }

    @Test func `end one session or all sessions of a person`() async throws {
        try await withAdministrators { admin in
            let phone = admin.world.visitor()
            try await phone.register("eve")
            let laptop = phone.elsewhere()
            admin.world.effects.advance(by: 1)
            try await laptop.signIn()
            let eve = try await admin.account("eve").id
            let sessions = try await admin.store.read { try $0.sessions(of: eve) }.sorted {
                $0.createdAt < $1.createdAt
            }
            let first = "admin/accounts/\(eve.text)/sessions/\(sessions[0].id.text)"
            #expect(try await admin.person.delete(first).status == .noContent)
            #expect(try await admin.person.delete(first).refusal == "404 not_found")
            #expect(try await !phone.isSignedIn())
            #expect(try await laptop.isSignedIn())
            // A session of another account is none of this one.
            let foreign = "admin/accounts/\(admin.ada)/sessions/\(sessions[1].id.text)"
            #expect(try await admin.person.delete(foreign).refusal == "404 not_found")
            #expect(try await admin.person.delete("admin/accounts/\(eve.text)/sessions")["ended"] == 1)
            #expect(try await !laptop.isSignedIn())
            #expect(try await admin.events().last?.kind == .sessionsEnded)
            #expect(try await admin.events().last?.details.administrator == admin.root)
        }
    }

    @Test func `delete a passkey, but not the last way into an account`() async throws {
        try await withAdministrators { admin in
            let ada = try await admin.account("ada")
            let passkeys = try await admin.store.read { try $0.passkeys(of: ada.id) }
            let path = "admin/accounts/\(admin.ada)/passkeys/\(passkeys[0].record.id.base64URL)"
            #expect(try await admin.person.delete(path).refusal == "409 last_passkey")
            #expect(try await admin.store.read { try $0.passkeys(of: ada.id).count } == 1)
            try await admin.store.write { tx in
                try tx.setPassword(PasswordRecord(accountID: ada.id, hash: "x", chosenAt: 1))
            }
            #expect(try await admin.person.delete(path).status == .noContent)
            #expect(try await admin.person.delete(path).refusal == "404 not_found")
            let event = try #require(try await admin.events().last)
            #expect(event.kind == .passkeyDeleted && event.actor == .operator && event.account == ada.id)
            #expect(event.credential == passkeys[0].record.id && event.details.administrator == admin.root)
        }
    }

    @Test func `make a recovery link that always needs another proof, and tell the owner`() async throws {
        try await withAdministrators { admin in
            let path = "admin/accounts/\(admin.ada)/recovery-link"
            for body: JSONValue in [["needsProof": false], ["needsProof": "no"]] {
                #expect(try await admin.person.post(path, body).refusal == "400 malformed_request")
            }
            let ada = try await admin.account("ada")
            try await admin.store.write { tx in
                let address = try EmailAddress("ada@example.com")
                let confirmed = AccountEmail.Entry(address, at: 1)
                try tx.setEmail(AccountEmail(accountID: ada.id, confirmed: confirmed, language: "ja"))
            }
            let answer = try await admin.person.post(path)
            #expect(answer.status == .created)
            #expect(answer["link"]?.stringValue?.contains("/recover#recovery=") == true)
            let (links, mail) = try await admin.store.read { tx in
                (try tx.recoveryLinks(of: ada.id), try tx.dueMail(by: .mail, at: .max))
            }
            #expect(links.map(\.needsProof) == [true])
            #expect(mail?.kind == .operatorLink && mail?.language == "ja" && mail?.accountID == ada.id)
            #expect(try await admin.person.post("admin/accounts/\(admin.ada)/disable").status == .noContent)
            #expect(try await admin.person.post(path).refusal == "403 account_disabled")
        }
    }

    @Test func `list invitations without their links, make one, and revoke one`() async throws {
        try await withAdministrators { admin in
            func listed() async throws -> [JSONValue] {
                try await admin.person.get("admin/invitations")["invitations"]?.arrayValue ?? []
            }
            #expect(try await listed() == [])
            let made = try await admin.person.post("admin/invitations", ["expiresIn": 60])
            let link = try #require(made["link"]?.stringValue)
            let invitation = try #require(try await listed().first)
            let id = try #require(invitation["id"]?.stringValue)
            #expect(invitation["expired"] == false && !link.contains(id))
            #expect(
                try await admin.person.post("admin/invitations", ["expiresIn": 1]).refusal == "400 malformed_request"
            )
            admin.world.effects.advance(by: 60)
            #expect(try await listed().first?["expired"] == true)
            for other in ["x", AdminFixture.nobody] {
                #expect(try await admin.person.delete("admin/invitations/\(other)").refusal == "404 not_found")
            }
            #expect(try await admin.person.delete("admin/invitations/\(id)").status == .noContent)
            #expect(try await listed() == [])
            let events = try await admin.events().suffix(2)
            #expect(events.map(\.kind) == [.invitationMade, .invitationRevoked])
            #expect(events.allSatisfy { $0.details.administrator == admin.root })
        }
    }

    @Test func `show the audit log newest first, by event and account, in pages`() async throws {
        try await withAdministrators { admin in
            for _ in 0..<3 { try await admin.person.post("admin/accounts/\(admin.ada)/enable") }
            let all = try await admin.person.get("admin/audit?limit=2")
            #expect(all["events"]?.arrayValue?.compactMap { $0["event"] } == ["account_enabled", "account_enabled"])
            #expect(all["events"]?.arrayValue?.first?["admin"] == "olga")
            #expect(all["events"]?.arrayValue?.first?["username"] == "ada")
            var numbers: [Int64] = []
            var next: Int64? = 0
            while let before = next {
                let page = try await admin.person.get("admin/audit?limit=2&before=\(before)")
                numbers += page["events"]?.arrayValue?.compactMap { $0["number"]?.integerValue } ?? []
                next = page["next"]?.integerValue
            }
            #expect(numbers == Array((1...(numbers.first ?? 1)).reversed()) && numbers.count > 5)
            let ofAda = try await admin.person.get("admin/audit?account=\(admin.ada)&event=account_created")
            #expect(ofAda["events"]?.arrayValue?.count == 1 && ofAda["next"] == .null)
            #expect(try await admin.person.get("admin/audit?event=nothing")["events"] == [])
            for wrong in ["account=x", "before=-1", "limit=0", "limit=501"] {
                #expect(try await admin.person.get("admin/audit?\(wrong)").refusal == "400 malformed_request")
            }
            #expect(try await admin.person.get("admin/audit?before=9223372036854775807&limit=1").status == .ok)
        }
    }

    @Test func `say that an audit log without a key cannot be verified`() async throws {
        try await withAdministrators { admin in
            let answer = try await admin.person.get("admin/audit/verification")
            #expect(answer.status == .ok && answer.text == "null")
        }
    }

    @Test func `show the numbers of upgrades, and the settings without paths and secrets`() async throws {
        var configuration = AdminFixture.configuration
        configuration.breachedPasswords = nil
        configuration.recoveryWait = .seconds(7_200)
        try await withAdministrators(configuration) { admin in
            let eve = admin.world.visitor()
            try await eve.create("eve")
            _ = try await eve.beginRegistration(["mediation": "conditional"])
            let numbers = try await admin.person.get("admin/upgrades?days=7")
            #expect(numbers["days"]?.arrayValue?.count == 7 && numbers["total", "asked"] == 1)
            #expect(numbers["days"]?.arrayValue?.last?["asked"] == 1)
            #expect(try await admin.person.get("admin/upgrades")["days"]?.arrayValue?.count == 30)
            #expect(try await admin.person.get("admin/upgrades?days=401").refusal == "400 malformed_request")
            let settings = try await admin.person.get("admin/settings")["settings"]?.arrayValue ?? []
            func value(_ name: String) -> JSONValue? { settings.first { $0["name"] == .string(name) }?["value"] }
            #expect(value("admin-group") == "admins" && value("recovery-wait") == "2h")
            #expect(value("offer-interval") == "7d" && value("mail") == false && value("related-origin") == .null)
        }
    }
}
