import HTTPTypes
import Testing
import WardTesting
import WardText

/// A thief has the password of an account that has passkeys.
@Suite struct `A stolen password` {
    private static let other = "seventeen quiet volcanoes"

    /// An account whose passkey signed in, and a thief who signed in with its password a second ago.
    private static func signedIn(in world: ServiceFixture) async throws -> (ada: Visitor, thief: Visitor) {
        let ada = world.visitor()
        try await ada.create("ada")
        try await ada.register()
        try await ada.signIn()
        let thief = world.visitor()
        try await thief.signIn("ada", password: Visitor.password)
        #expect(try await thief.isSignedIn())
        return (ada, thief)
    }

    struct Change: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// Tries the change in a browser; `other` is a session of the account in another browser.
        let attempt: @Sendable (_ browser: Visitor, _ passkey: String, _ other: String) async throws -> Answer

        static let all = [
            Self(testDescription: "add a passkey") { browser, _, _ in try await browser.post("registration/options") },
            Self(testDescription: "add a passkey without a prompt") { browser, _, _ in
                try await browser.post("registration/options", ["mediation": "conditional"])
            },
            Self(testDescription: "delete a passkey") { browser, passkey, _ in
                try await browser.delete("account/passkeys/\(passkey)")
            },
            Self(testDescription: "change the password") { browser, _, _ in
                try await browser.put("account/password", ["password": .string(other)])
            },
            Self(testDescription: "remove the password") { browser, _, _ in
                try await browser.delete("account/password")
            },
            Self(testDescription: "end a session of the owner") { browser, _, other in
                try await browser.delete("account/sessions/\(other)")
            },
            Self(testDescription: "change the user name") { browser, _, _ in
                try await browser.patch("account", ["username": "mallory"])
            },
            Self(testDescription: "delete the account") { browser, _, _ in try await browser.delete("account") },
        ]
    }

    @Test(arguments: Change.all)
    func `changes nothing that the owner would miss`(change: Change) async throws {
        try await withService { world in
            let (ada, thief) = try await Self.signedIn(in: world)
            let passkey = try #require(try await thief.passkeys().first)
            let session = try #require(try await thief.otherSessions().first)
            #expect(try await change.attempt(thief, passkey, session).refusal == "403 passkey_sign_in_required")
            #expect(try await ada.isSignedIn())
            #expect(try await ada.passkeys() == [passkey])
            #expect(try await world.visitor().signIn("ada", password: Visitor.password).status == .ok)
            #expect(try await ada.elsewhere().signIn().status == .ok)
        }
    }

    @Test(arguments: Change.all.filter { $0.testDescription != "add a passkey without a prompt" })
    func `is not an obstacle for the owner, who proves the passkey in the same browser`(change: Change) async throws {
        try await withService { world in
            let (ada, thief) = try await Self.signedIn(in: world)
            let passkey = try #require(try await ada.passkeys().first)
            let session = try #require(try await ada.otherSessions().first)
            #expect(try await change.attempt(ada, passkey, session).status.code < 300)
            if change.testDescription == "end a session of the owner" { #expect(try await !thief.isSignedIn()) }
        }
    }

    @Test func `does not wait for a passkey's first sign-in if its owner was verified when making it`() async throws {
        try await withService { world in
            let ada = world.visitor()
            try await ada.create("ada")
            try await ada.register()
            let thief = world.visitor()
            try await thief.signIn("ada", password: Visitor.password)
            #expect(try await thief.post("registration/options").refusal == "403 passkey_sign_in_required")
        }
    }

    @Test func `adds no passkey with a registration that began before the owner had one`() async throws {
        try await withService { world in
            let (ada, thief) = (world.visitor(), world.visitor())
            try await ada.create("ada")
            try await thief.signIn("ada", password: Visitor.password)
            let begun = try await thief.beginRegistration([:])
            let quiet = try await thief.beginRegistration(["mediation": "conditional"])
            try await ada.register()
            try await ada.signIn()
            for start in [begun, quiet] {
                let response = try thief.authenticator.create(start.options)
                let answer = try await thief.finishRegistration(start.ceremony, response)
                #expect(answer.refusal == "403 passkey_sign_in_required")
            }
            #expect(try await ada.passkeys().count == 1)
        }
    }

    @Test func `proves for five minutes what a passkey proved in this browser, and not longer`() async throws {
        try await withService { world in
            let (ada, _) = try await Self.signedIn(in: world)
            world.effects.advance(by: 200)
            // A password sign-in in between neither lowers the younger proof nor makes it younger.
            try await ada.signIn("ada", password: Visitor.password)
            #expect(try await ada.post("registration/options").status == .ok)
            world.effects.advance(by: 100)
            #expect(try await ada.post("registration/options").status == .ok)
            world.effects.advance(by: 1)
            #expect(try await ada.post("registration/options").refusal == "403 passkey_sign_in_required")
            try await ada.signIn()
            #expect(try await ada.post("registration/options").status == .ok)
        }
    }

    @Test func `does not borrow the proof of another account that was signed in in this browser`() async throws {
        try await withService { world in
            _ = try await Self.signedIn(in: world)
            let thief = world.visitor()
            try await thief.register("eve")
            try await thief.signIn("ada", password: Visitor.password)
            #expect(try await thief.post("registration/options").refusal == "403 passkey_sign_in_required")
        }
    }

    @Test func `still gets a passkey made where no passkey was proven: an upgrade alone is not a lock-out`()
        async throws
    {
        try await withService { world in
            let ada = world.visitor()
            try await ada.create("ada")
            ada.authenticator.behaviour.isUserPresent = false
            ada.authenticator.behaviour.isUserVerified = false
            let start = try await ada.beginRegistration(["mediation": "conditional"])
            _ = try await ada.finishRegistration(start.ceremony, try ada.authenticator.create(start.options))
            #expect(try await ada.passkeys().count == 1)
            // A passkey that was made without a prompt may have been lost at once: the password still does everything.
            #expect(try await ada.put("account/password", ["password": .string(Self.other)]).status == .noContent)
            ada.authenticator.behaviour.isUserPresent = true
            ada.authenticator.behaviour.isUserVerified = true
            try await ada.elsewhere().signIn()
            try await ada.signIn("ada", password: Self.other)
            let again = try await ada.put("account/password", ["password": .string(Visitor.password)])
            #expect(again.refusal == "403 passkey_sign_in_required")
        }
    }

    @Test func `signs out its own browser without a passkey`() async throws {
        try await withService { world in
            let (_, thief) = try await Self.signedIn(in: world)
            let sessions = try await thief.get("account/sessions")["sessions"]?.arrayValue ?? []
            let own = try #require(sessions.first { $0["current"] == true }?["id"]?.stringValue)
            #expect(try await thief.delete("account/sessions/\(own)").status == .noContent)
            #expect(try await !thief.isSignedIn())
        }
    }
}
