import HTTPTypes
import Testing
import WardAccounts
import WardServer
import WardTesting
import WardText

@Suite struct `The approval of a helper` {
    @Test func `opens an account beside the mailed link, once, and everybody is told`() async throws {
        try await HelperFixture.with { it in
            let token = try await it.link()
            let before = try await it.state(token)
            #expect(before["state"] == "ask" && before["helpers"]?["state"] == "available")
            #expect(try await it.recover(token).refusal == "403 recovery_not_open")
            let code = try await it.code(token)
            #expect(try await it.recover(token).refusal == "403 recovery_not_open", "asking proves nothing")
            let asking = try await it.ada.get("account")["recoveries"]?.arrayValue?.first
            #expect(asking?["asksHelpers"] == true)
            let listed = try await it.bob.get("account/helping")["helping"]?.arrayValue?.first
            #expect(listed?["username"] == "ada" && listed?["recovery"]?["askedAt"]?.stringValue != nil)
            let spaced = "\(code.prefix(3)) \(code.suffix(3))"
            #expect(try await it.approve(spaced).status == .noContent)
            #expect(try await it.approve(code).refusal == "409 help_not_asked", "a code works once")
            #expect(try await it.state(token)["state"] == "open")
            #expect(
                try await it.lost.post("recovery/helpers", ["token": .string(token)]).refusal == "409 step_not_allowed"
            )
            #expect(try await it.recover(token).status == .created)
            #expect(try await it.lost.isSignedIn())
            #expect(try await !it.ada.isSignedIn())
            let account = try await it.mail.account()
            let left = try await it.mail.store.read { try $0.helpRequest(of: account.id) }
            #expect(left == nil)

            let kinds = Set(try await HelperFixture.events(it.lost).compactMap { $0["event"]?.stringValue })
            #expect(kinds.isSuperset(of: ["helper_named", "helper_accepted", "helpers_asked", "helper_approved"]))
            let ofBob = try await HelperFixture.events(it.bob)
            let approval = try #require(ofBob.first { $0["event"] == "helper_approved" })
            #expect(approval["session"]?.stringValue != nil)
            let ofAda = try await HelperFixture.events(it.lost).first { $0["event"] == "helper_approved" }
            #expect(ofAda?["session"] == .null, "the owner does not see the helper's session")
            let subjects = try await it.mail.sent().joined()
            for subject in [
                "Somebody wants you as a helper", "Helper named for your account", "Helper accepted for your account",
                "Somebody asks the helpers of your account", "A helper approved the recovery",
            ] { #expect(subjects.contains("Subject: \(subject)"), "\(subject)") }
        }
    }

    @Test func `needs a passkey that verified the helper moments ago`() async throws {
        try await HelperFixture.with { it in
            let token = try await it.link()
            let code = try await it.code(token)
            let password: JSONValue = ["password": .string(Visitor.password)]
            #expect(try await it.bob.put("account/password", password).status == .noContent)
            // The browser keeps the proof of the passkey, but the last sign-in was with the password.
            #expect(try await it.bob.signIn("bob", password: Visitor.password).status == .ok)
            #expect(try await it.approve(code).refusal == "403 passkey_sign_in_required")
            it.bob.authenticator.behaviour.isUserVerified = false
            #expect(try await it.bob.signIn().status == .ok)
            #expect(try await it.approve(code).refusal == "403 passkey_sign_in_required")
            it.bob.authenticator.behaviour.isUserVerified = true
            #expect(try await it.bob.signIn().status == .ok)
            it.world.effects.advance(by: 301)
            #expect(try await it.approve(code).refusal == "403 passkey_sign_in_required")
            #expect(try await it.bob.signIn().status == .ok)
            #expect(try await it.approve(code, by: it.world.visitor()).refusal == "401 not_signed_in")
            #expect(try await it.approve(code).status == .noContent)
        }
    }

    @Test func `is one person's: nobody else can give it, and no code of another account`() async throws {
        try await HelperFixture.with { it in
            let token = try await it.link()
            let code = try await it.code(token)
            let eve = it.world.visitor()
            try await eve.register("eve")
            #expect(try await it.approve(code, by: eve).refusal == "404 not_found")
            try await it.ada.signIn()
            #expect(try await it.approve(code, by: it.ada).refusal == "404 not_found", "the owner is no helper")
            #expect(try await it.state(token)["state"] == "ask")
        }
    }

    @Test func `takes five codes, and then the person must ask again`() async throws {
        try await HelperFixture.with { it in
            let token = try await it.link()
            let code = try await it.code(token)
            let wrong = code == "000000" ? "000001" : "000000"
            for typed in [wrong, "", "12345", "1234567", "abcdef"] {
                #expect(try await it.approve(typed).refusal == "422 help_code_wrong", "\(typed)")
            }
            #expect(try await it.approve(code).refusal == "429 too_many_attempts", "the helper's own limit")
            it.world.effects.advance(by: 16 * 60)
            try await it.bob.signIn()
            #expect(try await it.approve(code).refusal == "409 help_not_asked", "the limit of the request")
            #expect(try await it.state(token)["helpers"]?["state"] == "available")
            let next = try await it.code(token)
            #expect(try await it.approve(next).status == .noContent)
        }
    }

