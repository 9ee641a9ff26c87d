import HTTPTypes
import Testing
import WardAccounts
import WardCOSE
import WardTesting
import WardText
import WardWebAuthn

@Suite struct `The change-over to a post-quantum passkey` {
    @Test func `gives a person another passkey without a prompt, and retires the old one when the new one signs in`()
        async throws
    {
        try await ChangeOverFixture.with { fixture in
            let ada = try await fixture.member()
            let old = try #require(try await ada.passkeys().first)
            #expect(try await ada.signIn()["canUpgrade"] == true)
            #expect(try await fixture.change(ada).status == .created)
            let both = try await ada.passkeys()
            #expect(both.count == 2 && both.first == old)
            let new = try #require(both.last)

            // Until the new one signs in, the old one does.
            let elsewhere = ada.elsewhere()
            let again = try await fixture.signIn(elsewhere, with: old)
            #expect(again.status == .ok)
            #expect(try await ada.passkeys() == both)
            #expect(try await fixture.events().allSatisfy { $0.kind != .passkeyReplaced })

            let after = try await fixture.signIn(ada, with: new)
            #expect(after.status == .ok)
            #expect(after["canUpgrade"] == false)
            #expect(after["allAcceptedCredentialIds"] == .array([.string(new)]), "the manager hides the old one")
            #expect(try await ada.passkeys() == [new])
            let event = try #require(try await fixture.events().last { $0.kind == .passkeyReplaced })
            #expect(event.credential?.base64URL == old)
            #expect(try await fixture.events().count { $0.kind == .passkeyReplaced } == 1)
            let isOpen = try await elsewhere.isSignedIn()
            #expect(!isOpen, "as after a deletion, the old passkey's sessions end")
            #expect(try await fixture.signIn(elsewhere, with: old).refusal == "401 passkey_deleted")
            #expect(try await fixture.signIn(elsewhere, with: new).status == .ok)
        }
    }

    @Test func `offers only better algorithms, and leaves out of the excluded passkeys only the session's own`()
        async throws
    {
        try await ChangeOverFixture.with("ML-DSA-87,ML-DSA-65,ES256,EdDSA") { fixture in
            let ada = try await fixture.member()
            let own = try #require(try await ada.passkeys().first)
            let phone = fixture.world.visitor()
            phone.cookie = ada.cookie
            #expect(try await phone.register().status == .created)
            let start = try await ada.beginRegistration(ChangeOverFixture.silent)
            #expect(start.options.pubKeyCredParams.map(\.alg) == [.mlDSA87, .mlDSA65])
            let excluded = start.options.excludeCredentials.map(\.id.base64URL)
            let all = try await ada.passkeys()
            #expect(all.count == 2)
            #expect(excluded == all.filter { $0 != own })
            #expect(start.options.authenticatorSelection?.userVerification != .required)
            // The list decides the order of an ordinary registration.
            let ordinary = try await ada.beginRegistration([:])
            #expect(ordinary.options.pubKeyCredParams.map(\.alg) == [.mlDSA87, .mlDSA65, .es256, .edDSA])
            #expect(ordinary.options.excludeCredentials.count == 2)
        }
    }

    @Test func `takes no other algorithm than it offered`() async throws {
        try await ChangeOverFixture.with { fixture in
            let ada = try await fixture.member()
            var start = try await ada.beginRegistration(ChangeOverFixture.silent)
            start.options.pubKeyCredParams = [.init(.es256)]
            #expect(try await fixture.finish(ada, start).status == .badRequest)
            #expect(try await ada.passkeys().count == 1)
        }
    }

