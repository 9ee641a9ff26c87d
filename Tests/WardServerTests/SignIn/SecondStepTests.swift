import Foundation
import HTTPTypes
import Testing
import WardAccounts
import WardServer
import WardTesting
import WardText

/// What a person's authenticator app shows.
struct CodeApp: Sendable {
    let secret: [UInt8]

    init(_ answer: Answer) throws {
        secret = try #require(answer["secret"]?.stringValue.flatMap { Base32.decode($0) })
    }

    /// The code at a time; the service's own arithmetic is compared with RFC 6238 elsewhere.
    func code(at now: Int64) -> JSONValue { .string(AuthenticatorApp.code(of: secret, step: now / 30)) }

    /// A code that no step around a time has.
    func wrongCode(at now: Int64) -> JSONValue {
        let step = now / 30
        let right = ((step - 2)...(step + 2)).map { AuthenticatorApp.code(of: secret, step: $0) }
        return .string((0..<6).map { "00000\($0)" }.first { !right.contains($0) } ?? "")
    }
}

extension Visitor {
    /// Sets an authenticator app up.
    func addApp(at world: ServiceFixture) async throws -> CodeApp {
        let app = try CodeApp(try await post("account/authenticator-app"))
        let answer = try await put("account/authenticator-app", ["code": app.code(at: world.effects.now)])
        guard answer.status == .noContent else { throw Unexpected(answer) }
        return app
    }

    /// Signs in with a password, and returns the token of the flow.
    func beginSteps(_ name: String = "ada") async throws -> String {
        let answer = try await signIn(name, password: Visitor.password)
        guard let flow = answer["flow"]?.stringValue else { throw Unexpected(answer) }
        return flow
    }

    func answer(_ flow: String, _ code: JSONValue, _ method: String = "authenticator_app") async throws -> Answer {
        try await post("sign-in/code", ["flow": .string(flow), "method": .string(method), "code": code])
    }
}

@Suite struct `A second step at sign-in` {
    @Test func `codes are those of RFC 6238`() {
        let secret = Array("12345678901234567890".utf8)
        for (time, code) in [
            (59, "287082"), (1_111_111_109, "081804"), (1_111_111_111, "050471"), (1_234_567_890, "005924"),
            (2_000_000_000, "279037"), (20_000_000_000, "353130"),
        ] as [(Int64, String)] {
            #expect(AuthenticatorApp.code(of: secret, step: time / 30) == code)
        }
    }

    @Test(arguments: TestedStore.allCases)
    func `an app is set up with a code, and asked for after the password`(store: TestedStore) async throws {
        try await store.run { world in
            let ada = world.visitor()
            try await ada.create("ada")
            let begun = try await ada.post("account/authenticator-app")
            #expect(begun.status == .created)
            let link = try #require(begun["link"]?.stringValue)
            #expect(link.hasPrefix("otpauth://totp/Ward:ada?secret="))
            #expect(begun["qr", "size"] != nil && begun["qr", "path"]?.stringValue?.hasPrefix("M0 0h7v1h-7z") == true)
            // Until a code was typed, the app counts for nothing.
            #expect(try await world.visitor().signIn("ada", password: Visitor.password)["flow"] == nil)
            let app = try CodeApp(begun)
            let now = world.effects.now
            let refused = try await ada.put("account/authenticator-app", ["code": app.wrongCode(at: now)])
            #expect(refused.refusal == "422 typed_code_wrong")
            #expect(try await ada.put("account/authenticator-app", ["code": app.code(at: now)]).status == .noContent)
            #expect(try await ada.get("account")["factors", "authenticatorApp", "addedAt"] != nil)

            let browser = world.visitor()
            let first = try await browser.signIn("ada", password: Visitor.password)
            #expect(first.status == .ok && first["account"] == nil && browser.cookie == nil)
            #expect(first["next"] == [["method": "authenticator_app"]])
            let flow = try #require(first["flow"]?.stringValue)
            #expect(try await browser.answer(flow, app.code(at: now)).refusal == "401 code_wrong", "used at the set-up")
            world.effects.advance(by: 30)
            let done = try await browser.answer(flow, app.code(at: world.effects.now))
            #expect(done.status == .ok && done["account", "username"] == "ada" && done["hasPasskey"] == false)
            let session = try await browser.get("account/sessions")["sessions"]?.arrayValue?.first {
                $0["current"] == true
            }
            #expect(session?["method"] == "password" && session?["secondFactor"] == "authenticator_app")
            #expect(try await browser.delete("account/authenticator-app").status == .noContent)
            #expect(try await world.visitor().signIn("ada", password: Visitor.password)["account"] != nil)
        }
    }

