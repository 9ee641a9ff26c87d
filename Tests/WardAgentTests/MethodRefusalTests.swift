import Testing
import WardAgentClient
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
