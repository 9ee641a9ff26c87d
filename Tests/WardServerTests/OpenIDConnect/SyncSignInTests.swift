import HTTPTypes
import Testing
import WardAccounts
import WardServer
import WardTesting

/// Sign-ins of people who keep a vault at the sync server of the service.
@Suite struct `A sign-in for a vault` {
    private static func withService(
        tryLimits: Limits = .standard,
        _ body:
            @escaping @Sendable (ServiceFixture, MemoryAccountStore, SyncSignIn<MemoryAccountStore>) async throws
            -> Void
    ) async throws {
        try await withProvider { world, store in
            let configuration = ServerConfiguration(rpID: "example.com", origins: [ClientFixture.issuer])
            let service = try SyncSignIn(
                configuration,
                store: store,
                effects: world.effects.effects,
                limits: tryLimits
            )
            try await body(world, store, service)
        }
    }

    @Test func `is answered on the page, and gives the account once`() async throws {
        try await Self.withService { world, store, service in
            let ada = try await world.person()
            let codes = try await service.begin(from: nil)
            #expect(codes.page == "\(ClientFixture.issuer)/device" && codes.lifetime == 600 && codes.interval == 5)
            #expect(try await service.answer(codes.device) == .waiting(interval: 5))
            #expect(try await service.answer(codes.device) == .waiting(interval: 10), "too early")
            let page = try await ada.get("/device?user_code=\(codes.user)")
            #expect(page.text.contains(codes.user) && page.text.contains("data-testid=\"device-vault\""))
            #expect(!page.text.contains("data-testid=\"device-client\""))
            #expect(try await ada.answerDevice(codes.user, true).status == .noContent)
            world.effects.advance(by: 10)
            let account = try #require(try await store.read { try $0.account(username: "ada") })
            #expect(try await service.answer(codes.device) == .agreed(account.id))
            #expect(try await service.answer(codes.device) == .over)
            #expect(try await ada.otherSessions().isEmpty, "no session began")
            let events = try await store.read { try $0.auditEntries(after: 0, limit: 99).map(\.event.kind) }
            #expect(events.contains(.deviceAllowed) && !events.contains(.clientSignedIn))
        }
    }

    @Test func `is refused, has ten minutes, and ends with the session of the person`() async throws {
        try await Self.withService { world, _, service in
            let ada = try await world.person()
            let refused = try await service.begin(from: nil)
            _ = try await ada.answerDevice(refused.user, false)
            #expect(try await service.answer(refused.device) == .refused)
            let late = try await service.begin(from: nil)
            _ = try await ada.answerDevice(late.user, true)
            world.effects.advance(by: 600)
            #expect(try await service.answer(late.device) == .over)
            let ended = try await service.begin(from: nil)
            _ = try await ada.answerDevice(ended.user, true)
            #expect(try await ada.post("sign-out").status == .noContent)
            #expect(try await service.answer(ended.device) == .over)
            #expect(try await service.answer(.random(using: world.effects.randomBytes)) == .over)
        }
    }

    @Test func `gives nothing at the endpoints for clients`() async throws {
        try await Self.withService { world, store, service in
            let ada = try await world.person()
            let codes = try await service.begin(from: nil)
            _ = try await ada.answerDevice(codes.user, true)
            for secret in [nil, "", ClientFixture.secret.text] {
                let client = ClientFixture(world: world, id: "ward-sync", secret: secret)
                let begun = try await client.call("/oidc/device_authorization", ["scope": "openid"])
                #expect(begun.failure == "401 invalid_client")
                let fields = [
                    "grant_type": "urn:ietf:params:oauth:grant-type:device_code", "device_code": codes.device.text,
                ]
                #expect(try await client.call("/oidc/token", fields).failure == "401 invalid_client")
            }
            // Another client cannot use it up.
            #expect(try await ClientFixture(world: world).call("/oidc/token", ["grant_type": "x"]).status != .ok)
            let account = try #require(try await store.read { try $0.account(username: "ada") })
            #expect(try await service.answer(codes.device) == .agreed(account.id))
        }
    }

    @Test func `is counted by address and for all together`() async throws {
        var limits = Limits.standard
        limits.devices = AttemptLimit.rate(atOnce: 2, perHour: 1)
        limits.devicesOfClient = AttemptLimit.rate(atOnce: 3, perHour: 1)
        try await Self.withService(tryLimits: limits) { _, _, service in
            for _ in 0..<2 { _ = try await service.begin(from: "192.0.2.7") }
            await #expect(throws: APIError(.tooManyRequests, "")) { try await service.begin(from: "192.0.2.7") }
            _ = try await service.begin(from: "192.0.2.8")
            await #expect(throws: APIError(.tooManyRequests, "")) { try await service.begin(from: "192.0.2.9") }
        }
    }

    @Test func `knows accounts that were deleted, and none that were never here`() async throws {
        try await Self.withService { world, store, service in
            let (ada, bob) = (try await world.person(), try await world.person("bob"))
            let names = try await store.read { tx in
                try [tx.account(username: "ada"), tx.account(username: "bob")].compactMap { $0?.id.text }
            }
            let stranger = AccountID.random(using: world.effects.randomBytes).text
            let all = names + [stranger, "", "not an ID"]
            #expect(names.count == 2)
            #expect(try await service.deleted(among: all) == [])
            #expect(try await bob.delete("account").status == .noContent)
            #expect(try await service.deleted(among: all) == [names[1]])
            #expect(try await ada.get("/api/v1/account").status == .ok)
        }
    }
}
