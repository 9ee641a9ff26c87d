import HTTPTypes
import Testing
import WardAccounts
import WardTesting
import WardText
import WardWebAuthn

@Suite struct `A recovery link` {
    /// Stores a link for an account; its token.
    private static func link(_ store: some AccountStore, to name: String, in world: ServiceFixture) async throws
        -> String
    {
        let token = LinkToken.random(using: world.effects.effects.randomBytes)
        let now = world.effects.now
        let link = RecoveryLink(
            accountID: try await account(name, in: store).id,
            tokenHash: token.hash,
            createdAt: now,
            expiresAt: now + RecoveryLink.lifetime
        )
        try await store.write { try await $0.setRecoveryLink(link) }
        return token.text
    }

    /// Somebody with a new device and a link.
    private static func recover(_ visitor: Visitor, _ token: String) async throws -> Answer {
        let answer = try await visitor.post("registration/options", ["recovery": .string(token)])
        guard answer.status == .ok, let ceremony = answer["ceremony"]?.stringValue, let options = answer["publicKey"]
        else { return answer }
        return try await visitor.finishRegistration(
            ceremony,
            try visitor.authenticator.create(.init(json: options.serialized))
        )
    }

    @Test func `adds one passkey, which opens the account, and ends all sessions`() async throws {
        let store = MemoryAccountStore()
        try await withService(store: store) { world in
            let (lost, bob) = (world.visitor(), world.visitor())
            try await lost.register("ada")
            try await bob.register("bob")
            let elsewhere = lost.elsewhere()
            try await elsewhere.signIn()
            let old = try #require(try await lost.passkeys().first)
            let token = try await Self.link(store, to: "ada", in: world)

            // Passkeys of the same second have no order.
            world.effects.advance(by: 1)
            let ada = world.visitor()
            let answer = try await Self.recover(ada, token)
            #expect(answer.status == .created)
            #expect(answer["account"]?["username"] == "ada")
            for over in [lost, elsewhere] { #expect(try await !over.isSignedIn()) }
            #expect(try await bob.isSignedIn())
            #expect(try await ada.isSignedIn())
            #expect(try await ada.passkeys().count == 2, "the lost one stays until it is deleted")
            #expect(try await ada.otherSessions() == [])

            // The session is freshly proven by the new passkey: the lost one can go.
            #expect(try await ada.delete("account/passkeys/\(old)").status == .noContent)
            ada.cookie = nil
            #expect(try await ada.signIn().status == .ok)
            #expect(try await lost.signIn().refusal == "401 passkey_deleted")
        }
    }

    @Test func `works once, and an attempt that fails does not use it up`() async throws {
        let store = MemoryAccountStore()
        try await withService(store: store) { world in
            try await world.visitor().register("ada")
            let token = try await Self.link(store, to: "ada", in: world)
            let visitor = world.visitor()
            let start = try await visitor.beginRegistration(["recovery": .string(token)])
            var response = try visitor.authenticator.create(start.options)
            response.clientDataJSON[20] ^= 1
            #expect(try await visitor.finishRegistration(start.ceremony, response).status == .badRequest)
            #expect(try await Self.recover(world.visitor(), token).status == .created)
            #expect(try await Self.recover(world.visitor(), token).refusal == "403 recovery_link_not_valid")
        }
    }

    @Test func `of two that are begun, one gets the account`() async throws {
        let store = MemoryAccountStore()
        try await withService(store: store) { world in
            try await world.visitor().register("ada")
            let token = try await Self.link(store, to: "ada", in: world)
            let (first, second) = (world.visitor(), world.visitor())
            let one = try await first.beginRegistration(["recovery": .string(token)])
            let two = try await second.beginRegistration(["recovery": .string(token)])
            let made = try second.authenticator.create(two.options)
            #expect(try await second.finishRegistration(two.ceremony, made).status == .created)
            let late = try await first.finishRegistration(one.ceremony, try first.authenticator.create(one.options))
            #expect(late.refusal == "403 recovery_link_not_valid")
            #expect(try await second.isSignedIn())
            #expect(try await second.passkeys().count == 2)
        }
    }

    @Test func `opens an account that is full of lost passkeys, five times`() async throws {
        let store = MemoryAccountStore()
        try await withService(store: store) { world in
            try await world.visitor().register("ada")
            try await addPasskeys(49, idLength: 16, to: "ada", in: store)
            for _ in 1...5 {
                let token = try await Self.link(store, to: "ada", in: world)
                #expect(try await Self.recover(world.visitor(), token).status == .created)
            }
            let token = try await Self.link(store, to: "ada", in: world)
            #expect(try await Self.recover(world.visitor(), token).refusal == "409 too_many_passkeys")
        }
    }

    @Test func `ends after an hour, with the next link, and with the account's last day`() async throws {
        let store = MemoryAccountStore()
        try await withService(store: store) { world in
            let ada = world.visitor()
            try await ada.register("ada")
            let early = try await Self.link(store, to: "ada", in: world)
            let late = try await Self.link(store, to: "ada", in: world)
            #expect(try await Self.recover(world.visitor(), early).refusal == "403 recovery_link_not_valid")
            let slow = world.visitor()
            let start = try await slow.beginRegistration(["recovery": .string(late)])
            world.effects.advance(by: RecoveryLink.lifetime - 1)
            let begun = try await slow.beginRegistration(["recovery": .string(late)])
            world.effects.advance(by: 1)
            for (ceremony, options) in [(start.ceremony, start.options), (begun.ceremony, begun.options)] {
                let answer = try await slow.finishRegistration(ceremony, try slow.authenticator.create(options))
                #expect(answer.status != .created)
            }
            #expect(try await Self.recover(world.visitor(), late).refusal == "403 recovery_link_not_valid")
            let last = try await Self.link(store, to: "ada", in: world)
            try await ada.signIn()
            #expect(try await ada.delete("account").status == .noContent)
            #expect(try await Self.recover(world.visitor(), last).refusal == "403 recovery_link_not_valid")
        }
    }

    @Test func `is a door of its own: it opens nothing else, and nothing else opens it`() async throws {
        let store = MemoryAccountStore()
        try await withService(store: store) { world in
            let eve = world.visitor()
            try await world.visitor().register("ada")
            try await eve.register("eve")
            let token = try await Self.link(store, to: "ada", in: world)
            for wrong in ["", "x", String(token.reversed()), token + "A"] {
                #expect(try await Self.recover(world.visitor(), wrong).refusal == "403 recovery_link_not_valid")
            }
            for body: JSONValue in [
                ["recovery": .string(token), "username": "mallory"],
                ["recovery": .string(token), "mediation": "conditional"], ["recovery": 5],
            ] {
                #expect(try await eve.post("registration/options", body).status == .badRequest)
            }
            // A registration for one's own account stays in it, even beside somebody's link.
            let own = try await eve.beginRegistration([:])
            #expect(own.options.user.name == "eve")
            let other = try await eve.beginRegistration(["recovery": .string(token)])
            #expect(other.options.user.name == "ada")
            #expect(other.options.excludeCredentials.count == 1)
            // The link's own session takes the place of the browser's.
            eve.authenticator = world.visitor().authenticator
            let answer = try await eve.finishRegistration(other.ceremony, try eve.authenticator.create(other.options))
            #expect(answer["account"]?["username"] == "ada")
            #expect(try await eve.get("account")["account"]?["username"] == "ada")
        }
    }
}

@Suite struct `A disabled account` {
    private static func disable(_ name: String, _ store: some AccountStore, at now: Int64) async throws {
        let id = try await account(name, in: store).id
        try await store.write { _ = try await $0.disableAccount(id: id, at: now) }
    }

