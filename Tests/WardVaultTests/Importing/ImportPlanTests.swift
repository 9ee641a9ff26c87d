import Foundation
import Testing
import WardCOSE
import WardTesting
import WardVault
import WardWebAuthn

@Suite struct `An import into a vault` {
    private static func login(
        _ title: String,
        at sites: [String] = ["https://example.com/login"],
        _ user: String = "ada",
        _ password: String? = "pw",
        changedAt: Int64 = 0,
        codes: [OneTimePassword] = []
    ) -> Item {
        Item(
            .login,
            title: title,
            sites: sites.map { Site($0) },
            username: user,
            password: password.map { Password(SecretText($0), changedAt: changedAt) },
            codes: codes
        )
    }

    private static func passkey(_ user: String, _ id: UInt8, at rpID: String = "example.com") throws -> StoredPasskey {
        StoredPasskey(
            credentialID: try #require(CredentialID([UInt8](repeating: id, count: 16))),
            rpID: rpID,
            userHandle: try #require(UserHandle([id])),
            userName: user,
            algorithm: .es256,
            privateKey: SecretBytes([1, 2, 3]),
            createdAt: 1,
            createdBy: .imported
        )
    }

    private func outcomes(_ plan: ImportPlan) -> [String] { plan.lines.map(\.outcome.rawValue) }

    @Test func `adds everything in one step, and a second time nothing`() async throws {
        let fixture = try VaultFixture()
        let vault = try await fixture.create()
        var full = Self.login("Full", codes: [try OneTimePassword("JBSWY3DPEHPK3PXP")])
        full.passkeys = [try Self.passkey("ada", 1)]
        full.notes = "a note"
        full.fields = [Field(label: "PIN", text: "1234", isConcealed: true)]
        full.attachments = [Attachment(name: "a.txt", content: [1, 2, 3])]
        full.tags = ["Work"]
        let items = [
            full, Self.login("Nameless", at: ["https://b.example"], "", "x"),
            Self.login("Siteless", at: [], "root", "y"),
            Item(.note, title: "Note", notes: "text"), Item(.note, title: "Note", notes: "other text"),
            Self.login(
                "Counting",
                at: ["https://c.example"],
                "c",
                nil,
                codes: [
                    try OneTimePassword(.hotp(counter: 3), secret: [1, 2, 3, 4])
                ]
            ),
        ]
        let dry = try await vault.plan(importing: items)
        #expect(outcomes(dry) == Array(repeating: "new", count: 6))
        #expect(try await vault.summaries().isEmpty)
        #expect(outcomes(try await vault.apply(importing: items)) == Array(repeating: "new", count: 6))
        let before = try await vault.status()
        // A used counter is no difference.
        _ = try await vault.code(of: items[5].id)
        #expect(outcomes(try await vault.apply(importing: items)) == Array(repeating: "unchanged", count: 6))
        #expect(try await vault.status().entries == before.entries + 1)
        let stored = try await vault.item(full.id)
        #expect(stored.change == Item.Change.imported && stored.codes == full.codes && stored.attachments.count == 1)
        #expect(try await vault.content(of: stored.attachments[0], in: full.id) == [1, 2, 3])
    }

