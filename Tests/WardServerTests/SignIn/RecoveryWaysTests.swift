import Foundation
import HTTPTypes
import Testing
import WardAccounts
import WardServer
import WardTesting
import WardText
import WardWebAuthn

@Suite struct `What a recovery link needs beside itself` {
    private static func link(
        _ source: RecoveryLink.Source,
        needsProof: Bool = true,
        proofs: [RecoveryProof] = [],
        wait: RecoveryLink.Wait = .none
    ) -> RecoveryLink {
        RecoveryLink(
            accountID: .random(using: TestEffects().randomBytes),
            source: source,
            tokenHash: [],
            createdAt: 0,
            expiresAt: 10_000,
            needsProof: needsProof,
            proofs: proofs.map(\.rawValue),
            wait: wait
        )
    }

    private static let everyProof = Set(RecoveryProof.allCases)

    @Test func `a mailbox replaces a password that was all the account had, and nothing more`() {
        let mail = Self.link(.mail)
        for (hasPasskey, proofs, verdict) in [
            (false, [], .open), (false, [.password], .open),
            (false, [.password, .authenticatorApp], .ask([.password, .authenticatorApp])),
            (true, [.password], .ask([])), (true, [], .ask([])),
            (true, [.password, .authenticatorApp, .recoveryCode], .ask([.recoveryCode])),
        ] as [(Bool, Set<RecoveryProof>, RecoveryVerdict)] {
            #expect(RecoveryVerdict(mail, RecoveryTerms(hasPasskey: hasPasskey, proofs: proofs), at: 5) == verdict)
        }
    }

    @Test func `a passkey is replaced by a recovery code or a wait, never by what can be phished`() {
        let terms = RecoveryTerms(hasPasskey: true, proofs: Self.everyProof)
        for source in [RecoveryLink.Source.mail, .session] {
            for proof in RecoveryProof.allCases {
                let isEnough = proof == .recoveryCode
                let verdict = RecoveryVerdict(Self.link(source, proofs: [proof]), terms, at: 5)
                #expect((verdict == .open) == isEnough, "\(source) \(proof)")
            }
            let both = RecoveryVerdict(Self.link(source, proofs: [.password, .authenticatorApp]), terms, at: 5)
            #expect(both == .ask([.recoveryCode]))
            #expect(RecoveryVerdict(Self.link(source, wait: .afterNotice), terms, at: 5) == .notice)
            #expect(RecoveryVerdict(Self.link(source, wait: .until(6)), terms, at: 5) == .wait(until: 6))
            #expect(RecoveryVerdict(Self.link(source, wait: .until(5)), terms, at: 5) == .open)
        }
    }

    @Test func `an operator's link needs one proof, unless it was made without`() {
        let terms = RecoveryTerms(hasPasskey: true, proofs: [.password])
        #expect(RecoveryVerdict(Self.link(.operator), terms, at: 5) == .ask([.password]))
        #expect(RecoveryVerdict(Self.link(.operator, proofs: [.password]), terms, at: 5) == .open)
        #expect(RecoveryVerdict(Self.link(.operator, needsProof: false), terms, at: 5) == .open)
        let bare = RecoveryTerms(hasPasskey: true, proofs: [])
        #expect(RecoveryVerdict(Self.link(.operator), bare, at: 5) == .ask([]))
        #expect(
            RecoveryVerdict(Self.link(.operator, proofs: ["x"].compactMap(RecoveryProof.init)), bare, at: 5) == .ask([])
        )
    }
}

@Suite struct `The ways back into an account` {
    /// The token of the newest mailed recovery link.
    private static func token(_ messages: [String]) throws -> String {
        let tokens = messages.flatMap { message in
            message.replacing("=\r\n", with: "").replacing("=3D", with: "=").matches(
                of: /#recovery=([A-Za-z0-9_-]{43})/
            ).map { String($0.output.1) }
        }
        return try #require(tokens.first)
    }

