import Foundation
import HTTPTypes
import Testing
import WardAccounts
import WardServer
import WardTesting
import WardText
import WardWebAuthn

/// A service with rules, whose day 0 is the day of its clock.
private func withRules(
    _ rules: JSONValue,
    _ body: @escaping @Sendable (ServiceFixture, MemoryAccountStore) async throws -> Void
) async throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "ward-rules-\(UUID()).json")
    try Data((["rules": rules] as JSONValue).serialized).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    var configuration = ServerConfiguration()
    configuration.policy = file.path
    let store = MemoryAccountStore()
    try await withService(configuration, store: store) { try await body($0, store) }
}

/// A day so many days after the one of the clock in tests.
private func day(_ number: Int64) -> JSONValue {
    let time = (1_700_000_000 / 86_400 + number) * 86_400
    return .string(String(JSONTime.text(time).prefix(10)))
}

extension MemoryAccountStore {
    fileprivate func join(_ group: String, _ name: String) async throws {
        try await write { tx in
            let account = try #require(try tx.account(username: name))
            _ = try tx.setAccount(id: account.id, groups: [try GroupName(group)])
        }
    }
}

@Suite struct `Rules about sign-ins` {
    @Test func `a person hears of a rule before its day, may add a passkey in the time after it, and not later`()
        async throws
    {
        let rule: JSONValue = [
            "groups": ["staff"], "from": day(10), "warnDays": 5, "graceDays": 3, "require": "passkey",
        ]
        try await withRules([rule]) { world, store in
            let people = (world.visitor(), world.visitor(), world.visitor())
            for (person, name) in [(people.0, "ada"), (people.1, "bob"), (people.2, "eve")] {
                try await person.create(name)
                if name != "eve" { try await store.join("staff", name) }
            }
            #expect(try await people.0.get("account")["policy"] == .null)
            world.effects.advance(by: 6 * 86_400)
            #expect(try await people.0.get("account")["policy", "needs"] == "passkey")
            #expect(try await people.0.get("account")["policy", "from"]?.stringValue?.hasSuffix("T00:00:00Z") == true)
            #expect(try await people.2.get("account")["policy"] == .null, "it is about the group alone")
            #expect(try await world.visitor().signIn("ada", password: Visitor.password)["account"] != nil)

            world.effects.advance(by: 4 * 86_400)
            #expect(try await people.0.get("account")["policy"] == ["needs": "passkey", "from": .null])
            let browser = world.visitor()
            let begun = try await browser.signIn("ada", password: Visitor.password)
            #expect(begun["next"] == [["method": "new_passkey"]] && browser.cookie == nil)
            let start = try await browser.beginRegistration(["flow": try #require(begun["flow"])])
            let made = try browser.authenticator.create(start.options)
            #expect(try await browser.finishRegistration(start.ceremony, made).status == .created)
            #expect(try await browser.isSignedIn())
            #expect(try await browser.get("account")["policy"] == .null)
            // From now on the password leads to the passkey, and opens nothing by itself.
            let next = try await world.visitor().signIn("ada", password: Visitor.password)
            #expect(next["next"] == [["method": "passkey"]])
            #expect(try await browser.elsewhere().signIn()["account"] != nil)

            world.effects.advance(by: 3 * 86_400)
            #expect(try await world.visitor().signIn("bob", password: Visitor.password).refusal == "403 policy_not_met")
            #expect(try await world.visitor().signIn("eve", password: Visitor.password)["account"] != nil)
            #expect(try await browser.elsewhere().signIn()["account"] != nil)
        }
    }

    @Test
    func `a passkey that is on many devices does not count where one device is asked for, and leads to one that does`()
        async throws
    {
        try await withRules([["groups": ["admins"], "passkeys": "device_bound", "from": day(1)]]) { world, store in
            let ada = world.visitor()
            ada.authenticator.behaviour.isBackupEligible = true
            ada.authenticator.behaviour.isBackedUp = true
            try await ada.register("ada")
            try await store.join("admins", "ada")
            world.effects.advance(by: 86_400)
            #expect(try await ada.get("account")["policy", "needs"] == "device_bound_passkey")
            // The passkey still shows who it is, and a second one of the same kind is refused.
            let begun = try await ada.elsewhere().signIn()
            #expect(begun["next"] == [["method": "new_passkey"]])
            let flow = try #require(begun["flow"])
            let again = world.visitor()
            again.authenticator.behaviour.isBackupEligible = true
            let same = try await again.beginRegistration(["flow": flow])
            let refused = try await again.finishRegistration(
                same.ceremony,
                try again.authenticator.create(same.options)
            )
            #expect(refused.refusal == "422 passkey_not_accepted" && again.cookie == nil)
            #expect(try await ada.passkeys().count == 1)
            let key = world.visitor()
            key.authenticator.behaviour.isBackupEligible = false
            key.authenticator.behaviour.isBackedUp = false
            let start = try await key.beginRegistration(["flow": flow])
            #expect(
                try await key.finishRegistration(start.ceremony, try key.authenticator.create(start.options)).status
                    == .created
            )
            #expect(try await key.elsewhere().signIn()["account"] != nil)
            #expect(try await ada.elsewhere().signIn()["next"] == [["method": "passkey"]])
        }
    }

    @Test func `the password of an account that has a passkey adds none, whatever the passkey`() async throws {
        try await withRules([["passkeys": "device_bound", "from": day(1)]]) { world, _ in
            let ada = world.visitor()
            try await ada.create("ada")
            ada.authenticator.behaviour.isBackupEligible = true
            try await ada.register()
            world.effects.advance(by: 86_400)
            let thief = world.visitor()
            let begun = try await thief.signIn("ada", password: Visitor.password)
            #expect(begun["next"] == [["method": "passkey"]])
            let body: JSONValue = ["flow": try #require(begun["flow"])]
            #expect(try await thief.post("registration/options", body).refusal == "409 step_not_allowed")
        }
    }

    @Test func `an app comes before the passkey that a rule asks for`() async throws {
        try await withRules([["require": "passkey", "from": day(1)]]) { world, _ in
            let ada = world.visitor()
            try await ada.create("ada")
            let app = try await ada.addApp(at: world)
            world.effects.advance(by: 86_400)
            let browser = world.visitor()
            let begun = try await browser.signIn("ada", password: Visitor.password)
            #expect(begun["next"] == [["method": "authenticator_app"]])
            let flow = try #require(begun["flow"]?.stringValue)
            #expect(
                try await browser.post("registration/options", ["flow": .string(flow)]).refusal
                    == "409 step_not_allowed"
            )
            let next = try await browser.answer(flow, app.code(at: world.effects.now))
            #expect(next["next"] == [["method": "new_passkey"]] && browser.cookie == nil)
        }
    }

    @Test func `a rule for everybody holds for new accounts too`() async throws {
        try await withRules([["require": "passkey"]]) { world, _ in
            let ada = world.visitor()
            let made = try await ada.create("ada")
            #expect(made.status == .created && made["next"] == [["method": "new_passkey"]] && ada.cookie == nil)
            let bob = world.visitor()
            try await bob.register("bob")
            #expect(try await bob.elsewhere().signIn()["account"] != nil)
        }
        try await withRules([["authenticators": ["00000000-0000-0000-0000-000000000001"]]]) { world, store in
            let ada = world.visitor()
            let start = try await ada.beginRegistration(["username": "ada"])
            let made = try ada.authenticator.create(start.options)
            #expect(try await ada.finishRegistration(start.ceremony, made).refusal == "422 passkey_not_accepted")
            #expect(try await store.read { try $0.accounts(limit: 9) }.isEmpty, "no account without a passkey stays")
        }
    }

    @Test func `two factors by rule, and sessions that end sooner`() async throws {
        try await withRules([["require": "two_factors", "sessionHours": 2, "from": day(1), "graceDays": 0]]) {
            world,
            _ in
            let (ada, bob) = (world.visitor(), world.visitor())
            try await ada.create("ada")
            let app = try await ada.addApp(at: world)
            try await bob.create("bob")
            world.effects.advance(by: 86_400)
            #expect(try await bob.get("account").refusal == "401 not_signed_in", "a session from before is too old")
            #expect(try await world.visitor().signIn("bob", password: Visitor.password).refusal == "403 policy_not_met")
            let browser = world.visitor()
            let flow = try await browser.beginSteps()
            #expect(try await browser.answer(flow, app.code(at: world.effects.now)).status == .ok)
            world.effects.advance(by: 7_199)
            #expect(try await browser.isSignedIn())
            world.effects.advance(by: 1)
            #expect(try await browser.get("account").refusal == "401 not_signed_in")
        }
    }

    @Test func `a session that began with less than a rule asks for goes on until the grace has ended`() async throws {
        let tests: [(JSONValue, (password: Bool, code: Bool, passkey: Bool))] = [
            ("two_factors", (false, true, true)), ("passkey", (false, false, true)),
        ]
        for (need, goesOn) in tests {
            try await withRules([["require": need, "from": day(1), "graceDays": 1]]) { world, _ in
                let (ada, bob, eve) = (world.visitor(), world.visitor(), world.visitor())
                try await ada.create("ada")
                try await bob.create("bob")
                let app = try await bob.addApp(at: world)
                try await eve.create("eve")
                try await eve.register()
                // The last second of the day of grace.
                let end: Int64 = (1_700_000_000 / 86_400 + 2) * 86_400
                world.effects.advance(by: 30)
                let phone = world.visitor()
                #expect(try await phone.answer(phone.beginSteps("bob"), app.code(at: world.effects.now)).status == .ok)
                try await eve.signIn()
                world.effects.advance(by: end - 1 - world.effects.now)
                for person in [ada, bob, phone, eve] { #expect(try await person.isSignedIn()) }
                world.effects.advance(by: 1)
                #expect(try await ada.isSignedIn() == goesOn.password)
                #expect(try await bob.isSignedIn() == goesOn.password, "it has a second step, and its session did not")
                #expect(try await phone.isSignedIn() == goesOn.code)
                #expect(try await eve.isSignedIn() == goesOn.passkey)
            }
        }
    }

    @Test func `what a rule asks for cannot be removed, because its owner would be locked out after the grace`()
        async throws
    {
        try await withRules([["require": "passkey", "from": day(1), "graceDays": 0]]) { world, _ in
            let ada = world.visitor()
            try await ada.create("ada")
            try await ada.register()
            world.effects.advance(by: 86_400)
            try await ada.signIn()
            let passkey = try #require(try await ada.passkeys().first)
            #expect(try await ada.delete("account/passkeys/\(passkey)").refusal == "409 rules_need_it")
            let start = try await ada.beginRegistration([:])
            let other = try world.visitor().authenticator.create(start.options)
            #expect(try await ada.finishRegistration(start.ceremony, other).status == .created)
            #expect(try await ada.delete("account/passkeys/\(passkey)").status == .noContent)
        }
        try await withRules([["require": "two_factors", "from": day(1)]]) { world, _ in
            let ada = world.visitor()
            try await ada.create("ada")
            let app = try await ada.addApp(at: world)
            #expect(try await ada.delete("account/authenticator-app").status == .noContent, "nothing asks for it yet")
            world.effects.advance(by: 30)
            let again = try await ada.addApp(at: world)
            #expect(app.secret != again.secret)
            world.effects.advance(by: 86_400)
            let browser = world.visitor()
            let flow = try await browser.beginSteps()
            #expect(try await browser.answer(flow, again.code(at: world.effects.now)).status == .ok)
            #expect(try await browser.delete("account/authenticator-app").refusal == "409 rules_need_it")
            try await browser.register()
            try await browser.signIn()
            #expect(try await browser.delete("account/authenticator-app").status == .noContent)
        }
    }

    @Test(arguments: [
        ("[]", "the file must be"), ("{\"rules\": {}}", "the file must be"), ("{\"rules\": [], \"x\": 1}", "must be"),
        ("{\"rules\": [{}]}", "rule 1: it asks for nothing"), ("{\"rules\": [3]}", "rule 1: a rule is a JSON object"),
        ("{\"rules\": [{\"require\": \"sms\"}]}", "\"require\" must be"),
        ("{\"rules\": [{\"require\": \"passkey\", \"from\": \"2027-02-30\"}]}", "\"from\" must be a day"),
        ("{\"rules\": [{\"require\": \"passkey\", \"from\": \"27-02-03\"}]}", "\"from\" must be a day"),
        ("{\"rules\": [{\"require\": \"passkey\", \"groups\": []}]}", "\"groups\" must be a list"),
        ("{\"rules\": [{\"require\": \"passkey\", \"groups\": [\"Staff\"]}]}", "\"groups\" must be a list"),
        ("{\"rules\": [{\"authenticators\": [\"x\"]}]}", "\"authenticators\" must be a list"),
        ("{\"rules\": [{\"passkeys\": \"synced\"}]}", "\"passkeys\" must be"),
        ("{\"rules\": [{\"attestation\": \"direct\"}]}", "\"attestation\" must be \"verified\""),
        ("{\"rules\": [{\"attestation\": true}]}", "\"attestation\" must be \"verified\""),
        ("{\"rules\": [{\"certification\": \"L4\"}]}", "\"certification\" must be FIDO_CERTIFIED, L1"),
        ("{\"rules\": [{\"certification\": 2}]}", "\"certification\" must be FIDO_CERTIFIED, L1"),
        ("{\"rules\": [{\"sessionHours\": 0}]}", "\"sessionHours\" must be a number from 1 to 2160"),
        (
            "{\"rules\": [{\"require\": \"passkey\", \"from\": \"2027-01-31\", \"graceDays\": 9999}]}",
            "\"graceDays\" must be"
        ),
        ("{\"rules\": [{\"require\": \"passkey\", \"graceDays\": 9}]}", "\"graceDays\" needs \"from\""),
        ("{\"rules\": [{\"require\": \"passkey\"}, {\"group\": [\"a\"]}]}", "rule 2: \"group\" is not known"),
    ])
    func `a wrong rule is refused with its number and its member`(text: String, reason: String) throws {
        let value = try JSONValue(Array(text.utf8))
        do {
            _ = try SignInPolicy(json: value)
            Issue.record("it was accepted")
        } catch {
            #expect(error.description.contains(reason), "\(error)")
        }
    }

    @Test func `the strictest of all rules holds`() throws {
        var (loose, strict) = (PolicyRule(), PolicyRule())
        loose.passkeys = PasskeyEvidence()
        (loose.from, strict.from) = (0, 0)
        loose.grace = 1_000
        loose.sessionAge = 50
        strict.passkeys = PasskeyEvidence()
        strict.passkeys?.isDeviceBound = true
        strict.passkeys?.authenticators = [.zero]
        strict.grace = 500
        strict.sessionAge = 70
        let all = SignInPolicy([loose, strict]).requirements(in: [], at: 100)
        #expect(all.passkeys?.isDeviceBound == true && all.passkeys?.authenticators == [.zero])
        #expect(all.graceEnd == 500 && all.sessionAge == 50 && all.needsTwoFactors)
        #expect(all.mayEnrol(at: 499) && !all.mayEnrol(at: 500))
    }
}
