import HTTPTypes
import Testing
import WardServer
import WardTesting
import WardText
import WardWebAuthn

/// A sign-in with a passkey that verified nobody: on a device without biometrics, or in the hands of its finder.
@Suite struct `A sign-in without user verification` {
    private static var preferring: ServerConfiguration {
        var configuration = ServerConfiguration()
        configuration.requiresUserVerification = false
        return configuration
    }

    /// An account with a password and a passkey that signed in with verification; then nobody is verified any more.
    private static func unverified(in world: World) async throws -> Visitor {
        let ada = world.visitor()
        try await ada.create("ada")
        try await ada.register()
        try await ada.signIn()
        ada.authenticator.behaviour.isUserVerified = false
        ada.cookie = nil
        return ada
    }

    @Test func `is refused where the service requires it, which is the default`() async throws {
        try await withService { world in
            let ada = try await Self.unverified(in: world)
            let start = try await ada.beginSignIn()
            #expect(start.options.userVerification == .required)
            #expect(try await ada.signIn().refusal == "400 user_not_verified")
        }
    }

    @Test func `opens the account and changes nothing, until the person is verified`() async throws {
        try await withService(Self.preferring) { world in
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
        try await withService(Self.preferring) { world in
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
        try await withService(Self.preferring) { world in
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

    @Test func `makes no passkey of one device that could never be verified`() async throws {
        try await withService(Self.preferring) { world in
            let ada = world.visitor()
            ada.authenticator.behaviour.isBackupEligible = false
            ada.authenticator.behaviour.isBackedUp = false
            ada.authenticator.behaviour.isUserVerified = false
            let refused = try await ada.register("ada")
            #expect(refused.refusal == "400 user_not_verified")
            ada.authenticator.behaviour.isUserVerified = true
            let made = try await ada.register("ada")
            #expect(made.status == .created)
        }
    }

    @Test func `ends with its passkey like any other`() async throws {
        try await withService(Self.preferring) { world in
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
