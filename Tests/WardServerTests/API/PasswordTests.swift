import HTTPTypes
import Testing
import WardAccounts
import WardServer
import WardTesting
import WardText

@Suite struct `Accounts with a password` {
    @Test(arguments: TestedStore.allCases)
    func `are made, signed in to, and upgraded to a passkey that takes the password's place`(
        store: TestedStore
    ) async throws {
        try await store.run { world in
            let ada = world.visitor()
            let made = try await ada.create("Ada.Lovelace")
            #expect(made.status == .created)
            #expect(made["account", "username"] == "Ada.Lovelace" && made["hasPasskey"] == false)
            #expect(try await ada.get("account")["hasPassword"] == true)
            #expect(try await ada.get("account")["passkeys"] == [])
            #expect(try await ada.get("account/sessions")["sessions"]?.arrayValue?.first?["method"] == "password")

            try await ada.post("sign-out")
            let back = try await ada.signIn("ADA.LOVELACE", password: Visitor.password)
            #expect(back.status == .ok && back["hasPasskey"] == false)
            #expect(back["account"] == made["account"])

            ada.authenticator.behaviour.isUserPresent = false
            ada.authenticator.behaviour.isUserVerified = false
            let start = try await ada.beginRegistration(["mediation": "conditional"])
            let response = try ada.authenticator.create(start.options)
            let upgraded = try await ada.finishRegistration(start.ceremony, response)
            #expect(upgraded.status == .created)
            #expect(upgraded["account"] == made["account"])

            ada.authenticator.behaviour.isUserPresent = true
            ada.authenticator.behaviour.isUserVerified = true
            let browser = ada.elsewhere()
            #expect(try await browser.signIn().status == .ok)
            #expect(try await browser.signIn("ada.lovelace", password: Visitor.password)["hasPasskey"] == true)
            #expect(try await browser.delete("account/password").status == .noContent)
            #expect(try await browser.get("account")["hasPassword"] == false)
            let refused = try await world.visitor().signIn("ada.lovelace", password: Visitor.password)
            #expect(refused.refusal == "401 sign_in_failed")
            #expect(try await browser.signIn("ada.lovelace").status == .ok)
        }
    }

    @Test func `are refused with a reason when name or password will not do`() async throws {
        try await withService(.shortPasswords) { world in
            let ada = world.visitor()
            for (name, password, refusal) in [
                ("a b", Visitor.password, "422 username_not_allowed"),
                ("ada", "short 1", "422 password_too_short"),
                ("ada", "", "422 password_too_short"),
                ("ada", String(repeating: "x", count: 1_025), "422 password_too_long"),
                ("ada", "zero\u{200b}width joiner", "422 password_not_allowed"),
                ("ada", "Password123", "422 password_too_common"),
                ("ada.lovelace", "ada.lovelace1", "422 password_too_common"),
                ("ada", "localhost1", "422 password_too_common"),
            ] {
                #expect(try await ada.create(name, password: password).refusal == refusal)
            }
            let shown: JSONValue = ["username": "ada", "password": "localhost1 but longer", "displayName": "\u{7}"]
            #expect(try await ada.post("account", shown).refusal == "422 display_name_not_allowed")
            for body: JSONValue in [
                ["username": "ada"], ["password": "rotating teapot 41"], ["username": 1, "password": ""],
            ] {
                #expect(try await ada.post("account", body).refusal == "400 malformed_request")
            }
            #expect(ada.cookie == nil)
            #expect(try await ada.create("ada").status == .created)
            #expect(try await world.visitor().create("ADA").refusal == "409 username_taken")
            try await world.visitor().register("bob")
            #expect(try await world.visitor().create("bob").refusal == "409 username_taken")
        }
    }

    @Test func `a password is the same from every keyboard, and compared to the letter`() async throws {
        try await withService(.shortPasswords) { world in
            try await world.visitor().create("ada", password: "caf\u{e9}\u{a0}au lait x")
            #expect(try await world.visitor().signIn("ada", password: "cafe\u{301} au lait x").status == .ok)
            for wrong in [
                "Caf\u{e9} au lait x", "caf\u{e9} au lait x ", "cafe au lait x", "caf\u{e9} au lait", "",
                "caf\u{e9} au lait x\u{0}", String(repeating: "x", count: 60_000),
            ] {
                #expect(try await world.visitor().signIn("ada", password: wrong).refusal == "401 sign_in_failed")
            }
        }
    }

    @Test func `nobody, an account without a password and a wrong password are one answer`() async throws {
        let store = CountingStore(MemoryAccountStore())
        try await withService(store: store) { world in
            try await world.visitor().create("ada")
            try await world.visitor().register("bob")
            var answers: [Answer] = []
            var counts: [[String: Int]] = []
            for name in ["ada", "bob", "nobody", "no name", "", "\u{0}"] {
                store.reset()
                answers.append(try await world.visitor().signIn(name, password: "a wrong one"))
                counts.append(store.counts)
            }
            #expect(answers[0].refusal == "401 sign_in_failed")
            for (answer, count) in zip(answers, counts) {
                #expect(answer.text == answers[0].text && answer.status == answers[0].status)
                #expect(answer.headers.map(\.name) == answers[0].headers.map(\.name))
                #expect(count == counts[0])
                #expect(count["read"] == 1 && count["write"] == 1, "the write counts the try")
            }
        }
    }

