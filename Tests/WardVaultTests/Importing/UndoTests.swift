import Testing
import WardCOSE
import WardTesting
import WardVault
import WardWebAuthn

@Suite struct `Undoing` {
    private static func login(_ title: String, _ password: String?, user: String = "ada") -> Item {
        Item(
            .login,
            title: title,
            sites: [Site("https://example.com")],
            username: user,
            password: password.map { Password(SecretText($0), changedAt: 1_600_000_000) }
        )
    }

    private static func passkey(_ id: UInt8) throws -> StoredPasskey {
        StoredPasskey(
            credentialID: try #require(CredentialID([UInt8](repeating: id, count: 16))),
            rpID: "example.com",
            userHandle: try #require(UserHandle([id])),
            userName: "ada",
            algorithm: .es256,
            privateKey: SecretBytes([1, 2, 3]),
            createdAt: 1,
            createdBy: .imported
        )
    }

    /// The contents of all items outside the trash, without what only says when they were written.
    private func contents(_ vault: Vault) async throws -> [ItemID: Item] {
        var found: [ItemID: Item] = [:]
        for summary in try await vault.summaries() {
            let item = try await vault.item(summary.id)
            var bare = Item(item.kind, title: item.title, sites: item.sites, username: item.username, id: item.id)
            (bare.password, bare.passkeys, bare.codes, bare.notes) = (
                item.password, item.passkeys, item.codes, item.notes
            )
            (bare.sections, bare.tags, bare.attachments) = (item.sections, item.tags, item.attachments)
            found[item.id] = bare
        }
        return found
    }

    @Test func `an import brings back what was there, also after a restart`() async throws {
        let fixture = try VaultFixture()
        var vault = try await fixture.create()
        let (mine, other) = (Self.login("Mine", "old"), Self.login("Other", "x", user: "bob"))
        try await vault.write { transaction in
            try transaction.add(mine)
            try transaction.add(other)
        }
        let before = try await contents(vault)
        #expect(try await vault.plan(undoing: .import) == nil)
        let first = Self.login("First", "1", user: "carol")
        try await vault.apply(importing: [first])
        try await vault.apply(importing: [Self.login("Mine", "new"), Self.login("New", "y", user: "dave")])
        try await vault.close()
        vault = try await fixture.unlocked()
        let plan = try #require(try await vault.plan(undoing: .import))
        #expect(plan.lines.map(\.outcome) == [.trashed, .reverted] && plan.isPossible)
        await #expect(throws: VaultError(.conflict, "")) { try await vault.undo(.import, id: [1]) }
        try await vault.undo(.import, id: plan.step.id)
        #expect(try await contents(vault).filter { $0.key != first.id } == before)
        #expect(try await vault.summaries(inTrash: true).map(\.title) == ["New"])
        // The import before it is the latest one now, and then there is none.
        #expect(try await vault.undo(.import).lines.map(\.title) == ["First"])
        #expect(try await contents(vault) == before)
        await #expect(throws: VaultError(.itemMissing, "")) { try await vault.undo(.import) }
    }

    @Test func `an import leaves what was changed since, unless the person says so`() async throws {
        let fixture = try VaultFixture()
        let vault = try await fixture.create()
        let mine = Self.login("Mine", "old")
        try await vault.add(mine)
        var counting = Self.login("Counting", nil, user: "c")
        counting.codes = [try OneTimePassword(.hotp(counter: 3), secret: [1, 2, 3, 4])]
        let (edited, gone) = (Self.login("Edited", "1", user: "e"), Self.login("Gone", "2", user: "g"))
        try await vault.apply(importing: [counting, edited, gone, Self.login("Mine", "new")])
        _ = try await vault.code(of: counting.id)
        try await vault.edit(edited.id) { $0.notes = "mine" }
        try await vault.edit(mine.id) { $0.notes = "mine" }
        try await vault.write { try $0.purge(gone.id) }
        let plan = try #require(try await vault.plan(undoing: .import))
        // A code that was used is no change by a person.
        #expect(plan.lines.map(\.outcome) == [.trashed, .changed, .missing, .changed])
        let all = try #require(try await vault.plan(undoing: .import, includesChanged: true))
        #expect(all.lines.map(\.outcome) == [.trashed, .trashed, .missing, .reverted])
        try await vault.undo(.import)
        #expect(try await vault.item(mine.id).notes == "mine")
        #expect(try await vault.summaries(inTrash: true).map(\.id) == [counting.id])
    }

    @Test func `an import older than thirty days is not possible`() async throws {
        let fixture = try VaultFixture()
        let vault = try await fixture.create()
        try await vault.apply(importing: [Self.login("Mine", "old")])
        fixture.world.advance(by: 30 * 86_400)
        #expect(try await vault.plan(undoing: .import) != nil)
        fixture.world.advance(by: 1)
        #expect(try await vault.plan(undoing: .import) == nil)
    }

