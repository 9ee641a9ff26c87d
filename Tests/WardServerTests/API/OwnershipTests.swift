import HTTPTypes
import Testing
import WardAccounts
import WardStoreSQLite
import WardTesting
import WardText
import WardWebAuthn

@Suite struct `Whose passkeys and sessions they are` {
    @Test(arguments: TestedStore.allCases)
    func `bug class 20: nobody renames or deletes what is another's`(store: TestedStore) async throws {
        try await store.run { world in
            let (ada, eve) = (world.visitor(), world.visitor())
            try await ada.register("ada")
            try await eve.register("eve")
            let theirs = try await ada.passkeys()[0]
            let session = try await ada.get("account/sessions")["sessions"]?.arrayValue?.first?["id"]?.stringValue ?? ""
            #expect(try await eve.patch("account/passkeys/\(theirs)", ["name": "mine"]).refusal == "404 not_found")
            #expect(try await eve.delete("account/passkeys/\(theirs)").refusal == "404 not_found")
            #expect(try await eve.delete("account/sessions/\(session)").refusal == "404 not_found")
            let seen = try await ada.get("account")["passkeys"]?.arrayValue?.first
            #expect(seen?["name"] == "Passkey")
            #expect(try await ada.isSignedIn())
        }
    }

    @Test func `bug class 19: a session that is not recent adds and deletes nothing`() async throws {
        try await withService { world in
            let ada = world.visitor()
            try await ada.register("ada")
            let phone = VirtualAuthenticator(origin: world.origins[0])
            let second = ada.elsewhere()
            second.authenticator = phone
            second.cookie = ada.cookie
            try await second.register()
            let ids = try await ada.passkeys()
            let begun = try await ada.beginRegistration([:])

            world.effects.advance(by: 300)
            #expect(try await ada.post("registration/options").status == .ok, "five minutes are recent")
            world.effects.advance(by: 1)
            #expect(try await ada.post("registration/options").refusal == "403 passkey_sign_in_required")
            #expect(try await ada.delete("account/passkeys/\(ids[0])").refusal == "403 passkey_sign_in_required")
            #expect(try await ada.patch("account/passkeys/\(ids[0])", ["name": "Laptop"]).status == .ok)
            var third = VirtualAuthenticator(origin: world.origins[0])
            let late = try await ada.finishRegistration(begun.ceremony, try third.create(begun.options))
            #expect(late.status == .badRequest, "the ceremony is over as well")

            #expect(try await ada.signIn().status == .ok)
            #expect(try await ada.delete("account/passkeys/\(ids[1])").status == .noContent)
        }
    }

    @Test func `bug class 19: adding is checked again when the passkey comes`() async throws {
        try await withService { world in
            let ada = world.visitor()
            try await ada.register("ada")
            world.effects.advance(by: 200)
            let begun = try await ada.beginRegistration([:])
            world.effects.advance(by: 200)
            var phone = VirtualAuthenticator(origin: world.origins[0])
            let answer = try await ada.finishRegistration(begun.ceremony, try phone.create(begun.options))
            #expect(answer.refusal == "403 passkey_sign_in_required")
            #expect(try await ada.passkeys().count == 1)
        }
    }

    @Test func `bug class 18: a registration that somebody began adds no passkey for anybody else`() async throws {
        try await withService { world in
            let (ada, eve) = (world.visitor(), world.visitor())
            try await ada.register("ada")
            try await eve.register("eve")
            for thief in [eve, world.visitor()] {
                let begun = try await ada.beginRegistration([:])
                var device = VirtualAuthenticator(origin: world.origins[0])
                let made = try device.create(begun.options)
                #expect(try await thief.finishRegistration(begun.ceremony, made).refusal == "401 not_signed_in")
                #expect(try await ada.finishRegistration(begun.ceremony, made).refusal == "400 challenge_not_found")
            }
            #expect(try await ada.passkeys().count == 1)
            #expect(try await eve.passkeys().count == 1)
        }
    }