    @Test func `needs a sign-in of the last five minutes, at the beginning and at the end`() async throws {
        try await ChangeOverFixture.with { fixture in
            let ada = try await fixture.member()
            fixture.world.effects.advance(by: 300)
            let start = try await ada.beginRegistration(ChangeOverFixture.silent)
            fixture.world.effects.advance(by: 1)
            #expect(
                try await ada.post("registration/options", ChangeOverFixture.silent).refusal
                    == "403 passkey_sign_in_required"
            )
            #expect(try await fixture.finish(ada, start).refusal == "403 passkey_sign_in_required")
            #expect(try await ada.passkeys().count == 1)
        }
    }

    @Test func `needs a session that a passkey opened, and one that is not the best already`() async throws {
        try await ChangeOverFixture.with { fixture in
            let ada = try await fixture.member()
            #expect(
                try await ada.put("account/password", ["password": .string(Visitor.password)]).status == .noContent
            )
            // The browser keeps the proof of the passkey, but a password opened the session: it is the other door.
            try await ada.signIn("ada", password: Visitor.password)
            let upgrade = try await ada.beginRegistration(ChangeOverFixture.silent)
            #expect(upgrade.options.pubKeyCredParams.map(\.alg) == [.mlDSA65, .es256, .rs256])
            #expect(upgrade.options.excludeCredentials.count == 1)
            let thief = fixture.world.visitor()
            try await thief.signIn("ada", password: Visitor.password)
            #expect(
                try await thief.post("registration/options", ChangeOverFixture.silent).refusal
                    == "403 passkey_sign_in_required"
            )

            let bob = fixture.world.visitor()
            bob.authenticator.behaviour.algorithms = [.mlDSA65]
            try await bob.register("bob")
            #expect(try await bob.signIn()["canUpgrade"] == false)
            #expect(
                try await bob.post("registration/options", ChangeOverFixture.silent).refusal
                    == "403 password_sign_in_required"
            )
        }
    }

    @Test func `an upgrade after a password succeeds nothing`() async throws {
        try await ChangeOverFixture.with { fixture in
            let ada = try await fixture.member()
            try await ada.put("account/password", ["password": .string(Visitor.password)])
            try await ada.signIn("ada", password: Visitor.password)
            let start = try await ada.beginRegistration(ChangeOverFixture.silent)
            let desk = fixture.world.visitor()
            desk.cookie = ada.cookie
            desk.authenticator.behaviour = ada.authenticator.behaviour
            #expect(try await fixture.finish(desk, start).status == .created)
            desk.cookie = nil
            #expect(try await desk.signIn().status == .ok)
            #expect(try await desk.passkeys().count == 2)
        }
    }

    @Test func `ends in a session of the passkey it began with`() async throws {
        try await ChangeOverFixture.with { fixture in
            let ada = try await fixture.member()
            let start = try await ada.beginRegistration(ChangeOverFixture.silent)
            // Another passkey of the same account signs in meanwhile.
            let phone = fixture.world.visitor()
            phone.authenticator.behaviour.algorithms = [.es256]
            phone.cookie = ada.cookie
            #expect(try await phone.register().status == .created)
            phone.cookie = nil
            try await phone.signIn()
            let own = ada.cookie
            ada.cookie = phone.cookie
            #expect(try await fixture.finish(ada, start).refusal == "401 not_signed_in")

            // And the session of another account.
            ada.cookie = own
            let other = try await ada.beginRegistration(ChangeOverFixture.silent)
            let eve = try await fixture.member("eve")
            ada.cookie = eve.cookie
            #expect(try await fixture.finish(ada, other).refusal == "401 not_signed_in")
            ada.cookie = own
            #expect(try await ada.passkeys().count == 2)
            #expect(try await eve.passkeys().count == 1)
        }
    }

    @Test func `a sign-in that verified nobody retires nothing, and the next one with verification does`() async throws
    {
        try await ChangeOverFixture.with { fixture in
            let ada = try await fixture.member()
            try await fixture.change(ada)
            let new = try #require(try await ada.passkeys().last)
            ada.authenticator.behaviour.isUserVerified = false
            #expect(try await fixture.signIn(ada, with: new).status == .ok)
            #expect(try await ada.passkeys().count == 2)
            ada.authenticator.behaviour.isUserVerified = true
            #expect(try await fixture.signIn(ada, with: new).status == .ok)
            #expect(try await ada.passkeys() == [new])
        }
    }

    @Test func `a passkey that nobody verified and that stays on its device is not taken`() async throws {
        try await ChangeOverFixture.with { fixture in
            let ada = try await fixture.member()
            let answer = try await fixture.change(ada) {
                $0.behaviour.isBackupEligible = false
                $0.behaviour.isBackedUp = false
            }
            #expect(answer.refusal == "400 user_not_verified")
            #expect(try await ada.passkeys().count == 1)
        }
    }

    struct Difference: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let change: @Sendable (inout VirtualAuthenticator) -> Void

        static let all = [
            Self(testDescription: "another model") { $0.behaviour.aaguid = AAGUID([UInt8](2...17)) ?? .zero },
            Self(testDescription: "no model") { $0.behaviour.aaguid = .zero },
            Self(testDescription: "another backup eligibility") {
                $0.behaviour.isBackupEligible = false
                $0.behaviour.isBackedUp = false
                $0.behaviour.isUserVerified = true
            },
        ]
    }

    @Test(arguments: Difference.all)
    func `a passkey on another kind of authenticator is simply a further one`(difference: Difference) async throws {
        try await ChangeOverFixture.with { fixture in
            let ada = try await fixture.member()
            let old = try #require(try await ada.passkeys().first)
            #expect(try await fixture.change(ada, spoil: difference.change).status == .created)
            let new = try #require(try await ada.passkeys().last)
            difference.change(&ada.authenticator)
            for _ in 0..<2 { #expect(try await fixture.signIn(ada, with: new).status == .ok) }
            #expect(try await ada.passkeys() == [old, new])
            #expect(try await fixture.events().allSatisfy { $0.kind != .passkeyReplaced })
        }
    }

    @Test func `if the new passkey is deleted first, the old one stays`() async throws {
        try await ChangeOverFixture.with { fixture in
            let ada = try await fixture.member()
            let old = try #require(try await ada.passkeys().first)
            try await fixture.change(ada)
            let new = try #require(try await ada.passkeys().last)
            #expect(try await ada.delete("account/passkeys/\(new)").status == .noContent)
            #expect(try await fixture.signIn(ada, with: new).refusal == "401 passkey_deleted")
            #expect(try await fixture.signIn(ada, with: old).status == .ok)
            #expect(try await ada.passkeys() == [old])
        }
    }

    @Test func `if the old passkey is deleted first, the new one only signs in`() async throws {
        try await ChangeOverFixture.with { fixture in
            let ada = try await fixture.member()
            let old = try #require(try await ada.passkeys().first)
            try await fixture.change(ada)
            let new = try #require(try await ada.passkeys().last)
            #expect(try await ada.delete("account/passkeys/\(old)").status == .noContent)
            #expect(try await fixture.signIn(ada, with: new).status == .ok)
            #expect(try await ada.passkeys() == [new])
            #expect(try await fixture.events().allSatisfy { $0.kind != .passkeyReplaced })
        }
    }

    @Test func `retires only the passkey of the session, not others of the account`() async throws {
        try await ChangeOverFixture.with { fixture in
            let ada = try await fixture.member()
            let old = try #require(try await ada.passkeys().first)
            let phone = fixture.world.visitor()
            phone.authenticator.behaviour = ada.authenticator.behaviour
            phone.authenticator.behaviour.algorithms = [.es256]
            phone.cookie = ada.cookie
            #expect(try await phone.register().status == .created)
            fixture.world.effects.advance(by: 1)
            try await fixture.change(ada)
            let all = try await ada.passkeys()
            let new = try #require(all.last)
            #expect(try await fixture.signIn(ada, with: new).status == .ok)
            #expect(try await ada.passkeys() == all.filter { $0 != old })
            #expect(try await phone.elsewhere().signIn().status == .ok)
        }
    }

    @Test func `the successor takes over the name`() async throws {
        try await ChangeOverFixture.with { fixture in
            let ada = try await fixture.member()
            try await fixture.change(ada)
            let new = try #require(try await ada.passkeys().last)
            let after = try await fixture.signIn(ada, with: new)
            #expect(after["passkey", "name"] == "Passkey")
        }
    }

    @Test func `also works where each sign-in needs verification`() async throws {
        try await ChangeOverFixture.with("ML-DSA-65,ES256", .requiringVerification) { fixture in
            let ada = try await fixture.member()
            #expect(try await fixture.change(ada).status == .created)
            let new = try #require(try await ada.passkeys().last)
            #expect(try await fixture.signIn(ada, with: new).status == .ok)
            #expect(try await ada.passkeys() == [new])
        }
    }
}