    @Test func `makes one entry of a password, a passkey and a code, in every order`() async throws {
        var key = Self.login("Example", at: [], "Ada", nil)
        key.passkeys = [try Self.passkey("Ada", 1)]
        let parts = [
            Self.login("example.com"), key,
            Self.login(
                "Example 2FA",
                at: ["https://accounts.example.com"],
                "ADA",
                nil,
                codes: [
                    try OneTimePassword("JBSWY3DPEHPK3PXP")
                ]
            ),
        ]
        for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0], [0, 2, 1]] {
            let fixture = try VaultFixture()
            let vault = try await fixture.create()
            // The first is in the vault already, and the others come from the file.
            try await vault.write { try $0.add(parts[order[0]]) }
            let plan = try await vault.apply(importing: order.dropFirst().map { parts[$0] })
            #expect(outcomes(plan) == ["joined", "joined"], "\(order)")
            let item = try await vault.item(parts[order[0]].id)
            #expect(item.password?.value == "pw" && item.passkeys.count == 1 && item.codes.count == 1)
            #expect(try await vault.summaries().count == 1)
            // The state before can be restored.
            #expect(try await vault.history(of: item.id).count == 2)
        }
    }

    @Test func `keeps both passwords of an account; the newer one is the current one`() async throws {
        for (changedAt, isNewer) in [(Int64(0), false), (1_600_000_000, false), (1_800_000_000, true)] {
            let fixture = try VaultFixture()
            let vault = try await fixture.create()
            let mine = Self.login("Example", changedAt: 1_700_000_000)
            try await vault.write { try $0.add(mine) }
            let other = Self.login("Example", "ada", "other", changedAt: changedAt)
            let plan = try await vault.apply(importing: [other])
            #expect(outcomes(plan) == ["conflict"] && plan.lines[0].isNewer == isNewer)
            let password = try #require(try await vault.item(mine.id).password)
            #expect(password.value == (isNewer ? "other" : "pw"))
            #expect(password.history.map(\.value) == [isNewer ? "pw" : "other"])
            #expect(outcomes(try await vault.apply(importing: [other])) == ["unchanged"])
        }
    }

    @Test func `keeps apart what may be two accounts`() async throws {
        let pairs = [
            (Self.login("A"), Self.login("A", "bob")),
            // Two hosts of a company, each with a password of its own.
            (
                Self.login("A", at: ["https://git.example.com"]),
                Self.login("A", at: ["https://ci.example.com"], "ada", "2")
            ),
            (Self.login("A", at: ["http://localhost:1"]), Self.login("A", at: ["http://localhost:2"], "ada", "2")),
            // Shared suffixes are no sites.
            (Self.login("A", at: ["https://a.github.io"]), Self.login("A", at: ["https://b.github.io"])),
            (Self.login("A", at: [], "root", "1"), Self.login("A", at: [], "root", "2")),
            (Self.login("A", at: ["https://a.example"], "", "1"), Self.login("A", at: ["https://a.example"], "", "2")),
            (Item(.note, title: "PIN", notes: "4125"), Item(.note, title: "PIN", notes: "12")),
            (Item(.card, title: "A"), Item(.card, title: "A", notes: "other")),
        ]
        for (first, second) in pairs {
            let fixture = try VaultFixture()
            let vault = try await fixture.create()
            #expect(outcomes(try await vault.apply(importing: [first])) == ["new"])
            #expect(outcomes(try await vault.apply(importing: [second])) == ["new"], "\(first.sites) \(second.sites)")
            #expect(outcomes(try await vault.plan(importing: [first, second])) == ["unchanged", "unchanged"])
        }
    }

    @Test func `keeps apart two entries of a file with the same account and different passwords`() async throws {
        let fixture = try VaultFixture()
        let vault = try await fixture.create()
        let items = [Self.login("Guest", "root", "1"), Self.login("Admin", "root", "2")]
        #expect(outcomes(try await vault.apply(importing: items)) == ["new", "new"])
        #expect(outcomes(try await vault.apply(importing: items)) == ["unchanged", "unchanged"])
    }

    @Test func `unites domains that share their accounts`() async throws {
        let fixture = try VaultFixture()
        let vault = try await fixture.create()
        let items = [Self.login("A", at: ["https://shop.example"]), Self.login("A", at: ["https://shop.test"])]
        #expect(outcomes(try await vault.plan(importing: items)) == ["new", "new"])
        let shared = SharedCredentials([["shop.example", "shop.test"]])
        #expect(outcomes(try await vault.apply(importing: items, shared: shared)) == ["new", "joined"])
        #expect(try await vault.item(items[0].id).sites.count == 2)
    }

    @Test(.enabled(if: TestVectors.areAvailable, "needs the vectors' folder"))
    func `makes one entry of an account at all domains of a published group`() async throws {
        let file = "password-manager-resources/shared-credentials.json"
        let bytes = try #require(TestVectors.bytes(file))
        let published = try #require(try JSONSerialization.jsonObject(with: Data(bytes)) as? [[String: Any]])
        let groups = published.map { group in
            ["shared", "from", "to"].flatMap { group[$0] as? [String] ?? [] }
        }
        #expect(groups.count == 102)
        let items = groups.enumerated().flatMap { index, domains in
            domains.map { Self.login($0, at: ["https://\($0)/login"], "user \(index)") }
        }
        let folder = try #require(TestVectors.url(file)).deletingLastPathComponent().path
        let fixture = try VaultFixture()
        let vault = try await fixture.create()
        let plan = try await vault.apply(importing: items.reversed(), shared: SiteData(folder: folder).shared)
        #expect(plan.count(.new) == groups.count && plan.count(.joined) == items.count - groups.count)
        let sites = try await vault.summaries().map { Set($0.sites.map(\.text)) }
        #expect(Set(sites) == Set(groups.map { Set($0.map { "https://\($0)/login" }) }))
        // Another user name at the same domains is another account.
        let others = groups.map { Self.login($0[0], at: ["https://\($0[0])"], "somebody else") }
        let second = try await vault.plan(importing: others, shared: SiteData(folder: folder).shared)
        #expect(second.count(.new) == groups.count)
    }

    @Test func `does not see the trash, and loses no title, user name or note`() async throws {
        let fixture = try VaultFixture()
        let vault = try await fixture.create()
        let old = Self.login("Old")
        try await vault.write { transaction in
            try transaction.add(old)
            try transaction.trash(old.id)
        }
        var named = Self.login("My shop")
        named.notes = "first"
        #expect(outcomes(try await vault.apply(importing: [named])) == ["new"])
        var other = Self.login("Their shop")
        other.notes = "second"
        #expect(outcomes(try await vault.apply(importing: [other])) == ["joined"])
        let item = try await vault.item(named.id)
        #expect(item.title == "My shop" && item.fields.map(\.value.text) == ["Their shop"])
        #expect(item.notes == "first\n\nsecond")
    }

    @Test func `changes nothing if one item cannot be written`() async throws {
        let fixture = try VaultFixture()
        let vault = try await fixture.create()
        let huge = Item(.note, title: "Huge", notes: SecretText(String(repeating: "x", count: Item.maximumSize)))
        await #expect(throws: VaultError(.itemTooLarge, "")) {
            try await vault.apply(importing: [Self.login("A"), huge])
        }
        #expect(try await vault.summaries().isEmpty)
    }
}