    @Test func `bug class 18: a registration that went through is not used again`() async throws {
        try await withService { world in
            let ada = world.visitor()
            try await ada.register("ada")
            let begun = try await ada.beginRegistration([:])
            var (first, second) = (
                VirtualAuthenticator(origin: world.origins[0]), VirtualAuthenticator(origin: world.origins[0])
            )
            #expect(
                try await ada.finishRegistration(begun.ceremony, try first.create(begun.options)).status == .created
            )
            let again = try await ada.finishRegistration(begun.ceremony, try second.create(begun.options))
            #expect(again.refusal == "400 challenge_not_found")
        }
    }

    @Test(arguments: [true, false])
    func `bug class 21: nothing of a deleted account leads into the next one of that name`(
        isSQLite: Bool
    ) async throws {
        func check(_ store: some AccountStore) async throws {
            try await withService(store: store) { world in
                let ada = world.visitor()
                try await ada.register("ada")
                try await store.write { tx in
                    if let account = try await tx.account(username: try Username("ada")) {
                        try await tx.deleteAccount(id: account.id)
                    }
                }
                #expect(try await ada.get("account").refusal == "401 not_signed_in")
                let next = world.visitor()
                #expect(try await next.register("ada").status == .created)
                #expect(try await !ada.isSignedIn())
                #expect(try await ada.signIn().refusal == "401 sign_in_failed")
                let start = try await ada.beginSignIn(["username": "ada"])
                var options = start.options
                options.allowCredentials = []
                let answer = try await ada.finishSignIn(start.ceremony, try ada.authenticator.get(options))
                #expect(answer.refusal == "401 sign_in_failed")
            }
        }
        if isSQLite { try await check(SQLiteAccountStore.inMemory()) } else { try await check(MemoryAccountStore()) }
    }

    @Test func `bug class 22: there is no other way in`() async throws {
        try await withService { world in
            let ada = world.visitor()
            for path in ["/attestation/options", "/attestation/result", "/assertion/options", "/assertion/result"] {
                let answer = try await ada.post(path, ["username": "ada", "displayName": "Ada"])
                #expect(answer.refusal == "404 not_found")
            }
            for path in [
                "/login", "/webauthn/authenticate", "/api/v1/sign-in", "/api/v2/sign-in/verify", "/api/v1/account/",
            ] {
                #expect(try await ada.post(path).status.code >= 400)
                #expect(ada.cookie == nil)
            }
        }
    }

    @Test(arguments: ["account", "account/sessions"])
    func `without a session nothing is shown`(path: String) async throws {
        try await withService { world in
            let answer = try await world.visitor().get(path)
            #expect(answer.refusal == "401 not_signed_in")
        }
    }

    @Test func `without a session nothing is changed`() async throws {
        try await withService { world in
            let stranger = world.visitor()
            let id = Base64URL.encode([UInt8](repeating: 1, count: 16))
            let answer = try await stranger.post("registration/options")
            #expect(answer.refusal == "401 not_signed_in")
            #expect(try await stranger.patch("account/passkeys/\(id)", ["name": "x"]).refusal == "401 not_signed_in")
            #expect(try await stranger.delete("account/passkeys/\(id)").refusal == "401 not_signed_in")
            #expect(try await stranger.delete("account/sessions/\(id)").refusal == "401 not_signed_in")
        }
    }

    @Test func `two deletions at once leave one passkey`() async throws {
        try await withService(store: SQLiteAccountStore.inMemory()) { world in
            let ada = world.visitor()
            try await ada.register("ada")
            let first = try await ada.passkeys()[0]
            let phone = world.visitor()
            phone.cookie = ada.cookie
            try await phone.register()
            let second = try #require(try await ada.passkeys().first { $0 != first })
            phone.cookie = nil
            try await phone.signIn()
            // Each browser deletes the passkey that opened its own session, so neither ends the other's.
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for (id, cookie) in [(first, ada.cookie), (second, phone.cookie)] {
                    group.addTask {
                        let browser = world.visitor()
                        browser.cookie = cookie
                        return try await browser.delete("account/passkeys/\(id)").status.code
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }.sorted()
            }
            #expect(statuses == [204, 409])
            let left = (try await ada.passkeys(), try await phone.passkeys())
            #expect(left.0.count + left.1.count == 1, "the browser whose passkey is left is signed in")
        }
    }
}
