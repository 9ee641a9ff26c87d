import Testing
import WardAgentClient
import WardCOSE
import WardWebAuthn
@testable import WardAgent
@testable import WardVault

/// What the agent's methods refuse in a vault with one item.
@Suite(.agents, .timeLimit(.minutes(15))) struct `Requests of ward that cannot be met` {
    private static let quiet = Authorization(mayPrompt: false)
    private static let options = """
        {"rp":{"id":"example.com","name":"Example"},"user":{"id":"dXNlcg","name":"ada","displayName":"Ada"},\
        "challenge":"Y2hhbGxlbmdlLWNoYWxsZW5nZQ","pubKeyCredParams":[{"type":"public-key","alg":-7}]}
        """

    /// A fixture with a passkey for example.com and a note, in an open vault.
    private func makeFixture() async throws -> AgentFixture {
        let fixture = try await AgentFixture()
        try await fixture.create()
        let authorization = Authorization(passphrase: AgentFixture.passphrase)
        _ = try await fixture.call(
            CreatePasskey(authorization: authorization, origin: "https://example.com", options: Self.options)
        )
        var change = ItemChange()
        (change.title, change.password) = ("Note", "secret")
        _ = try await fixture.call(AddItem(authorization: Self.quiet, change: change))
        return fixture
    }

    private func refused<Method: AgentMethod>(
        _ code: AgentError.Code,
        _ method: Method,
        _ fixture: AgentFixture,
        _ text: String = ""
    ) async {
        let error = await #expect(throws: AgentError.self) { _ = try await fixture.call(method) }
        #expect(
            error?.code == code && (text.isEmpty || error?.message.contains(text) == true),
            "\(String(describing: error))"
        )
    }

    @Test func `an item needs a title`() async throws {
        let fixture = try await makeFixture()
        for title in [nil, ""] {
            var change = ItemChange()
            change.title = title
            await refused(.invalidValue, AddItem(authorization: Self.quiet, change: change), fixture, "needs a title")
        }
        for title in ["", "\n"] {
            let method = CloneItem(authorization: Self.quiet, item: "Note", title: title)
            await refused(.invalidValue, method, fixture, "needs a title")
        }
        #expect(try await fixture.call(ListItems(authorization: Self.quiet)).items.count == 2)
        try await fixture.close()
    }

    @Test func `an item without codes says how to add one`() async throws {
        let fixture = try await makeFixture()
        let method = ShowCode(authorization: Self.quiet, item: "Note")
        await refused(.itemMissing, method, fixture, "no verification code")
        var change = ItemChange()
        change.title = "Coded"
        change.addCodes = ["otpauth://totp/x?secret=JBSWY3DPEHPK3PXP"]
        _ = try await fixture.call(AddItem(authorization: Self.quiet, change: change))
        for index in [1, -1, .max, .min] {
            let method = ShowCode(authorization: Self.quiet, item: "Coded", index: index)
            await refused(.itemMissing, method, fixture, "1 verification codes, counted from 0")
        }
        try await fixture.close()
    }

    @Test func `no passkey is removed without its ID`() async throws {
        let fixture = try await makeFixture()
        for id in ["", "no-such-passkey"] {
            await refused(.itemMissing, RemovePasskey(authorization: Self.quiet, credentialID: id), fixture)
        }
        #expect(try await fixture.call(ListPasskeys(authorization: Self.quiet)).passkeys.count == 1)
        try await fixture.close()
    }

    @Test func `the beginning of several credential IDs names none of them`() async throws {
        let fixture = try await makeFixture()
        let passkeys = [UInt8(1), 2].map { last in
            StoredPasskey(
                credentialID: CredentialID([1, last])!,
                rpID: "example.org",
                userHandle: UserHandle([1])!,
                algorithm: .es256,
                privateKey: SecretBytes([1]),
                createdAt: 0
            )
        }
        try await fixture.agent.session.file().write { try $0.add(Item(title: "Two", passkeys: passkeys)) }
        await refused(.ambiguous, RemovePasskey(authorization: Self.quiet, credentialID: "AQ"), fixture)
        #expect(try await fixture.call(ListPasskeys(authorization: Self.quiet)).passkeys.count == 3)
        try await fixture.close()
    }

    @Test func `a passkey signs for its own domain alone`() async throws {
        let fixture = try await makeFixture()
        let vault = try await fixture.agent.session.file()
        let known = try await vault.passkeys(for: "example.com", includingHidden: true)
        let id = try #require(known.first).passkey.credentialID
        let store = VaultPasskeyStore(vault: vault)
        #expect(try await !store.sign([1], with: id, for: "example.com").isEmpty)
        await #expect(throws: (any Error).self) { try await store.sign([1], with: id, for: "example.org") }
        try await fixture.close()
    }

    @Test func `an item without a password or a code gives an app none`() async throws {
        let fixture = try await makeFixture()
        let vault = try await fixture.agent.session.file()
        let item = Item(title: "Empty", password: Password("", changedAt: 0))
        try await vault.write { try $0.add(item) }
        #expect(try await vault.item(item.id).password != nil)
        let provider = VaultProvider(vault: vault, effects: .live)
        let entry = ProviderEntry(
            provider: provider.identifier,
            reference: item.id.text,
            kind: .password,
            domain: "example.com",
            user: ""
        )
        await #expect(throws: AgentError(.nothingAvailable, "")) {
            _ = try await provider.password(entry, for: "Shiny")
        }
        await #expect(throws: AgentError(.nothingAvailable, "")) { _ = try await provider.code(entry, for: "Shiny") }
        try await fixture.close()
    }

    @Test func `a title that two items have is not an exact one`() async throws {
        let fixture = try await makeFixture()
        var change = ItemChange()
        change.title = "Note"
        _ = try await fixture.call(AddItem(authorization: Self.quiet, change: change))
        await refused(.ambiguous, FindItem(authorization: Self.quiet, item: "Note"), fixture, "Use the ID")
        await refused(.itemMissing, FindItem(authorization: Self.quiet, item: "Not"), fixture)
        try await fixture.close()
    }

    @Test func `a number or a beginning that several revisions have names none of them`() async throws {
        let fixture = try await makeFixture()
        let vault = try await fixture.agent.session.file()
        let item = try #require(try await vault.summaries().first)
        let device = try #require(try await vault.history(of: item.id).first).device
        let states = [(UInt8(1), 1), (2, 2), (3, 2)].map { last, number in
            ItemRevision(
                id: RevisionID([UInt8](repeating: 7, count: 31) + [last]),
                number: number,
                time: 0,
                device: device,
                change: nil,
                title: nil
            )
        }
        #expect(try ItemMethods.revision("1", among: states) == states[0].id)
        #expect(try ItemMethods.revision(states[1].id.text, among: states) == states[1].id)
        #expect(throws: AgentError(.ambiguous, "")) { try ItemMethods.revision("2", among: states) }
        for text in [String(states[0].id.text.prefix(8)), "3", "", "zzzz"] {
            #expect(throws: AgentError(.itemMissing, "")) { try ItemMethods.revision(text, among: states) }
        }
        try await fixture.close()
    }

    @Test func `nobody is asked where prompts are off`() async throws {
        let fixture = try await makeFixture()
        await refused(.locked, SalvageVault(authorization: Self.quiet), fixture, "--passphrase-fd")
        await refused(.denied, SetPIN(authorization: Self.quiet, pin: "2580"), fixture, "prompts are off")
        #expect(fixture.person.asked.isEmpty)
        try await fixture.close()
    }

    @Test func `a folder of backups keeps at least one`() async throws {
        let fixture = try await makeFixture()
        for keep in [0, -1] {
            let method = BackUpVault(authorization: Self.quiet, path: fixture.folder + "/backups", keep: keep)
            await refused(.invalidValue, method, fixture)
        }
        try await fixture.close()
    }

    @Test func `what was saved from a vault goes to a new folder`() async throws {
        let fixture = try await makeFixture()
        let authorization = Authorization(passphrase: AgentFixture.passphrase)
        let relative = SalvageVault(authorization: authorization, folder: "saved")
        await refused(.invalidValue, relative, fixture, "absolute path")
        await refused(
            .conflict,
            SalvageVault(authorization: authorization, folder: fixture.folder),
            fixture,
            "exists already"
        )
        try await fixture.close()
    }

    @Test func `a damaged item is listed where it belongs`() {
        var item = Item(title: "Example")
        (item.username, item.tags) = ("ada", ["work"])
        let summary = ItemSummary(item)
        func isShown(_ change: (inout ListItems) -> Void) -> Bool {
            var method = ListItems(authorization: Self.quiet)
            change(&method)
            return ItemSearch.isShown(summary, by: method)
        }
        #expect(isShown { _ in })
        #expect(isShown { ($0.kind, $0.tag, $0.query) = (summary.kind.rawValue, "work", "exam ADA") })
        #expect(!isShown { $0.inTrash = true })
        #expect(!isShown { $0.site = "example.com" })
        #expect(!isShown { $0.kind = "card" })
        #expect(!isShown { $0.tag = "home" })
        #expect(!isShown { $0.query = "other" })
    }
}
