import HTTPTypes
import Testing
import WardAccounts
import WardServer
import WardTesting
import WardText

/// The numbers on the way from passwords to passkeys.
@Suite struct `The numbers of upgrades` {
    private static func total(_ store: MemoryAccountStore, _ world: ServiceFixture) async throws -> [Int64] {
        let now = world.effects.now
        let report = try await store.read { try await UpgradeReport(days: 1, at: now, in: $0) }
        return [report.total.asked, report.total.upgraded, report.total.upsold, report.total.dismissed]
    }

    @Test func `say how often a passkey without a prompt was asked for, and how often it was made`() async throws {
        let store = MemoryAccountStore()
        try await withService(store: store) { world in
            let ada = world.visitor()
            try await ada.create("ada")
            let start = try await ada.beginRegistration(["mediation": "conditional"])
            #expect(try await Self.total(store, world) == [1, 0, 0, 0])
            let response = try ada.authenticator.create(start.options)
            #expect(try await ada.finishRegistration(start.ceremony, response).status == .created)
            #expect(try await Self.total(store, world) == [1, 1, 0, 0])
            // What is refused, or asked for by a person, is no upgrade.
            #expect(try await ada.finishRegistration(start.ceremony, response).status != .created)
            let bob = world.visitor()
            #expect(try await bob.post("registration/options", ["mediation": "conditional"]).status == .unauthorized)
            try await bob.register("bob")
            let second = try await bob.beginRegistration([:])
            let made = try world.visitor().authenticator.create(second.options)
            #expect(try await bob.finishRegistration(second.ceremony, made).status == .created)
            #expect(try await Self.total(store, world) == [1, 1, 0, 0])
        }
    }

    @Test func `count an offer and its dismissal once for an account, however often a page tells them`() async throws {
        let store = MemoryAccountStore()
        try await withService(store: store) { world in
            let ada = world.visitor()
            try await ada.create("ada")
            #expect(try await ada.get("account")["offersPasskey"] == true)
            #expect(try await ada.post("account/offer", ["event": "dismissed"])["counted"] == false)
            for isFirst in [true, false, false] {
                #expect(try await ada.post("account/offer", ["event": "shown"])["counted"] == .bool(isFirst))
            }
            let phone = world.visitor()
            try await phone.signIn("ada", password: Visitor.password)
            #expect(try await phone.get("account")["offersPasskey"] == false)
            #expect(try await phone.post("account/offer", ["event": "shown"])["counted"] == false)
            for isFirst in [true, false, false] {
                #expect(try await phone.post("account/offer", ["event": "dismissed"])["counted"] == .bool(isFirst))
            }
            #expect(try await Self.total(store, world) == [0, 0, 1, 1])
        }
    }

    @Test func `let the next offer come after the interval, and to nobody who needs none`() async throws {
        let store = MemoryAccountStore()
        var configuration = ServerConfiguration()
        configuration.offerInterval = .seconds(3_600)
        try await withService(configuration, store: store) { world in
            let ada = world.visitor()
            try await ada.create("ada")
            #expect(try await ada.post("account/offer", ["event": "shown"])["counted"] == true)
            world.effects.advance(by: 3_599)
            #expect(try await ada.get("account")["offersPasskey"] == false)
            world.effects.advance(by: 1)
            #expect(try await ada.get("account")["offersPasskey"] == true)
            // The offer from before cannot be put away any more.
            #expect(try await ada.post("account/offer", ["event": "dismissed"])["counted"] == false)
            #expect(try await ada.post("account/offer", ["event": "shown"])["counted"] == true)
            // A clock that went back does not silence the offer until the time comes again.
            world.effects.advance(by: -7_200)
            #expect(try await ada.get("account")["offersPasskey"] == true)
            try await ada.signIn("ada", password: Visitor.password)
            try await ada.register()
            #expect(try await ada.get("account")["offersPasskey"] == false)
            let bob = world.visitor()
            try await bob.register("bob")
            #expect(try await bob.get("account")["offersPasskey"] == false)
            #expect(try await bob.post("account/offer", ["event": "shown"])["counted"] == false)
        }
    }

    @Test func `are none where the service offers nothing`() async throws {
        var never = ServerConfiguration()
        never.offerInterval = .zero
        try await withService(never) { world in
            let ada = world.visitor()
            try await ada.create("ada")
            #expect(try await ada.get("account")["offersPasskey"] == false)
            #expect(try await ada.post("account/offer", ["event": "shown"])["counted"] == false)
            #expect(try await ada.post("account/offer", ["event": "dismissed"])["counted"] == false)
        }
        for seconds in [-1, 365 * 86_400 + 1] {
            var configuration = ServerConfiguration()
            configuration.offerInterval = .seconds(seconds)
            #expect(throws: ServerConfigurationError.self) { try configuration.validate() }
        }
    }

    @Test func `need a session, and an event that the service knows`() async throws {
        try await withService { world in
            let ada = world.visitor()
            #expect(try await ada.post("account/offer", ["event": "shown"]).refusal == "401 not_signed_in")
            try await ada.create("ada")
            for body: JSONValue in [[:], ["event": "upgraded"], ["event": 1], ["event": nil]] {
                #expect(try await ada.post("account/offer", body).refusal == "400 malformed_request")
            }
            ada.origin = "https://evil.example"
            #expect(try await ada.post("account/offer", ["event": "shown"]).refusal == "403 origin_not_allowed")
        }
    }

    @Test func `have each day, today last, and forget after 400 days`() async throws {
        let store = MemoryAccountStore()
        let today: Int64 = 20_000
        try await store.write { tx in
            for day in [today - 401, today - 400, today - 2, today, today + 1] { try tx.countUpgrade(.asked, on: day) }
            try tx.countUpgrade(UpgradeCount.Kind(rawValue: "of_a_later_version"), on: today)
        }
        let now = today * 86_400 + 86_399
        let report = try await store.read { try await UpgradeReport(days: 3, at: now, in: $0) }
        #expect(report.days.map(\.asked) == [1, 0, 1])
        #expect(report.days.map(\.date) == ["2024-10-02", "2024-10-03", "2024-10-04"])
        #expect(report.total.asked == 2)
        try await Sweeping.sweep(store, at: now)
        let kept = try await store.read { try $0.upgradeCounts(since: .min).map(\.day) }
        #expect(kept == [today - 400, today - 2, today, today, today + 1])
        #expect(UpgradeCount.day(of: -1) == -1 && UpgradeCount.day(of: 0) == 0 && UpgradeCount.day(of: 86_400) == 1)
    }

    @Test func `say which passwords nobody uses while a passkey is used`() async throws {
        let store = MemoryAccountStore()
        try await withService(store: store) { world in
            let ada = world.visitor()
            try await ada.create("ada")
            try await ada.register()
            world.effects.advance(by: 50 * 86_400)
            #expect(try await ada.signIn("ada", password: Visitor.password).status == .ok)
            @Sendable func unused() async throws -> Int {
                let now = world.effects.now
                return try await store.read { try await UpgradeReport(days: 1, at: now, in: $0).unusedPasswords }
            }
            world.effects.advance(by: 89 * 86_400)
            try await ada.signIn()
            #expect(try await unused() == 0)
            world.effects.advance(by: 2 * 86_400)
            #expect(try await unused() == 1)
            #expect(try await ada.signIn("ada", password: Visitor.password).status == .ok)
            #expect(try await unused() == 0)
        }
    }
}