    @Test func `a code counts once, and none before it counts any more`() async throws {
        try await withService { world in
            let ada = world.visitor()
            try await ada.create("ada")
            let app = try await ada.addApp(at: world)
            world.effects.advance(by: 300)
            let now = world.effects.now
            // A clock that is half a minute ahead.
            let first = world.visitor()
            #expect(try await first.answer(try await first.beginSteps(), app.code(at: now + 30)).status == .ok)
            let second = world.visitor()
            let flow = try await second.beginSteps()
            for time in [now + 30, now, now - 30, now + 60] {
                #expect(try await second.answer(flow, app.code(at: time)).refusal == "401 code_wrong")
            }
            world.effects.advance(by: 31)
            #expect(try await second.answer(flow, app.code(at: now + 60)).status == .ok)
        }
    }

    @Test func `a flow is used once, ends with five wrong codes, with its time, and with the password that began it`()
        async throws
    {
        try await withService { world in
            let ada = world.visitor()
            try await ada.create("ada")
            let app = try await ada.addApp(at: world)
            world.effects.advance(by: 30)
            let browser = world.visitor()
            let used = try await browser.beginSteps()
            #expect(try await browser.answer(used, app.code(at: world.effects.now)).status == .ok)
            world.effects.advance(by: 30)
            let code = app.code(at: world.effects.now)
            for flow in [used, "", "x", String(used.reversed()), String(repeating: "A", count: 43)] {
                #expect(try await world.visitor().answer(flow, code).refusal == "403 flow_not_valid")
            }
            let guessed = try await browser.beginSteps()
            let wrong = app.wrongCode(at: world.effects.now)
            for _ in 1...4 { #expect(try await browser.answer(guessed, wrong).refusal == "401 code_wrong") }
            #expect(try await browser.answer(guessed, wrong).refusal == "403 flow_not_valid")
            #expect(try await browser.answer(guessed, code).refusal == "403 flow_not_valid")

            let old = try await world.visitor().beginSteps()
            let slow = try await world.visitor().beginSteps()
            #expect(
                try await ada.put("account/password", ["password": "another teapot 17 candles"]).status == .noContent
            )
            #expect(try await world.visitor().answer(old, code).refusal == "403 flow_not_valid")
            #expect(try await ada.put("account/password", ["password": .string(Visitor.password)]).status == .noContent)
            #expect(try await world.visitor().answer(slow, code).refusal == "403 flow_not_valid")
            let late = try await world.visitor().beginSteps()
            world.effects.advance(by: SignInFlow.lifetime)
            let newest = app.code(at: world.effects.now)
            #expect(try await world.visitor().answer(late, newest).refusal == "403 flow_not_valid")
        }
    }

