import HTTPTypes
import Testing
import WardAccounts
import WardTesting
import WardText
import WardWebAuthn

/// WebAuthn Level 3, section 7.1, step 15: presence may be missing after conditional creation, and nothing else.
@Suite struct `Automatic upgrades` {
    @Test func `ask for nothing that only a person can give, and leave out passkeys the account has`() async throws {
        try await withService { world in
            let ada = world.visitor()
            try await ada.create("ada")
            let first = try await ada.beginRegistration(["mediation": "conditional"])
            #expect(first.options.authenticatorSelection?.userVerification != .required)
            #expect(first.options.authenticatorSelection?.residentKey == .required)
            #expect(first.options.excludeCredentials.isEmpty)
            ada.authenticator.behaviour.isUserVerified = false
            _ = try await ada.finishRegistration(first.ceremony, try ada.authenticator.create(first.options))
            let second = try await ada.beginRegistration(["mediation": "conditional"])
            #expect(second.options.excludeCredentials.count == 1)
        }
    }

    @Test func `follow a sign-in with a password of the last five minutes, and no other`() async throws {
        try await withService { world in
            let ask: JSONValue = ["mediation": "conditional"]
            let ada = world.visitor()
            #expect(try await ada.post("registration/options", ask).refusal == "401 not_signed_in")
            try await ada.create("ada")
            world.effects.advance(by: 300)
            #expect(try await ada.post("registration/options", ask).status == .ok)
            world.effects.advance(by: 1)
            #expect(try await ada.post("registration/options", ask).refusal == "403 recent_sign_in_required")
            try await ada.signIn("ada", password: Visitor.password)
            #expect(try await ada.post("registration/options", ask).status == .ok)
            try await ada.register()
            try await ada.signIn()
            #expect(try await ada.post("registration/options", ask).refusal == "403 password_sign_in_required")
            for body: JSONValue in [
                ["mediation": "silent"], ["mediation": ""], ["mediation": 1], ["mediation": nil],
                ["mediation": "conditional", "username": "bob"],
            ] {
                #expect(try await ada.post("registration/options", body).refusal == "400 malformed_request")
            }
        }
    }

    @Test func `end in the session they began in, or another that began with the password`() async throws {
        try await withService { world in
            let ada = world.visitor()
            try await ada.create("ada")
            let start = try await ada.beginRegistration(["mediation": "conditional"])
            try await ada.register()
            var phone = VirtualAuthenticator(origin: world.origins[0])
            let response = try phone.create(start.options)
            // Meanwhile this browser signs in with the passkey.
            try await ada.signIn()
            let refused = try await ada.finishRegistration(start.ceremony, response)
            #expect(refused.refusal == "403 password_sign_in_required")
            #expect(try await ada.passkeys().count == 1)

            let bob = world.visitor()
            try await bob.create("bob")
            let other = try await bob.beginRegistration(["mediation": "conditional"])
            try await ada.signIn("ada", password: Visitor.password)
            let stolen = try await ada.finishRegistration(other.ceremony, try phone.create(other.options))
            #expect(stolen.refusal == "401 not_signed_in")
            #expect(try await ada.passkeys().count == 1)
        }
    }

    struct Spoiled: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let code: String
        let spoil: @Sendable (inout VirtualAuthenticator) -> Void