    @Test func `ends with its time, and a newer code ends an older one`() async throws {
        try await HelperFixture.with { it in
            let token = try await it.link()
            let first = try await it.code(token)
            it.world.effects.advance(by: HelperRules.codeLifetime)
            try await it.bob.signIn()
            #expect(try await it.approve(first).refusal == "409 help_not_asked")
            let second = try await it.code(token)
            let third = try await it.code(token)
            if second != third { #expect(try await it.approve(second).refusal == "422 help_code_wrong") }
            #expect(try await it.approve(third).status == .noContent)
        }
    }

    @Test func `waits for the notice to the owner`() async throws {
        try await HelperFixture.with { it in
            let token = try await it.link()
            let code = try await it.code(token)
            let account = try await it.mail.account()
            let request = try #require(try await it.mail.store.read { try $0.helpRequest(of: account.id) })
            #expect(request.toldAt != nil, "the sender notes that the notice has left")
            var untold = request
            untold.toldAt = nil
            let changed = untold
            try await it.mail.store.write { try $0.setHelpRequest(changed) }
            #expect(try await it.approve(code).refusal == "409 help_not_asked")
            let listed = try await it.bob.get("account/helping")["helping"]?.arrayValue?.first
            #expect(listed?["recovery"] == .null)
            try await it.mail.store.write { try $0.setHelpRequest(request) }
            #expect(try await it.approve(code).status == .noContent)
        }
    }

    @Test func `is bound to one link: neither the code nor the approval counts for the next`() async throws {
        try await HelperFixture.with { it in
            let first = try await it.link()
            let code = try await it.code(first)
            let second = try await it.link(besides: [first])
            #expect(try await it.approve(code).refusal == "409 help_not_asked")
            let other = try await it.code(second)
            #expect(try await it.approve(other).status == .noContent)
            let third = try await it.link(besides: [first, second])
            #expect(try await it.state(third)["state"] == "ask")
            #expect(try await it.recover(third).refusal == "403 recovery_not_open")
            #expect(try await it.recover(second).refusal == "403 recovery_link_not_valid")
        }
    }

    @Test func `ends when the owner stops the recovery`() async throws {
        try await HelperFixture.with { it in
            let token = try await it.link()
            let code = try await it.code(token)
            #expect(try await it.ada.delete("account/recovery").status == .noContent)
            #expect(try await it.approve(code).refusal == "409 help_not_asked")
            #expect(try await it.recover(token).refusal == "403 recovery_link_not_valid")
        }
    }

    enum End: CaseIterable, Sendable { case owner, helper, disabled, deleted }

    @Test(arguments: End.allCases)
    func `counts while the person is a helper whose account is open`(end: End) async throws {
        try await HelperFixture.with { it in
            let token = try await it.link()
            #expect(try await it.approve(try await it.code(token)).status == .noContent)
            #expect(try await it.state(token)["state"] == "open")
            let (bob, now) = (try await it.mail.account("bob"), it.world.effects.now)
            switch end {
            case .owner:
                try await it.ada.signIn()
                #expect(try await it.ada.delete("account/helpers/\(it.id)").status == .noContent)
            case .helper: #expect(try await it.bob.delete("account/helping/\(it.id)").status == .noContent)
            case .disabled: try await it.mail.store.write { _ = try await $0.disableAccount(id: bob.id, at: now) }
            case .deleted: try await it.mail.store.write { _ = try $0.deleteAccount(id: bob.id) }
            }
            let after = try await it.state(token)
            #expect(after["state"] == "ask" && after["helpers"] == .null)
            #expect(try await it.recover(token).refusal == "403 recovery_not_open")
        }
    }

    @Test func `is no proof beside a link of an operator`() async throws {
        try await HelperFixture.with { it in
            let account = try await it.mail.account()
            let actions = OperatorActions(effects: it.world.effects.effects)
            let link = try await it.mail.store.write {
                try await actions.makeRecoveryLink(for: account.id, needsProof: true, in: $0)
            }
            let token = link.token.text
            #expect(try await it.state(token)["helpers"] == .null)
            let ask = try await it.lost.post("recovery/helpers", ["token": .string(token)])
            #expect(ask.refusal == "409 step_not_allowed")
        }
    }

    @Test func `can be asked for while the wait runs, and five times a day`() async throws {
        try await HelperFixture.with { it in
            let token = try await it.link()
            #expect(try await it.lost.post("recovery/wait", ["token": .string(token)])["state"] == "wait")
            for _ in 0..<5 { _ = try await it.code(token) }
            let ask = try await it.lost.post("recovery/helpers", ["token": .string(token)])
            #expect(ask.refusal == "429 too_many_requests")
            it.world.effects.advance(by: 86_400)
            try await it.bob.signIn()
            let code = try await it.code(token)
            #expect(try await it.approve(code).status == .noContent)
            #expect(try await it.recover(token).status == .created)
        }
    }
}