    /// Somebody with a new device and a link.
    private static func recover(_ visitor: Visitor, _ token: String) async throws -> Answer {
        let answer = try await visitor.post("registration/options", ["recovery": .string(token)])
        guard answer.status == .ok, let ceremony = answer["ceremony"]?.stringValue, let options = answer["publicKey"]
        else { return answer }
        let made = try visitor.authenticator.create(try .init(json: options.serialized))
        return try await visitor.finishRegistration(ceremony, made)
    }

    private static func body(_ token: String, _ method: String, _ code: JSONValue) -> JSONValue {
        ["token": .string(token), "method": .string(method), "code": code]
    }

    @Test func `a mailed link opens an account with a passkey after the notice and the wait`() async throws {
        try await MailFixture.with { mail in
            let world = mail.world
            let ada = try await mail.member()
            let lost = world.visitor()
            #expect(try await lost.post("recovery", ["username": "ADA"]).status == .accepted)
            let token = try Self.token(try await mail.sent())
            let state = try await lost.post("recovery/state", ["token": .string(token)])
            #expect(state["state"] == "ask" && state["next"] == [] && state["source"] == "mail")
            #expect(try await Self.recover(lost, token).refusal == "403 recovery_not_open")
            #expect(try await lost.post("recovery/wait", ["token": .string(token)])["state"] == "wait")
            #expect(try await ada.get("account")["recoveries"]?.arrayValue?.count == 1)
            _ = try await mail.sent()
            let waiting = try await lost.post("recovery/state", ["token": .string(token)])
            #expect(waiting["state"] == "wait" && waiting["opensAt"]?.stringValue != nil)
            #expect(try await lost.post("recovery/wait", ["token": .string(token)]).refusal == "409 step_not_allowed")
            world.effects.advance(by: 3 * 86_400 - 1)
            #expect(try await Self.recover(lost, token).refusal == "403 recovery_not_open")
            world.effects.advance(by: 1)
            #expect(try await Self.recover(lost, token).status == .created)
            let (isIn, wasIn) = (try await lost.isSignedIn(), try await ada.isSignedIn())
            #expect(isIn && !wasIn, "all sessions from before end")
            #expect(try await Self.recover(lost.elsewhere(), token).refusal == "403 recovery_link_not_valid")
        }
    }

    @Test func `the wait does not begin before the notice has left`() async throws {
        let store = MemoryAccountStore()
        try await withService(store: store) { world in
            let ada = world.visitor()
            try await ada.register("ada")
            let account = try #require(try await store.read { try $0.account(username: "ada") })
            let token = LinkToken.random(using: world.effects.randomBytes)
            let now = world.effects.now
            let link = RecoveryLink(
                accountID: account.id,
                source: .mail,
                tokenHash: token.hash,
                createdAt: now,
                expiresAt: now + 40 * 86_400,
                needsProof: true,
                wait: .afterNotice
            )
            try await store.write { try $0.setRecoveryLink(link) }
            world.effects.advance(by: 30 * 86_400)
            #expect(try await Self.recover(world.visitor(), token.text).refusal == "403 recovery_not_open")
        }
    }

    @Test func `any session stops it, and so does the link in the notice; no link is mailed for a day then`()
        async throws
    {
        try await MailFixture.with { mail in
            let world = mail.world
            let ada = try await mail.member()
            let thief = world.visitor()
            _ = try await thief.post("recovery", ["username": "ada"])
            let token = try Self.token(try await mail.sent())
            _ = try await thief.post("recovery/wait", ["token": .string(token)])
            _ = try await mail.sent()
            world.effects.advance(by: 86_400)
            #expect(try await world.visitor().delete("account/recovery").refusal == "401 not_signed_in")
            #expect(try await ada.delete("account/recovery").status == .noContent)
            #expect(try await ada.delete("account/recovery").refusal == "404 not_found")
            world.effects.advance(by: 3 * 86_400 - 86_400 - 10)
            #expect(try await Self.recover(thief, token).refusal == "403 recovery_link_not_valid")
            let before = try await mail.sent().count
            let events = try await ada.get("account/activity")["activity"]?.arrayValue?.compactMap {
                $0["event"]?.stringValue
            }
            #expect(events?.contains("recovery_waiting") == true && events?.contains("recovery_stopped") == true)
            // Another try later goes to the notice's own link.
            world.effects.advance(by: 86_400)
            _ = try await thief.post("recovery", ["username": "ada"])
            #expect(try await mail.sent().count == before + 1)
            let account = try await mail.account()
            let link = try #require(try await mail.store.read { try $0.recoveryLinks(of: account.id).first })
            try await mail.store.write { tx in
                var waiting = link
                waiting.wait = .until(world.effects.now + 100)
                try tx.setRecoveryLink(waiting)
            }
            let alarm = try await mail.link(.alarm, to: "ada@example.com", of: account)
            #expect(try await world.visitor().post("email/alarm", alarm).status == .noContent)
            #expect(try await mail.store.read { try $0.recoveryLinks(of: account.id) } == [])
            _ = try await thief.post("recovery", ["username": "ada"])
            #expect(try await mail.sent().count == before + 1, "no link for a day")
        }
    }

