import HTTPTypes
import Testing
import WardAccounts
import WardTesting
import WardText
import WardWebAuthn

/// What the service says about passkeys, so that pages tell credential managers the truth.
@Suite struct `Signals for credential managers` {
    @Test func `a sign-in lists every passkey that the account has`() async throws {
        try await withService { world in
            let ada = world.visitor()
            try await ada.register("ada")
            try await ada.put("account/password", ["password": .string(Visitor.password)])
            var key = VirtualAuthenticator(origin: world.origins[0])
            let start = try await ada.beginRegistration([:])
            _ = try await ada.finishRegistration(start.ceremony, try key.create(start.options))
            let all = try await ada.passkeys()
            #expect(all.count == 2)
            for answer in [
                try await ada.signIn(), try await ada.signIn("ada"),
                try await ada.signIn("ada", password: Visitor.password),
            ] {
                #expect(answer["allAcceptedCredentialIds"] == .array(all.map { .string($0) }))
                #expect(answer["account", "userHandle"] != nil)
            }
        }
    }

    @Test func `a passkey that was deleted is called so, at its own account and at no other`() async throws {
        let store = MemoryAccountStore()
        try await withService(store: store) { world in
            let ada = world.visitor()
            try await ada.register("ada")
            try await ada.put("account/password", ["password": .string(Visitor.password)])
            let id = try #require(try await ada.passkeys().first)
            let lost = ada.elsewhere()
            #expect(try await ada.delete("account/passkeys/\(id)").status == .noContent)
            let answer = try await lost.signIn()
            #expect(answer.refusal == "401 passkey_deleted")
            #expect(answer.headers[.setCookie] == nil)

            // Another account has the ID now: the passkey is wrong there, and not deleted.
            let bob = world.visitor()
            try await bob.register("bob")
            let credential = try #require(CredentialID(base64URL: id))
            try await store.write { tx in
                let account = try #require(try tx.account(username: "bob"))
                var passkey = try #require(try tx.passkeys(of: account.id).first)
                passkey.record.id = credential
                try tx.insert(passkey)
            }
            #expect(try await lost.signIn().refusal == "401 sign_in_failed")
        }
    }

    @Test func `a passkey that a restored backup does not have is not called deleted: a newer copy may have it`()
        async throws
    {
        let store = MemoryAccountStore()
        try await withService(store: store) { world in
            let ada = world.visitor()
            try await ada.register("ada")
            let text = try #require(try await ada.passkeys().first)
            let id = try #require(CredentialID(base64URL: text))
            // The backup is from before the passkey, and has no row about its end.
            try await store.write { tx in
                let account = try #require(try tx.account(username: "ada"))
                _ = try tx.deletePasskey(credentialID: id, of: account.id)
            }
            #expect(try await ada.elsewhere().signIn().refusal == "401 sign_in_failed")
        }
    }

    @Test func `a passkey that works is not called deleted when its answer is wrong`() async throws {
        try await withService { world in
            let ada = world.visitor()
            try await ada.register("ada")
            let wrong = ada.elsewhere()
            wrong.authenticator.faults.authentication = { response in
                var response = response
                response.userHandle = UserHandle([1])
                return response
            }
            #expect(try await wrong.signIn().refusal == "401 sign_in_failed")
            let spoiled = ada.elsewhere()
            spoiled.authenticator.faults.signature = { $0.reversed() }
            #expect(try await spoiled.signIn().refusal == "401 sign_in_failed")
            #expect(try await ada.signIn().status == .ok)
        }
    }

    @Test func `each refusal asks the store whether the passkey was deleted, so that the time tells nothing`()
        async throws
    {
        let store = CountingStore(MemoryAccountStore())
        try await withService(store: store) { world in
            try await world.visitor().register("ada")
            for name in ["ada", "nobody"] {
                let eve = world.visitor()
                try await eve.register("eve.\(name)")
                var start = try await eve.beginSignIn(["username": .string(name)])
                let listed = try #require(start.options.allowCredentials.first?.id)
                start.options.allowCredentials = []
                eve.authenticator.behaviour.returnsUserHandle = false
                var response = try eve.authenticator.get(start.options)
                response.id = listed
                store.reset()
                #expect(try await eve.finishSignIn(start.ceremony, response).refusal == "401 sign_in_failed")
                #expect(store.counts["wasDeleted(credentialID:)"] == 1)
            }
        }
    }
}