    @Test func `a merge loses nothing and brings back both items`() async throws {
        let fixture = try VaultFixture()
        let vault = try await fixture.create()
        var (one, other) = (Self.login("One", "old"), Self.login("Other", "new", user: "Ada@example.com"))
        one.sites = [Site("https://example.com", match: .exact)]
        one.attachments = [Attachment(name: "a.txt", content: [1]), Attachment(name: "b.txt", content: [2])]
        other.sites = [Site("https://example.com"), Site(.androidApp("com.example"))]
        other.passkeys = [try Self.passkey(1)]
        other.codes = [try OneTimePassword("JBSWY3DPEHPK3PXP")]
        other.attachments = [Attachment(name: "a.txt", content: [1]), Attachment(name: "b.txt", content: [3])]
        other.notes = "note"
        other.fields = [Field(label: "PIN", text: "1234", isConcealed: true)]
        other.tags = ["Work"]
        other.extensions = ["com.example": [9]]
        one.extensions = ["com.example": [8]]
        let (first, second) = (one, other)
        try await vault.write { transaction in
            try transaction.add(first)
            try transaction.add(second)
        }
        let before = try await contents(vault)
        let entries = try await vault.status().entries
        let rehearsed = try await vault.merge([first.id, second.id], isRehearsal: true)
        #expect(try await vault.status().entries == entries)
        #expect(try await contents(vault) == before)
        let plan = try await vault.merge([first.id, second.id])
        #expect(plan.gains == rehearsed.gains && plan.others == [second.id])
        #expect(
            plan.gains == [
                .earlierPasswords: 1, .passkeys: 1, .codes: 1, .sites: 2, .notes: 1, .fields: 3, .attachments: 1,
                .tags: 1,
            ]
        )
        let item = try await vault.item(first.id)
        #expect(item.password?.value == "old" && item.password?.history.map(\.value) == ["new"])
        #expect(item.sites.map(\.match) == [.exact, .domain, .domain])
        #expect(Set(item.fields.map(\.value.text)) == ["Ada@example.com", "Other", "1234"])
        #expect(Set(item.extensions.values) == [[8], [9]])
        var files: [[UInt8]] = []
        for file in item.attachments { files.append(try await vault.content(of: file, in: item.id)) }
        #expect(files == [[1], [2], [3]])
        #expect(try await vault.summaries(inTrash: true).map(\.id) == [second.id])
        try await vault.undo(.merge)
        #expect(try await contents(vault) == before)
        #expect(try await vault.content(of: before[second.id]!.attachments[1], in: second.id) == [3])
    }

    @Test func `a merge is not possible if an item of it is gone, or changed and nobody says so`() async throws {
        let fixture = try VaultFixture()
        let vault = try await fixture.create()
        let (one, other) = (Self.login("One", "1"), Self.login("Other", "2"))
        try await vault.write { transaction in
            try transaction.add(one)
            try transaction.add(other)
        }
        try await vault.merge([one.id, other.id])
        try await vault.edit(one.id) { $0.notes = "mine" }
        await #expect(throws: VaultError(.conflict, "")) { try await vault.undo(.merge) }
        #expect(try await vault.item(one.id).notes == "mine")
        #expect(try await vault.plan(undoing: .merge, includesChanged: true)?.isPossible == true)
        try await vault.emptyTrash()
        await #expect(throws: VaultError(.conflict, "")) { try await vault.undo(.merge, includesChanged: true) }
        #expect(try await vault.item(one.id).password?.history.map(\.value) == ["2"])
    }

    @Test func `a merge of other kinds, of one item or with the trash is refused`() async throws {
        let fixture = try VaultFixture()
        let vault = try await fixture.create()
        let (one, note, old) = (Self.login("One", "1"), Item(.note, title: "Note"), Self.login("Old", "2"))
        try await vault.write { transaction in
            for item in [one, note, old] { try transaction.add(item) }
            try transaction.trash(old.id)
        }
        for ids in [[one.id, note.id], [one.id, one.id], [one.id], [one.id, old.id], [old.id, one.id]] {
            await #expect(throws: VaultError(.conflict, "")) { try await vault.merge(ids) }
        }
        #expect(try await vault.summaries().count == 2)
    }

    @Test func `a split moves one part, and brings it back`() async throws {
        let fixture = try VaultFixture()
        let vault = try await fixture.create()
        var full = Self.login("Full", "pw", user: "Ada Lovelace")
        full.passkeys = [try Self.passkey(1)]
        full.codes = [try OneTimePassword("JBSWY3DPEHPK3PXP")]
        let item = full
        try await vault.add(item)
        let before = try await contents(vault)
        for (part, name) in [(nil, "ada"), (.codes, "Ada Lovelace"), (SplitPlan.Part.password, "Ada Lovelace")] {
            let plan = try await vault.split(item.id, part)
            #expect(plan.part == part ?? .passkeys && plan.count == 1 && plan.username == name)
            let (rest, new) = (try await vault.item(item.id), try await vault.item(plan.new))
            #expect(new.title == "Full" && new.sites == item.sites && new.username == name)
            #expect([rest, new].map(\.passkeys.count).reduce(0, +) == 1)
            #expect([rest, new].map(\.codes.count).reduce(0, +) == 1)
            #expect([rest, new].compactMap(\.password).count == 1)
            try await vault.undo(.split)
            #expect(try await contents(vault) == before)
        }
        try await vault.split(item.id, .codes)
        await #expect(throws: VaultError(.conflict, "")) { try await vault.split(item.id, .codes) }
        try await vault.split(item.id, .passkeys)
        await #expect(throws: VaultError(.conflict, "")) { try await vault.split(item.id, .password) }
    }
}