    @Test func `signs in with nothing, and its sessions are over`() async throws {
        let store = MemoryAccountStore()
        try await withService(store: store) { world in
            let (ada, bob) = (world.visitor(), world.visitor())
            try await ada.register("ada")
            try await bob.register("bob")
            try await ada.put("account/password", ["password": .string(Visitor.password)])
            let upgrade = try await ada.beginRegistration([:])
            let begun = try await ada.beginSignIn()
            try await Self.disable("ada", store, at: world.effects.now)

            #expect(try await ada.get("account").refusal == "401 not_signed_in")
            #expect(try await ada.get("/account").status == .seeOther)
            let extra = world.visitor()
            extra.cookie = ada.cookie
            let late = try await extra.finishRegistration(
                upgrade.ceremony,
                try extra.authenticator.create(upgrade.options)
            )
            #expect(late.refusal == "401 not_signed_in")
            let answer = try await ada.finishSignIn(begun.ceremony, try ada.authenticator.get(begun.options))
            #expect(answer.refusal == "403 account_disabled")
            for name in [nil, "ada"] { #expect(try await ada.signIn(name).refusal == "403 account_disabled") }
            let byPassword = try await ada.signIn("ada", password: Visitor.password)
            #expect(byPassword.refusal == "403 account_disabled")
            #expect(try await !ada.isSignedIn())
            #expect(try await bob.isSignedIn())

            let id = try await account("ada", in: store).id
            let left = try await store.read { try $0.sessions(of: id) }
            #expect(left == [])
            try await store.write { _ = try $0.setAccount(id: id, disabledAt: nil) }
            #expect(try await ada.signIn().status == .ok)
        }
    }

    @Test func `looks like any other to people who cannot prove that it is theirs`() async throws {
        let store = MemoryAccountStore()
        try await withService(store: store) { world in
            for name in ["ada", "grace"] {
                let visitor = world.visitor()
                try await visitor.register(name)
                try await visitor.put("account/password", ["password": .string(Visitor.password)])
            }
            try await Self.disable("ada", store, at: world.effects.now)
            for name in ["ada", "grace", "nobody"] {
                let stranger = world.visitor()
                let wrong = try await stranger.signIn(name, password: "wrong \(Visitor.password)")
                #expect(wrong.refusal == "401 sign_in_failed", "\(name)")
                let options = try await stranger.post("sign-in/options", ["username": .string(name)])
                #expect(options.status == .ok && options["publicKey"] != nil, "\(name)")
            }
            for name in ["ada", "grace"] {
                let guess = try await world.visitor().signInAsStranger(to: name)
                #expect(guess.refusal == "401 sign_in_failed", "\(name)")
                // Its name stays taken.
                let again = world.visitor()
                #expect(try await again.register(name).refusal == "409 username_taken")
            }
        }
    }

    @Test func `is opened by no recovery link, not even after it is enabled again`() async throws {
        let store = MemoryAccountStore()
        try await withService(store: store) { world in
            try await world.visitor().register("ada")
            let account = try await account("ada", in: store)
            let token = LinkToken.random(using: world.effects.effects.randomBytes)
            let now = world.effects.now
            let link = RecoveryLink(accountID: account.id, tokenHash: token.hash, createdAt: now, expiresAt: now + 60)
            try await store.write { try $0.setRecoveryLink(link) }
            let visitor = world.visitor()
            let start = try await visitor.beginRegistration(["recovery": .string(token.text)])
            try await Self.disable("ada", store, at: now)
            try await store.write { _ = try $0.setAccount(id: account.id, disabledAt: nil) }
            let made = try visitor.authenticator.create(start.options)
            #expect(try await visitor.finishRegistration(start.ceremony, made).refusal == "403 recovery_link_not_valid")
        }
    }
}

private func account(_ name: String, in store: some AccountStore) async throws -> Account {
    let found = try await store.read { try await $0.account(username: name) }
    return try #require(found)
}