    @Test func `steps that the flow does not ask for are refused, and codes of other accounts are wrong`() async throws
    {
        try await withService { world in
            let (ada, eve) = (world.visitor(), world.visitor())
            try await ada.create("ada")
            try await eve.create("eve")
            _ = try await ada.addApp(at: world)
            let eves = try await eve.addApp(at: world)
            let codes = try await eve.post("account/recovery-codes")["codes"]?.arrayValue ?? []
            #expect(codes.count == 10)
            world.effects.advance(by: 30)
            let flow = try await eve.beginSteps("eve")
            let adas = try await world.visitor().beginSteps()
            #expect(try await eve.answer(adas, eves.code(at: world.effects.now)).refusal == "401 code_wrong")
            #expect(
                try await eve.answer(adas, codes[0], "recovery_code").refusal == "409 step_not_allowed",
                "ada has none"
            )
            for method in ["mail_code", "text_code"] {
                #expect(try await eve.answer(flow, "123456", method).refusal == "409 step_not_allowed")
            }
            for method in ["passkey", "password", "sms", ""] {
                #expect(try await eve.answer(flow, "123456", method).refusal == "400 malformed_request")
            }
            let send: JSONValue = ["flow": .string(flow), "method": "mail_code"]
            #expect(try await eve.post("sign-in/send-code", send).refusal == "409 step_not_allowed")
            let last = try await eve.answer(flow, codes[0], "recovery_code")
            #expect(last.status == .ok, "\(last.text)")
        }
    }

    @Test func `a recovery code works once, in any way it can be written, and new ones replace the old`() async throws {
        try await withService { world in
            let ada = world.visitor()
            try await ada.create("ada")
            _ = try await ada.addApp(at: world)
            let codes =
                try await ada.post("account/recovery-codes")["codes"]?.arrayValue?.compactMap(\.stringValue) ?? []
            #expect(Set(codes).count == 10 && codes.allSatisfy { $0.count == 19 })
            let written = JSONValue.string(" " + codes[0].uppercased().replacing("-", with: " ") + " ")
            let browser = world.visitor()
            #expect(try await browser.answer(try await browser.beginSteps(), written, "recovery_code").status == .ok)
            #expect(try await browser.get("account")["factors", "recoveryCodes", "left"] == 9)
            let events = try await browser.get("account/activity")["activity"]?.arrayValue?.compactMap {
                $0["event"]?.stringValue
            }
            #expect(events?.contains("recovery_code_used") == true)
            let again = world.visitor()
            let flow = try await again.beginSteps()
            #expect(try await again.answer(flow, written, "recovery_code").refusal == "401 code_wrong")
            let newer = try await ada.post("account/recovery-codes")["codes"]?.arrayValue ?? []
            #expect(try await again.answer(flow, .string(codes[1]), "recovery_code").refusal == "401 code_wrong")
            #expect(try await again.answer(flow, newer[9], "recovery_code").status == .ok)
            #expect(try await ada.delete("account/recovery-codes").status == .noContent)
            #expect(try await ada.delete("account/recovery-codes").refusal == "404 not_found")
        }
    }

    @Test func `wrong codes of a stranger with the password do not keep the owner out of a known browser`() async throws
    {
        try await withService { world in
            let ada = world.visitor()
            try await ada.create("ada")
            let app = try await ada.addApp(at: world)
            world.effects.advance(by: 60)
            let thief = world.visitor()
            let wrong = app.wrongCode(at: world.effects.now)
            for _ in 0..<2 {
                let flow = try await thief.beginSteps()
                for _ in 0..<5 { _ = try await thief.answer(flow, wrong) }
            }
            let flow = try await thief.beginSteps()
            #expect(try await thief.answer(flow, wrong).refusal == "429 too_many_attempts")
            #expect(try await thief.answer(flow, app.code(at: world.effects.now)).refusal == "429 too_many_attempts")
            #expect(try await ada.answer(try await ada.beginSteps(), app.code(at: world.effects.now)).status == .ok)
        }
    }

    @Test func `every change of a factor needs the proof of a sensitive change`() async throws {
        try await withService { world in
            let ada = world.visitor()
            try await ada.create("ada")
            world.effects.advance(by: 301)
            for path in ["account/authenticator-app", "account/recovery-codes"] {
                #expect(try await ada.post(path).refusal == "403 recent_sign_in_required")
                #expect(try await ada.delete(path).refusal == "403 recent_sign_in_required")
                #expect(try await world.visitor().post(path).refusal == "401 not_signed_in")
            }
            #expect(try await ada.put("account/mail-codes", [:]).refusal == "403 recent_sign_in_required")
            #expect(try await ada.delete("account/mail-codes").refusal == "403 recent_sign_in_required")
            #expect(
                try await ada.put("account/authenticator-app", ["code": "1"]).refusal == "403 recent_sign_in_required"
            )
        }
    }

    @Test func `a passkey that verified nobody is followed by the password if the account wants two factors`()
        async throws
    {
        try await withService { world in
            let ada = world.visitor()
            try await ada.create("ada")
            ada.authenticator.behaviour.isUserVerified = false
            try await ada.register()
            let app = try await ada.addApp(at: world)
            world.effects.advance(by: 60)
            let browser = ada.elsewhere()
            let first = try await browser.signIn()
            let flow = try #require(first["flow"]?.stringValue)
            #expect(first["next"]?.arrayValue?.contains(["method": "password"]) == true)
            #expect(browser.cookie == nil)
            #expect(try await browser.answer(flow, app.code(at: world.effects.now)).refusal == "409 step_not_allowed")
            let wrong: JSONValue = ["flow": .string(flow), "password": "wrong teapot 41 lanterns"]
            #expect(try await browser.post("sign-in/password", wrong).refusal == "401 sign_in_failed")
            let right: JSONValue = ["flow": .string(flow), "password": .string(Visitor.password)]
            let done = try await browser.post("sign-in/password", right)
            #expect(done.status == .ok && done["account", "username"] == "ada")
            #expect(try await world.visitor().post("sign-in/password", right).refusal == "403 flow_not_valid")
            // Both factors came now, so a sensitive change is possible.
            #expect(try await browser.post("account/recovery-codes").status == .created)
        }
    }
}

