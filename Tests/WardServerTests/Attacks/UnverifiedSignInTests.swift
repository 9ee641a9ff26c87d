import HTTPTypes
import Testing
import WardAccounts
import WardServer
import WardTesting
import WardText
import WardWebAuthn

/// A sign-in with a passkey that verified nobody: on a device without biometrics, or in the hands of its finder.
@Suite struct `A sign-in without user verification` {
    /// An account with a password and a passkey that signed in with verification; then nobody is verified any more.
    private static func unverified(in world: ServiceFixture) async throws -> Visitor {
        let ada = world.visitor()
        try await ada.create("ada")
        try await ada.register()
        try await ada.signIn()
        ada.authenticator.behaviour.isUserVerified = false
        ada.cookie = nil
        return ada
    }

    @Test func `is refused where the service requires it`() async throws {
        try await withService(.requiringVerification) { world in
            let ada = try await Self.unverified(in: world)
            let start = try await ada.beginSignIn()
            #expect(start.options.userVerification == .required)
            #expect(try await ada.signIn().refusal == "400 user_not_verified")
        }
    }

    @Test func `opens the account and changes nothing, until the person is verified`() async throws {
        try await withService { world in
            let ada = try await Self.unverified(in: world)
            let start = try await ada.beginSignIn()
            #expect(start.options.userVerification == .preferred)
            #expect(try await ada.signIn().status == .ok)
            let passkey = try #require(try await ada.passkeys().first)
            let refusals = [
                try await ada.post("registration/options"),
                try await ada.delete("account/passkeys/\(passkey)"),
                try await ada.put("account/password", ["password": "seventeen quiet volcanoes"]),
                try await ada.delete("account/password"),
                try await ada.patch("account", ["username": "mallory"]),
                try await ada.delete("account"),
            ]
            for answer in refusals { #expect(answer.refusal == "403 passkey_sign_in_required") }
            ada.authenticator.behaviour.isUserVerified = true
            #expect(try await ada.signIn().status == .ok)
            #expect(try await ada.post("registration/options").status == .ok)
        }
    }

    @Test func `and the password after it are two factors`() async throws {
        try await withService { world in
            let ada = try await Self.unverified(in: world)
            try await ada.signIn()
            try await ada.signIn("ada", password: Visitor.password)
            #expect(try await ada.post("registration/options").status == .ok)
            world.effects.advance(by: 301)
            #expect(try await ada.post("registration/options").refusal == "403 passkey_sign_in_required")
            try await ada.signIn("ada", password: Visitor.password)
            #expect(try await ada.post("registration/options").refusal == "403 passkey_sign_in_required")
        }
    }

    @Test func `can be ruled out by the caller, who cannot ask for less than the service`() async throws {
        try await withService { world in
            let ada = try await Self.unverified(in: world)
            let start = try await ada.beginSignIn(["username": "ada", "userVerification": "required"])
            #expect(start.options.userVerification == .required)
            let answer = try await ada.finishSignIn(start.ceremony, try ada.authenticator.get(start.options))
            #expect(answer.refusal == "400 user_not_verified")
            for less in ["preferred", "discouraged", ""] {
                let start = try await ada.beginSignIn(["userVerification": .string(less)])
                #expect(start.options.userVerification == .preferred)
            }
        }
    }

    /// A security key without a PIN.
    private static func key(_ visitor: Visitor) {
        visitor.authenticator.behaviour.isBackupEligible = false
        visitor.authenticator.behaviour.isBackedUp = false
        visitor.authenticator.behaviour.isUserVerified = false
    }

    @Test func `with a security key without a PIN opens the account, and each refusal says what to do`() async throws {
        try await withService { world in
            let ada = world.visitor()
            Self.key(ada)
            let made = try await ada.register("ada")
            #expect(made.status == .created && made["userVerified"] == false && made["passkey", "canVerify"] == false)
            let signedIn = try await ada.signIn()
            #expect(signedIn.status == .ok && signedIn["userVerified"] == false)
            let missing = try await ada.post("registration/options")
            #expect(missing.refusal == "403 second_factor_missing")
            #expect(missing["detail"]?.stringValue?.contains("Ask the people who run this service") == true)
            // A PIN that was set later proves nothing: its finder could have set it.
            ada.authenticator.behaviour.isUserVerified = true
            #expect(try await ada.signIn()["userVerified"] == false)
            #expect(try await ada.delete("account").refusal == "403 second_factor_missing")
        }
    }

    @Test func `with a new security key adds a second passkey, as long as the first has not signed in`() async throws {
        try await withService { world in
            let ada = world.visitor()
            Self.key(ada)
            try await ada.register("ada")
            ada.authenticator = VirtualAuthenticator(origin: world.origins[0])
            #expect(try await ada.register().status == .created)
            #expect(try await ada.signIn()["userVerified"] == true)
            #expect(try await ada.post("registration/options").status == .ok)
        }
    }

    @Test func `with a security key without a PIN, and then the password, are two factors`() async throws {
        try await withService { world in
            let ada = world.visitor()
            try await ada.create("ada")
            Self.key(ada)
            #expect(try await ada.register().status == .created)
            try await ada.signIn()
            #expect(try await ada.post("registration/options").refusal == "403 passkey_and_password_required")
            try await ada.signIn("ada", password: Visitor.password)
            #expect(try await ada.post("registration/options").status == .ok)
            // The password that lets the person change something stays.
            #expect(try await ada.delete("account/password").refusal == "409 password_needed")
            world.effects.advance(by: 301)
            #expect(try await ada.post("registration/options").refusal == "403 passkey_and_password_required")
        }
    }

    @Test func `with a security key and a stored password is told the truth where passwords are off`() async throws {
        let store = MemoryAccountStore()
        var configuration = ServerConfiguration()
        configuration.acceptsPasswords = false
        try await withService(configuration, store: store) { world in
            let ada = world.visitor()
            Self.key(ada)
            try await ada.register("ada")
            try await ada.signIn()
            try await store.write { tx in
                let account = try #require(try tx.account(username: "ada"))
                try tx.setPassword(PasswordRecord(accountID: account.id, hash: "$argon2id$", chosenAt: 0))
            }
            #expect(try await ada.delete("account").refusal == "403 second_factor_missing")
        }
    }

    @Test func `shows in the answers, the account and the list of sessions`() async throws {
        try await withService { world in
            let ada = try await Self.unverified(in: world)
            let signedIn = try await ada.signIn()
            #expect(signedIn["userVerified"] == false && signedIn["passkey", "canVerify"] == true)
            #expect(try await ada.get("account")["userVerified"] == false)
            let before = try await ada.get("account/sessions")["sessions"]?.arrayValue ?? []
            #expect(before.filter { $0["current"] == true }.map { $0["userVerified"] } == [false])
            ada.authenticator.behaviour.isUserVerified = true
            #expect(try await ada.signIn()["userVerified"] == true)
            #expect(try await ada.get("account")["userVerified"] == true)
            ada.cookie = nil
            try await ada.signIn("ada", password: Visitor.password)
            #expect(try await ada.get("account")["userVerified"] == false)
        }
    }

    @Test func `ends with its passkey like any other`() async throws {
        try await withService { world in
            let ada = try await Self.unverified(in: world)
            try await ada.signIn()
            let owner = world.visitor()
            owner.authenticator = ada.authenticator
            owner.authenticator.behaviour.isUserVerified = true
            try await owner.signIn()
            let passkey = try #require(try await owner.passkeys().first)
            #expect(try await owner.delete("account/passkeys/\(passkey)").status == .noContent)
            #expect(try await ada.get("account").refusal == "401 not_signed_in")
        }
    }
}