    @Test func `after ten wrong passwords a name has to wait, known or not, and passkeys do not`() async throws {
        try await withService { world in
            let ada = world.visitor()
            try await ada.create("ada")
            try await ada.register()
            for name in ["ada", "nobody"] {
                for _ in 0..<10 {
                    let wrong = try await world.visitor().signIn(name, password: "a wrong one")
                    #expect(wrong.refusal == "401 sign_in_failed")
                }
                let refused = try await world.visitor().signIn(name.uppercased(), password: Visitor.password)
                #expect(refused.refusal == "429 too_many_attempts")
                #expect(refused.headers[.retryAfter] == "5")
            }
            #expect(try await ada.elsewhere().signIn("ada").status == .ok, "a passkey never waits")
            world.effects.advance(by: 5)
            #expect(try await world.visitor().signIn("ada", password: Visitor.password).status == .ok)
            #expect(try await world.visitor().signIn("ada", password: "a wrong one").status == .unauthorized)
        }
    }

    @Test func `a weaker hash is made anew with the right password alone, and the choice keeps its date`() async throws
    {
        let store = MemoryAccountStore()
        @Sendable func record() async throws -> PasswordRecord? {
            try await store.read { tx in try tx.account(username: "ada").flatMap { try tx.password(of: $0.id) } }
        }
        try await withService(store: store) { world in try await world.visitor().create("ada") }
        let first = try #require(try await record())
        #expect(first.hash.contains("m=19456,t=2,p=1"))
        let more = ServerConfiguration(passwordEffort: PasswordEffort(memory: 20_480, passes: 3))
        try await withService(more, store: store) { world in
            world.effects.advance(by: 100)
            try await world.visitor().signIn("ada", password: "a wrong one")
            #expect(try await record() == first)
            #expect(try await world.visitor().signIn("ada", password: Visitor.password).status == .ok)
            let second = try #require(try await record())
            #expect(second.hash.contains("m=20480,t=3,p=1") && second.chosenAt == first.chosenAt)
            #expect(try await world.visitor().signIn("ada", password: Visitor.password).status == .ok)
            #expect(try await record() == second)
        }
        try await withService(store: store) { world in
            let answer = try await world.visitor().signIn("ada", password: Visitor.password)
            #expect(answer.status == .ok)
            #expect(try await record()?.hash.contains("m=20480,t=3,p=1") == true, "less is asked for: it stays")
        }
    }

    @Test func `a service without passwords refuses every call, and what is stored opens nothing`() async throws {
        let store = MemoryAccountStore()
        try await withService(store: store) { world in
            let ada = world.visitor()
            try await ada.create("ada")
            try await ada.register()
        }
        try await withService(ServerConfiguration(acceptsPasswords: false), store: store) { world in
            let ada = world.visitor()
            for answer in [
                try await ada.create("bob"), try await ada.signIn("ada", password: Visitor.password),
                try await ada.put("account/password", ["password": "x"]), try await ada.delete("account/password"),
            ] { #expect(answer.refusal == "403 passwords_disabled") }
            ada.origin = "https://evil.example"
            #expect(try await ada.create("bob").refusal == "403 origin_not_allowed")
            ada.origin = world.origins[0]
            for path in ["/", "/account"] {
                #expect(try await !ada.get(path).text.contains("data-testid=\"password"))
            }
        }
    }

    @Test func `where passwords open nothing, a stored one does not let the only passkey go`() async throws {
        let store = MemoryAccountStore()
        try await withService(ServerConfiguration(acceptsPasswords: false), store: store) { world in
            let ada = world.visitor()
            let id = try #require(try await ada.register("ada")["passkey", "id"]?.stringValue)
            // As if chosen while the service took passwords.
            try await store.write { tx in
                let account = try #require(try tx.account(username: "ada"))
                try tx.setPassword(PasswordRecord(accountID: account.id, hash: "$argon2id$", chosenAt: 0))
            }
            #expect(try await ada.delete("account/passkeys/\(id)").refusal == "409 last_passkey")
            #expect(try await ada.passkeys() == [id])
        }
    }

    @Test func `nothing of a password is in the store or the answers`() async throws {
        let store = MemoryAccountStore()
        try await withService(store: store) { world in
            let ada = world.visitor()
            let made = try await ada.create("ada")
            let account = try await ada.get("account")
            for answer in [made, account, try await ada.get("account/sessions")] {
                #expect(!answer.text.contains("teapot") && !answer.text.contains("argon2"))
            }
            let hash = try await store.read { tx in
                try tx.account(username: "ada").flatMap { try tx.password(of: $0.id)?.hash }
            }
            #expect(hash?.contains("teapot") == false)
        }
    }
}