@Suite struct `A thief of one thing` {
    @Test func `with a key that verifies nobody adds no passkey, whatever app the account has`() async throws {
        try await withService { world in
            let ada = world.visitor()
            ada.authenticator.behaviour.isUserVerified = false
            ada.authenticator.behaviour.isBackupEligible = false
            ada.authenticator.behaviour.isBackedUp = false
            try await ada.register("ada")
            _ = try await ada.addApp(at: world)
            let thief = ada.elsewhere()
            let answer = try await thief.signIn()
            // One factor, as without the app: it opens the account, and changes nothing.
            #expect(answer["flow"] == nil && answer["account", "username"] == "ada")
            #expect(try await thief.post("registration/options").refusal == "403 second_factor_missing")
        }
    }

    @Test func `with the password adds no passkey to an account that has one, also where no code can be sent`()
        async throws
    {
        let store = MemoryAccountStore()
        try await withService(store: store) { world in
            let ada = world.visitor()
            try await ada.create("ada")
            ada.authenticator.behaviour.isUserVerified = false
            ada.authenticator.behaviour.isBackupEligible = false
            ada.authenticator.behaviour.isBackedUp = false
            try await ada.register()
            try await ada.signIn()
            try await store.wishForMailCodes("ada", at: world.effects.now)
            let thief = world.visitor()
            let answer = try await thief.signIn("ada", password: Visitor.password)
            #expect(answer["next"] == [["method": "passkey"]])
            let flow = try #require(answer["flow"])
            #expect(try await thief.post("registration/options", ["flow": flow]).refusal == "409 step_not_allowed")
            // The owner has the key too.
            let begun = try await ada.elsewhere().signIn()
            #expect(begun["next"]?.arrayValue?.contains(["method": "password"]) == true)
        }
    }
}

