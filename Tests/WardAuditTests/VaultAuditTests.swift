import Testing
import WardAudit
import WardDomains
import WardPasswords
import WardVault

@Suite struct `An audit` {
    private static let strong = ["mUqv-7ePwn-Rk2tz-Hh9fa", "zX4w-Lq8vd-Tb6sn-Jc3kp", "pY5r-Gm2hx-Nf7cw-Dt4vb"]

    private func login(
        _ title: String,
        _ site: String?,
        _ user: String,
        _ password: String,
        codes: [OneTimePassword] = []
    ) -> Item {
        Item(
            title: title,
            sites: site.map { [Site($0)] } ?? [],
            username: user,
            password: Password(SecretText(password), changedAt: 100),
            codes: codes
        )
    }

    private func card(_ expiry: String) -> Item {
        Item(
            .card,
            title: "Card",
            sections: [FieldSection(kind: .card, fields: [Field(.expiryDate, expiry, type: .yearMonth)])]
        )
    }

    private func findings(_ items: [Item], _ data: SiteData = .none, now: Int64 = 1_795_000_000) -> [AuditFinding] {
        var audit = VaultAudit(now: now, suffixes: .system, data: data)
        for item in items { audit.add(item) }
        return audit.findings()
    }

    @Test func `finds weak passwords, also those of the item's own words`() {
        let items = [
            login("Shop", "https://shop.example", "alice", "hunter2"),
            login("Zweibrücken Wintergarten", "https://garden.example", "b", "zweibrucken-wintergarten"),
            login("Mill", "https://kornblumenmuehle.example", "c", "kornblumenmuehle"),
            login("Port", "https://port.example", "quillfeather@mail.example", "quillfeather"),
            login("Good", "https://good.example", "d", Self.strong[0]), login("None", "https://none.example", "e", ""),
        ]
        let found = findings(items)
        #expect(found.allSatisfy { $0.kind == .weak })
        #expect(Set(found.map(\.item)).isSuperset(of: [items[0].id, items[2].id, items[3].id]))
        #expect(!found.contains { $0.item == items[4].id || $0.item == items[5].id })
        #expect(found.map { $0.bits ?? 0 } == found.map { $0.bits ?? 0 }.sorted())
    }

    @Test func `finds passwords at several sites, and not at one site`() {
        let same = [
            login("A", "https://one.example", "alice", Self.strong[0]),
            login("B", "https://www.one.example", "bob", Self.strong[0]),
        ]
        #expect(findings(same).isEmpty)
        let found = findings(same + [login("C", "https://two.example", "carol", Self.strong[0])])
        #expect(found.map(\.kind) == [.reused, .reused, .reused])
        #expect(found.allSatisfy { $0.group == 1 && $0.count == 3 })
        // Items without a site are different accounts.
        #expect(findings([login("A", nil, "", Self.strong[0]), login("B", nil, "", Self.strong[0])]).count == 2)
    }