    @Test func `a recovery code beside the link opens it at once, a password does not`() async throws {
        try await MailFixture.with { mail in
            let world = mail.world
            let ada = try await mail.member()
            #expect(try await ada.put("account/password", ["password": .string(Visitor.password)]).status == .noContent)
            let codes = try await ada.post("account/recovery-codes")["codes"]?.arrayValue ?? []
            let lost = world.visitor()
            _ = try await lost.post("recovery", ["username": "ada"])
            let token = try Self.token(try await mail.sent())
            let state = try await lost.post("recovery/state", ["token": .string(token)])
            #expect(state["next"] == [["method": "recovery_code"]])
            let password = Self.body(token, "password", .string(Visitor.password))
            #expect(try await lost.post("recovery/proof", password).refusal == "409 step_not_allowed")
            #expect(
                try await lost.post("recovery/proof", Self.body(token, "recovery_code", "aaaa")).refusal
                    == "401 code_wrong"
            )
            #expect(
                try await lost.post("recovery/proof", Self.body(token, "recovery_code", codes[3]))["state"] == "open"
            )
            #expect(try await Self.recover(lost, token).status == .created)
        }
    }

    @Test func `wrong proofs wait, and right ones wait with them`() async throws {
        try await MailFixture.with { mail in
            let ada = try await mail.member()
            let codes = try await ada.post("account/recovery-codes")["codes"]?.arrayValue ?? []
            let thief = mail.world.visitor()
            _ = try await thief.post("recovery", ["username": "ada"])
            let token = try Self.token(try await mail.sent())
            for _ in 0..<5 {
                #expect(
                    try await thief.post("recovery/proof", Self.body(token, "recovery_code", "x")).refusal
                        == "401 code_wrong"
                )
            }
            let right = Self.body(token, "recovery_code", codes[0])
            #expect(try await thief.post("recovery/proof", right).refusal == "429 too_many_attempts")
            mail.world.effects.advance(by: 16 * 60)
            #expect(try await thief.post("recovery/proof", right)["state"] == "open")
        }
    }

    @Test func `an operator's link needs one proof of the account`() async throws {
        let store = MemoryAccountStore()
        try await withService(store: store) { world in
            let ada = world.visitor()
            try await ada.create("ada")
            try await ada.register()
            let account = try #require(try await store.read { try $0.account(username: "ada") })
            let actions = OperatorActions(effects: world.effects.effects)
            let link = try await store.write {
                try await actions.makeRecoveryLink(for: account.id, needsProof: true, in: $0)
            }
            let token = link.token.text
            let lost = world.visitor()
            #expect(try await Self.recover(lost, token).refusal == "403 recovery_not_open")
            let wrong = Self.body(token, "password", "wrong teapot 41 lanterns")
            #expect(try await lost.post("recovery/proof", wrong).refusal == "401 code_wrong")
            #expect(try await Self.recover(lost, token).refusal == "403 recovery_not_open")
            let right = Self.body(token, "password", .string(Visitor.password))
            #expect(try await lost.post("recovery/proof", right)["state"] == "open")
            #expect(try await Self.recover(lost, token).status == .created)
            let other = try await store.write {
                try await actions.makeRecoveryLink(for: account.id, needsProof: false, in: $0)
            }
            #expect(try await Self.recover(world.visitor(), other.token.text).status == .created)
        }
    }

    @Test func `a password and a recovery code are two proofs where no mail is sent`() async throws {
        try await withService { world in
            let ada = world.visitor()
            try await ada.create("ada")
            let codes = try await ada.post("account/recovery-codes")["codes"]?.arrayValue ?? []
            try await ada.register()
            #expect(try await world.visitor().post("recovery", ["username": "ada"]).refusal == "403 mail_disabled")
            #expect(try await world.visitor().post("account/recovery").refusal == "401 not_signed_in")
            let elsewhere = ada.elsewhere()
            try await elsewhere.signIn()
            #expect(try await elsewhere.post("account/recovery").refusal == "403 password_sign_in_required")
            let lost = world.visitor()
            try await lost.signIn("ada", password: Visitor.password)
            world.effects.advance(by: 301)
            #expect(try await lost.post("account/recovery").refusal == "403 password_sign_in_required")
            try await lost.signIn("ada", password: Visitor.password)
            let begun = try await lost.post("account/recovery")
            #expect(begun.status == .created && begun["next"] == [["method": "recovery_code"]])
            let token = try #require(begun["token"]?.stringValue)
            #expect(try await Self.recover(lost, token).refusal == "403 recovery_not_open")
            // A thief of the password gets no further by waiting.
            #expect(try await lost.post("recovery/wait", ["token": .string(token)]).refusal == "409 step_not_allowed")
            #expect(
                try await lost.post("recovery/proof", Self.body(token, "recovery_code", codes[0]))["state"] == "open"
            )
            #expect(try await Self.recover(lost, token).status == .created)
            #expect(try await !ada.isSignedIn())
        }
    }

    @Test func `requests of strangers do not keep the owner's link away for longer than the limit says`() async throws {
        try await MailFixture.with { mail in
            _ = try await mail.member()
            let stranger = mail.world.visitor()
            for _ in 0..<100 {
                #expect(try await stranger.post("recovery", ["username": "ada"]).status == .accepted)
            }
            #expect(try await mail.sent().count == 3)
            mail.world.effects.advance(by: 86_400 / 3 + 1)
            _ = try await mail.world.visitor().post("recovery", ["username": "ada"])
            #expect(try await mail.sent().count == 4)
        }
    }

    @Test func `a name that nobody has is answered in the same way, and the same work is done`() async throws {
        let store = CountingStore(MemoryAccountStore())
        var configuration = ServerConfiguration()
        let folder = FileManager.default.temporaryDirectory.appending(path: "ward-mail-\(UUID())")
        configuration.mail = MailSettings(route: "folder:\(folder.path)", sender: "ward@login.example")
        try await withService(configuration, store: store) { world in
            try await world.visitor().register("ada")
            try await world.visitor().register("bob")
            let bob = try #require(try await store.read { try await $0.account(username: "bob") })
            let address = try EmailAddress("bob@example.com")
            let email = AccountEmail(
                accountID: bob.id,
                confirmed: .init(address, at: world.effects.now),
                language: "en"
            )
            try await store.write { try await $0.setEmail(email) }
            var seen: [[String: Int]] = []
            for name in ["bob", "ada", "nobody", "a b", ""] {
                store.reset()
                let answer = try await world.visitor().post("recovery", ["username": .string(name)])
                #expect(answer.status == .accepted && answer.body.isEmpty)
                // One row is written in each case; the sender's own calls come at any time.
                var counts = store.counts.filter {
                    !["dueMail(by:at:)", "mailCount(by:)", "read", "write"].contains($0.key)
                }
                #expect((counts["insert(_:)"] ?? 0) + (counts["insertUse(_:until:)"] ?? 0) >= 1, "\(name)")
                for key in [
                    "insert(_:)", "insertUse(_:until:)", "setRecoveryLink(_:)", "deleteMail(id:)",
                    "postponeMail(id:attempts:until:)",
                    "recoveryLinks(of:)", "email(of:)",
                ] { counts[key] = nil }
                seen.append(counts)
            }
            #expect(Set(seen).count == 1, "\(seen)")
        }
        try? FileManager.default.removeItem(at: folder)
    }
}