        static let all = [
            Self(testDescription: "another challenge", code: "challenge_mismatch") { authenticator in
                authenticator.faults.clientDataJSON = { json in
                    Array(
                        String(decoding: json, as: UTF8.self).replacing("\"challenge\":\"", with: "\"challenge\":\"A")
                            .utf8
                    )
                }
            },
            Self(testDescription: "another origin", code: "origin_not_allowed") { $0.origin = "https://evil.example" },
            Self(testDescription: "another RP ID", code: "rp_id_mismatch") { authenticator in
                authenticator.faults.authenticatorData = { [$0[0] ^ 1] + $0.dropFirst() }
            },
        ]
    }

    @Test(arguments: Spoiled.all)
    func `skip presence and verification, and no other check`(spoiled: Spoiled) async throws {
        try await withService { world in
            let ada = world.visitor()
            try await ada.create("ada")
            ada.authenticator.behaviour.isUserPresent = false
            ada.authenticator.behaviour.isUserVerified = false
            let start = try await ada.beginRegistration(["mediation": "conditional"])
            var spoiler = ada.authenticator
            spoiled.spoil(&spoiler)
            let answer = try await ada.finishRegistration(start.ceremony, try spoiler.create(start.options))
            #expect(answer.code == spoiled.code)
            #expect(try await ada.passkeys() == [])
            let again = try await ada.finishRegistration(start.ceremony, try ada.authenticator.create(start.options))
            #expect(again.code == "challenge_not_found", "a ceremony is answered once")
        }
    }

    @Test func `give nobody a passkey for which they could lose their only way in`() async throws {
        let store = MemoryAccountStore()
        try await withService(.requiringVerification, store: store) { world in
            let ada = world.visitor()
            try await ada.create("ada")
            ada.authenticator.behaviour.isUserPresent = false
            ada.authenticator.behaviour.isUserVerified = false
            let start = try await ada.beginRegistration(["mediation": "conditional"])
            let answer = try await ada.finishRegistration(start.ceremony, ada.authenticator.create(start.options))
            #expect(answer.status == .created)
            // As an earlier version stored it.
            try await store.write { tx in
                let account = try #require(try tx.account(username: "ada"))
                var passkey = try #require(try tx.passkeys(of: account.id).first)
                passkey.record.backupEligible = false
                passkey.record.backedUp = false
                _ = try tx.update(passkey)
            }
            ada.authenticator.behaviour.isBackupEligible = false
            ada.authenticator.behaviour.isBackedUp = false
            // Bound to its device and made without verification: a person who finds the device could set a PIN.
            ada.authenticator.behaviour.isUserPresent = true
            ada.authenticator.behaviour.isUserVerified = true
            #expect(try await ada.elsewhere().signIn("ada").code == "user_not_verified")
            #expect(try await ada.signIn("ada", password: Visitor.password)["hasPasskey"] == false)
            #expect(try await ada.delete("account/password").refusal == "409 password_needed")
            let bound = try #require(try await ada.passkeys().first)
            ada.authenticator = VirtualAuthenticator(origin: world.origins[0])
            try await ada.register()
            try await ada.signIn()
            #expect(try await ada.delete("account/password").status == .noContent)
            let other = try #require(try await ada.passkeys().first { $0 != bound })
            #expect(try await ada.delete("account/passkeys/\(other)").refusal == "409 last_passkey")
            #expect(try await ada.delete("account/passkeys/\(bound)").status == .noContent)
        }
    }

    @Test func `make no passkey that could never sign in: without verification it must be one that is backed up`()
        async throws
    {
        try await withService { world in
            for (isVerified, isEligible) in [(false, false), (true, false), (false, true)] {
                var device = VirtualAuthenticator(origin: world.origins[0])
                device.behaviour.isUserPresent = false
                device.behaviour.isUserVerified = isVerified
                device.behaviour.isBackupEligible = isEligible
                device.behaviour.isBackedUp = isEligible
                let bob = world.visitor()
                try await bob.create("bob.\(isVerified).\(isEligible)")
                let start = try await bob.beginRegistration(["mediation": "conditional"])
                let answer = try await bob.finishRegistration(start.ceremony, try device.create(start.options))
                #expect((answer.status == .created) == (isVerified || isEligible))
                if answer.status != .created { #expect(answer.refusal == "400 user_not_verified") }
            }
        }
    }

    @Test func `are the only registrations that skip them`() async throws {
        try await withService(.requiringVerification) { world in
            let ada = world.visitor()
            try await ada.create("ada")
            ada.authenticator.behaviour.isUserPresent = false
            #expect(try await ada.register().code == "user_not_present")
            ada.authenticator.behaviour.isUserPresent = true
            ada.authenticator.behaviour.isUserVerified = false
            #expect(try await ada.register().code == "user_not_verified")
            #expect(try await ada.register("bob").code == "user_not_verified")
        }
    }

    @Test func `make passkeys that sign in like any other: with presence and verification`() async throws {
        try await withService(.requiringVerification) { world in
            let ada = world.visitor()
            try await ada.create("ada")
            ada.authenticator.behaviour.isUserPresent = false
            ada.authenticator.behaviour.isUserVerified = false
            let start = try await ada.beginRegistration(["mediation": "conditional"])
            #expect(
                try await ada.finishRegistration(start.ceremony, try ada.authenticator.create(start.options)).status
                    == .created
            )
            let browser = ada.elsewhere()
            #expect(try await browser.signIn().status.code >= 400)
            browser.authenticator.behaviour.isUserPresent = true
            #expect(try await browser.signIn().status.code >= 400)
            browser.authenticator.behaviour.isUserVerified = true
            #expect(try await browser.signIn().status == .ok)
        }
    }
}