    @Test func `counts sites that share their accounts as one`() throws {
        let items = [
            login("A", "https://www.one.example", "alice", Self.strong[0]),
            login("B", "https://two.example", "bob", Self.strong[0]),
        ]
        #expect(findings(items).count == 2)
        let folder = try SiteDataFolder([.sharedCredentials: #"[{"shared": ["one.example", "two.example"]}]"#])
        #expect(findings(items, folder.data).isEmpty)
    }

    @Test func `finds several items of one account`() {
        let found = findings([
            login("A", "https://one.example", "Alice@mail.example", Self.strong[0]),
            login("B", "https://login.one.example", "alice@mail.example", Self.strong[1]),
            login("C", "https://two.example", "alice@mail.example", Self.strong[2]),
        ])
        #expect(found.map(\.kind) == [.duplicate, .duplicate] && found.map(\.group) == [1, 1])
    }

    @Test func `finds accounts without the codes that the site offers`() throws {
        let code = try OneTimePassword("otpauth://totp/x?secret=JBSWY3DPEHPK3PXP")
        let items = [
            login("A", "https://one.example", "alice", Self.strong[0], codes: [code]),
            login("B", "https://one.example", "bob", Self.strong[1]),
            login("C", "https://my.two.example", "carol", Self.strong[2]),
        ]
        #expect(findings(items).map(\.item) == [items[1].id])
        let folder = try SiteDataFolder([.appendedCodes: #"["two.example"]"#])
        let found = findings(items, folder.data)
        #expect(found.map(\.item) == [items[1].id, items[2].id] && found.allSatisfy { $0.kind == .codeMissing })
    }

    @Test func `finds accounts without the passkeys that the site offers, and where to add one`() throws {
        let items = [
            login("A", "https://www.one.example", "alice", Self.strong[0]),
            login("B", "https://two.example", "bob", Self.strong[1]),
            login("C", "https://three.example", "carol", Self.strong[2]),
        ]
        let folder = try SiteDataFolder([
            .passkeySites: """
            {"one.example": {"mfa": "allowed", "documentation": "https://help.example/one"},
             "two.example": {"passwordless": "allowed", "documentation": "javascript:alert(1)"}, "three.example": {}}
            """
        ])
        let found = findings(items, folder.data)
        #expect(found.map(\.item) == [items[0].id, items[1].id] && found.allSatisfy { $0.kind == .passkeyMissing })
        #expect(found.map(\.address) == ["https://help.example/one", nil])
        // What the site itself says is nearer.
        var audit = VaultAudit(
            now: 0,
            suffixes: .system,
            data: folder.data,
            offers: [PasskeyOffer(domain: "one.example", address: "https://one.example/new")]
        )
        for item in items { audit.add(item) }
        #expect(audit.findings().first?.address == "https://one.example/new")
        #expect(audit.domainsToAsk() == ["three.example"])
    }

    @Test func `knows well-known sites with passkeys until the whole list is here`() throws {
        let items = [login("A", "https://gist.github.com", "alice", Self.strong[0])]
        let found = findings(items, try SiteDataFolder([:]).data)
        #expect(found.map(\.kind) == [.passkeyMissing] && found.first?.address == nil)
        // A file that is no list is no list.
        #expect(findings(items, try SiteDataFolder([.passkeySites: "[]"]).data).count == 1)
        let list = #"{"two.example": {"passwordless": "allowed"}}"#
        #expect(findings(items, try SiteDataFolder([.passkeySites: list]).data).isEmpty)
        #expect(findings(items, .none).isEmpty)
    }

    @Test(
        arguments: [
            ("{}", nil), (#"{"enroll":"https://id.shop.example/new?x=1"}"#, "https://id.shop.example/new?x=1"),
            (#"{"enroll":"http://shop.example/new"}"#, nil), (#"{"enroll":"https://shop.example@evil.example/"}"#, nil),
            (#"{"enroll":"https://evil.example\\\\.shop.example/"}"#, nil),
            (#"{"enroll":"https://evil.example/"}"#, nil),
            (#"{"enroll":"https://shop.example/\u001b[2J"}"#, nil), (#"{"enroll":7}"#, nil),
        ]
    )
    func `takes a page for a new passkey only from the same site`(document: String, address: String?) throws {
        let offer = PasskeyOffer(domain: "shop.example", document: Array(document.utf8), suffixes: .system)
        #expect(try #require(offer).address == address)
    }

    @Test(arguments: ["", "[]", "{", "1", "{}" + String(repeating: " ", count: 20_000)])
    func `does not take an answer that is not an object for an offer`(document: String) {
        #expect(PasskeyOffer(domain: "shop.example", document: Array(document.utf8), suffixes: .system) == nil)
    }

    // 1,795,000,000 is 2026-11-18.
    @Test(
        arguments: [
            ("2026-10", true), ("2026-11", false), ("10/26", true), ("11/2026", false), ("12/25", true),
            ("2026-11-17", true), ("2026-11-18", false), ("soon", false), ("13/26", false), ("", false),
            ("99999999999999999999/1", false),
        ]
    )
    func `finds cards after their last day`(expiry: String, isExpired: Bool) {
        #expect(findings([card(expiry)]).map(\.date) == (isExpired ? [expiry] : []))
    }

    @Test func `marks what the person ignores, until the password changes`() throws {
        var item = login("Shop", "https://shop.example", "alice", "hunter2")
        item.ignore(.weak, at: 150)
        #expect(findings([item]).map(\.isIgnored) == [true])
        item.password?.change(to: "hunter3", at: 200)
        #expect(findings([item]).map(\.isIgnored) == [false])
        item.ignore(.weak, at: 250)
        item.ignore(.weak, at: nil)
        #expect(findings([item]).map(\.isIgnored) == [false] && item.extensions.isEmpty)
        var expired = card("2020-01")
        expired.ignore(.expired, at: 1)
        #expect(findings([expired]).map(\.isIgnored) == [true])
    }

    @Test func `finds leaked passwords, the most frequent first, until they change`() {
        var items = [
            login("A", "https://one.example", "alice", Self.strong[0]),
            login("B", "https://two.example", "bob", Self.strong[1]),
            login("C", "https://three.example", "carol", Self.strong[2]),
        ]
        let counts = [3, 70, 0].enumerated().map { (BreachedPasswordHash(Array(Self.strong[$0].utf8)), $1) }
        items[1].ignore(.leaked, at: 150)
        var audit = VaultAudit(
            now: 1,
            suffixes: .system,
            data: .none,
            leaks: Dictionary(uniqueKeysWithValues: counts)
        )
        for item in items { audit.add(item) }
        let found = audit.findings()
        #expect(found.map(\.kind) == [.leaked, .leaked] && found.map(\.count) == [70, 3])
        #expect(found.map(\.item) == [items[1].id, items[0].id] && found.map(\.isIgnored) == [true, false])
    }

    @Test func `lists the worst first`() {
        let found = findings([
            card("2020-01"), login("A", "https://one.example", "alice", "password"),
            login("B", "https://two.example", "alice", "password"),
        ])
        #expect(found.map(\.kind) == [.weak, .weak, .reused, .reused, .expired])
    }
}