extension MemoryAccountStore {
    /// The account wants codes by e-mail as a second step.
    fileprivate func wishForMailCodes(_ name: String, at now: Int64) async throws {
        let account = try #require(try await read { try $0.account(username: name) })
        try await write { tx in
            try tx.setFactor(
                FactorRecord(
                    accountID: account.id,
                    kind: .mailCodes,
                    key: account.id.bytes,
                    payload: [],
                    createdAt: now,
                    confirmedAt: now
                )
            )
        }
    }
}

@Suite struct `Codes by e-mail` {
    /// The codes of all messages, newest last.
    private static func codes(_ messages: [String]) -> [String] {
        messages.compactMap {
            $0.replacing("\r\n", with: "\n").firstMatch(of: /\n(\d{6})\n/).map { String($0.output.1) }
        }
    }

    @Test func `a code goes to the confirmed address, for one sign-in`() async throws {
        try await MailFixture.with { mail in
            let world = mail.world
            let ada = world.visitor()
            try await ada.create("ada")
            #expect(try await ada.put("account/mail-codes", [:]).refusal == "409 address_needed")
            let account = try await mail.account()
            let address = try EmailAddress("ada@example.com")
            let email = AccountEmail(
                accountID: account.id,
                confirmed: .init(address, at: world.effects.now),
                language: "en"
            )
            try await mail.store.write { try $0.setEmail(email) }
            #expect(try await ada.put("account/mail-codes", [:]).status == .noContent)
            #expect(try await ada.get("account")["factors", "mailCodes"] == true)

            let browser = world.visitor()
            let first = try await browser.signIn("ada", password: Visitor.password)
            #expect(first["next"] == [["method": "mail_code", "to": "a•••@example.com"]])
            let flow = try #require(first["flow"]?.stringValue)
            let send: JSONValue = ["flow": .string(flow), "method": "mail_code"]
            #expect(try await browser.post("sign-in/send-code", send).status == .noContent)
            let one = try #require(Self.codes(try await mail.sent()).first)
            #expect(try await browser.post("sign-in/send-code", send).status == .noContent)
            let two = try #require(Self.codes(try await mail.sent()).first { $0 != one })
            #expect(try await browser.answer(flow, .string(one), "mail_code").refusal == "401 code_wrong", "replaced")
            let spaced = JSONValue.string("\(two.prefix(3)) \(two.suffix(3))")
            #expect(try await browser.answer(flow, spaced, "mail_code").status == .ok)
            let again = world.visitor()
            let next = try await again.beginSteps()
            #expect(try await again.answer(next, spaced, "mail_code").refusal == "401 code_wrong", "used")

            for _ in 0..<3 {
                let body: JSONValue = ["flow": .string(next), "method": "mail_code"]
                #expect(try await again.post("sign-in/send-code", body).status == .noContent)
            }
            let body: JSONValue = ["flow": .string(next), "method": "mail_code"]
            #expect(try await again.post("sign-in/send-code", body).refusal == "429 too_many_requests")
            let late = try #require(Self.codes(try await mail.sent()).first { $0 != one && $0 != two })
            world.effects.advance(by: SignInFlow.lifetime - 1)
            _ = late
            #expect(try await ada.delete("account/email").refusal == "403 recent_sign_in_required")
        }
    }

    @Test func `without mail, an account that wants codes opens with a new passkey only`() async throws {
        let store = MemoryAccountStore()
        try await withService(store: store) { world in
            let ada = world.visitor()
            try await ada.create("ada")
            try await store.wishForMailCodes("ada", at: world.effects.now)
            let answer = try await world.visitor().signIn("ada", password: Visitor.password)
            #expect(answer["next"] == [["method": "new_passkey"]])
            let flow = try #require(answer["flow"])
            let browser = world.visitor()
            let start = try await browser.beginRegistration(["flow": flow])
            let made = try browser.authenticator.create(start.options)
            #expect(try await browser.finishRegistration(start.ceremony, made).status == .created)
            #expect(try await browser.isSignedIn())
            #expect(
                try await world.visitor().post("registration/options", ["flow": flow]).refusal == "403 flow_not_valid"
            )
        }
    }
}
