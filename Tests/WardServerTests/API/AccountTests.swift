import HTTPTypes
import Testing
import WardAccounts
import WardTesting
import WardText
import WardWebAuthn

@Suite struct `The own account` {
    @Test func `gets new names, which the rules of new accounts hold for`() async throws {
        try await withService { world in
            let ada = world.visitor()
            try await ada.register("ada")
            let renamed = try await ada.patch("account", ["username": "Ada.King", "displayName": "Ada King"])
            #expect(renamed.status == .ok)
            #expect(renamed["account", "username"] == "Ada.King")
            #expect(renamed["account", "displayName"] == "Ada King")
            #expect(try await ada.get("account")["account", "username"] == "Ada.King")
            #expect(try await ada.elsewhere().signIn("ada.king").status == .ok)
            for (body, refusal): (JSONValue, String) in [
                ([:], "400 malformed_request"), (["username": .null], "400 malformed_request"),
                (["displayName": 7], "400 malformed_request"), (["username": "a b"], "422 username_not_allowed"),
                (["username": "ada", "displayName": ""], "422 display_name_not_allowed"),
                (["displayName": "\u{202e}ada"], "422 display_name_not_allowed"),
            ] { #expect(try await ada.patch("account", body).refusal == refusal) }
            #expect(try await ada.get("account")["account", "username"] == "Ada.King", "nothing is half done")
            // Letters in another case are the same name of the same account.
            #expect(try await ada.patch("account", ["username": "ADA.KING"]).status == .ok)
            #expect(try await ada.patch("account", ["displayName": "Ada"])["account", "username"] == "ADA.KING")
        }
    }

    @Test func `never gets the name of another, and leaves its old one free`() async throws {
        try await withService { world in
            let (ada, bob) = (world.visitor(), world.visitor())
            try await ada.register("ada")
            try await bob.register("bob")
            #expect(try await bob.patch("account", ["username": "ADA"]).refusal == "409 username_taken")
            #expect(
                try await bob.patch("account", ["username": "ada", "displayName": "Bob"]).refusal
                    == "409 username_taken"
            )
            #expect(try await bob.get("account")["account", "displayName"] == "bob")
            #expect(try await ada.patch("account", ["username": "countess"]).status == .ok)
            #expect(try await bob.patch("account", ["username": "ada"]).status == .ok)
            #expect(try await ada.get("account")["account", "username"] == "countess")
        }
    }

    @Test func `needs a recent sign-in for another user name, and none for another display name`() async throws {
        try await withService { world in
            let ada = world.visitor()
            try await ada.create("ada")
            world.effects.advance(by: 301)
            #expect(try await ada.patch("account", ["displayName": "Ada"]).status == .ok)
            let both: JSONValue = ["username": "countess", "displayName": "Countess"]
            #expect(try await ada.patch("account", both).refusal == "403 recent_sign_in_required")
            #expect(try await ada.get("account")["account", "displayName"] == "Ada")
            try await ada.signIn("ada", password: Visitor.password)
            #expect(try await ada.patch("account", both).status == .ok)
            #expect(try await world.visitor().signIn("countess", password: Visitor.password).status == .ok)
        }
    }

    @Test func `is deleted with all its keys and sessions, by its owner who just signed in`() async throws {
        let store = MemoryAccountStore()
        try await withService(store: store) { world in
            let (ada, bob) = (world.visitor(), world.visitor())
            try await bob.register("bob")
            try await ada.create("ada")
            try await ada.register()
            let other = ada.elsewhere()
            try await other.signIn()
            let passkey = try #require(try await ada.passkeys().first)
            world.effects.advance(by: 301)
            #expect(try await ada.delete("account").refusal == "403 passkey_sign_in_required")
            try await ada.signIn()
            #expect(try await ada.delete("account").status == .noContent)
            #expect(ada.cookie == nil && ada.lastSetCookie?.contains("Max-Age=0") == true)
            #expect(try await !other.isSignedIn())
            #expect(try await ada.signIn().refusal == "401 sign_in_failed")
            #expect(try await ada.signIn("ada", password: Visitor.password).refusal == "401 sign_in_failed")
            #expect(try await bob.isSignedIn())

            // The next owner of the name gets nothing of the old account.
            let next = world.visitor()
            try await next.create("ada")
            #expect(try await next.passkeys() == [])
            #expect(try await next.otherSessions() == [])
            let id = try #require(CredentialID(base64URL: passkey))
            #expect(try await store.read { try $0.passkey(credentialID: id) } == nil)
        }
    }

    @Test func `is exported whole, and without a secret`() async throws {
        let store = MemoryAccountStore()
        try await withService(store: store) { world in
            let ada = world.visitor()
            try await ada.create("ada")
            try await ada.register()
            try await ada.elsewhere().signIn()
            world.effects.advance(by: 1_000)
            let export = try await ada.get("account/export")
            #expect(export.status == .ok)
            #expect(export.headers[.init("Content-Disposition")!] == "attachment; filename=\"account.json\"")
            #expect(export.headers[.cacheControl] == "no-store")
            #expect(export["account", "username"] == "ada")
            #expect(export["passkeys"]?.arrayValue?.first?["publicKey"]?.stringValue?.isEmpty == false)
            #expect(export["password", "chosenAt"]?.stringValue?.hasSuffix("Z") == true)
            #expect(export["sessions"]?.arrayValue?.count == 2)

            let token = try #require(ada.cookie?.split(separator: "=").last)
            let hashes = try await store.read { tx in
                let account = try #require(try tx.account(username: "ada"))
                return try [tx.password(of: account.id)?.hash ?? ""]
                    + tx.sessions(of: account.id).flatMap {
                        [Base64URL.encode($0.tokenHash), Hex.encode($0.tokenHash)]
                    }
            }
            for secret in hashes + [String(token), "argon2"] {
                #expect(!secret.isEmpty && !export.text.contains(secret))
            }
        }
    }

    @Test func `changes for nobody without its session, and for no other page`() async throws {
        try await withService { world in
            let (ada, stranger) = (world.visitor(), world.visitor())
            try await ada.register("ada")
            #expect(try await stranger.get("account/export").refusal == "401 not_signed_in")
            #expect(try await stranger.patch("account", ["displayName": "x"]).refusal == "401 not_signed_in")
            #expect(try await stranger.delete("account").refusal == "401 not_signed_in")
            ada.origin = "https://evil.example"
            #expect(try await ada.patch("account", ["displayName": "x"]).refusal == "403 origin_not_allowed")
            #expect(try await ada.delete("account").refusal == "403 origin_not_allowed")
            #expect(try await ada.isSignedIn())
        }
    }
}
