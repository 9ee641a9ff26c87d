import HTTPTypes
import Testing
import WardServer
import WardTesting
import WardText

@Suite struct `Vaults at the sync server` {
    private static func member(_ name: String, of world: ServiceFixture) async throws -> (Visitor, account: String) {
        let visitor = world.visitor()
        try await visitor.register(name)
        return (visitor, try #require(try await visitor.get("account")["account", "id"]?.stringValue))
    }

    private static func events(_ visitor: Visitor) async throws -> [JSONValue?] {
        try await visitor.get("account/activity")["activity"]?.arrayValue?.map { $0["event"] } ?? []
    }

    @Test func `the list has the vaults of the account alone, and what the account may have`() async throws {
        let vaults = VaultsFixture()
        try await withService(vaults.configuration) { world in
            let (ada, account) = try await Self.member("ada", of: world)
            let (bob, _) = try await Self.member("bob", of: world)
            let first = vaults.bring("1", by: account, lastUsedAt: 120)
            let second = vaults.bring("2", by: account)
            let answer = try await ada.get("account/vaults")
            let listed: JSONValue = [
                [
                    "id": .string(first), "broughtAt": "1970-01-01T00:01:00Z", "lastUsedAt": "1970-01-01T00:02:00Z",
                    "devices": 2, "bytes": 5_000,
                ],
                [
                    "id": .string(second), "broughtAt": "1970-01-01T00:01:00Z", "lastUsedAt": .null, "devices": 2,
                    "bytes": 5_000,
                ],
            ]
            #expect(answer.status == .ok && answer["vaults"] == listed)
            #expect(answer["most"] == ["vaults": 5, "bytes": 1_000_000])
            #expect(try await bob.get("account/vaults")["vaults"] == [])
        }
    }

    @Test func `the owner deletes one, and the activity says so`() async throws {
        let vaults = VaultsFixture()
        try await withService(vaults.configuration) { world in
            let (ada, account) = try await Self.member("ada", of: world)
            let (first, second) = (vaults.bring("1", by: account), vaults.bring("2", by: account))
            #expect(try await ada.delete("account/vaults/\(first)").status == .noContent)
            #expect(vaults.ids == [second])
            #expect(try await Self.events(ada).first == "vault_deleted")
            #expect(try await ada.delete("account/vaults/\(first)").refusal == "404 not_found")
            #expect(try await Self.events(ada).filter { $0 == "vault_deleted" }.count == 1)
        }
    }

    @Test func `a vault of another account looks like one that does not exist`() async throws {
        let vaults = VaultsFixture()
        try await withService(vaults.configuration) { world in
            let (ada, account) = try await Self.member("ada", of: world)
            let (bob, _) = try await Self.member("bob", of: world)
            let id = vaults.bring("1", by: account)
            let foreign = try await bob.delete("account/vaults/\(id)")
            let unknown = try await bob.delete("account/vaults/\(String(repeating: "2", count: 64))")
            #expect(foreign.refusal == "404 not_found" && foreign.text == unknown.text)
            #expect(try await bob.delete("account/vaults/x").text == unknown.text)
            #expect(vaults.ids == [id])
            for visitor in [ada, bob] { #expect(try await !Self.events(visitor).contains("vault_deleted")) }
        }
    }

    @Test func `nothing is said to strangers, and nothing is done for other sites`() async throws {
        let vaults = VaultsFixture()
        try await withService(vaults.configuration) { world in
            let (ada, account) = try await Self.member("ada", of: world)
            let id = vaults.bring("1", by: account)
            let stranger = world.visitor()
            #expect(try await stranger.get("account/vaults").refusal == "401 not_signed_in")
            #expect(try await stranger.delete("account/vaults/\(id)").refusal == "401 not_signed_in")
            ada.origin = "https://evil.example"
            #expect(try await ada.delete("account/vaults/\(id)").refusal == "403 origin_not_allowed")
            #expect(vaults.ids == [id])
        }
    }

    @Test func `a deletion needs a sign-in within the last minutes`() async throws {
        let vaults = VaultsFixture()
        try await withService(vaults.configuration) { world in
            let (ada, account) = try await Self.member("ada", of: world)
            let id = vaults.bring("1", by: account)
            world.effects.advance(by: SessionLimits.recentSignIn + 1)
            #expect(try await ada.get("account/vaults").status == .ok)
            #expect(try await ada.delete("account/vaults/\(id)").refusal == "403 passkey_sign_in_required")
            // Whether the vault exists is not said before.
            #expect(try await ada.delete("account/vaults/x").refusal == "403 passkey_sign_in_required")
            #expect(vaults.ids == [id])
            try await ada.signIn()
            #expect(try await ada.delete("account/vaults/\(id)").status == .noContent)
        }
    }

    @Test func `without a sync server there are none, and the page has no place for them`() async throws {
        for (vaults, isThere) in [(nil, false), (VaultsFixture(), true)] {
            try await withService(vaults?.configuration ?? ServerConfiguration()) { world in
                let (ada, _) = try await Self.member("ada", of: world)
                let page = try await ada.get("/account")
                #expect(page.status == .ok && page.text.contains("id=\"vaults-panel\"") == isThere)
                guard !isThere else { return }
                #expect(try await ada.get("account/vaults").refusal == "403 sync_disabled")
                #expect(try await ada.delete("account/vaults/x").refusal == "403 sync_disabled")
            }
        }
    }

    @Test func `a sync server that cannot answer deletes nothing, and nothing is written down`() async throws {
        let vaults = VaultsFixture()
        try await withService(vaults.configuration) { world in
            let (ada, account) = try await Self.member("ada", of: world)
            let id = vaults.bring("1", by: account)
            vaults.isDown = true
            #expect(try await ada.get("account/vaults").refusal == "503 unavailable")
            #expect(try await ada.delete("account/vaults/\(id)").refusal == "503 unavailable")
            #expect(vaults.ids == [id])
            #expect(try await !Self.events(ada).contains("vault_deleted"))
        }
    }
}
