import Foundation
import Testing

@testable import WardAgent
import WardAgentClient

@Suite(.agents, .timeLimit(.minutes(15))) struct `What an app may call` {
    private static let quiet = Authorization(passphrase: AgentFixture.passphrase, mayPrompt: false)

    private func code(_ fixture: AgentFixture, _ method: some AgentMethod) async -> AgentError.Code? {
        do {
            _ = try await fixture.call(method)
            return nil
        } catch {
            return (error as? AgentError)?.code
        }
    }

    private static let managers: [any AgentMethod] = [
        Status(), CreateVault(passphrase: "x"), CheckRecoveryKey(recoveryKey: "x"),
        ReplaceRecoveryKey(authorization: quiet), Unlock(authorization: quiet),
        Recover(recoveryKey: "x", passphrase: "y"), ChangePassphrase(old: AgentFixture.passphrase, new: "x"), Lock(),
        VerifyLog(authorization: quiet), StopAgent(), ListItems(authorization: quiet),
        GetItem(authorization: quiet, item: "x", reveal: true), AddItem(authorization: quiet, change: ItemChange()),
        EditItem(authorization: quiet, item: "x", change: ItemChange()), RemoveItem(authorization: quiet, item: "x"),
        GetAttachment(authorization: quiet, item: "x", attachment: "y"),
        RestoreItem(authorization: quiet, item: "x"), ItemHistory(authorization: quiet, item: "x"),
        ShowCode(authorization: quiet, item: "x"), ListPasskeys(authorization: quiet),
        RemovePasskey(authorization: quiet, credentialID: "x"),
        CreatePasskey(authorization: quiet, origin: "https://example.com", options: "{}"),
        UsePasskey(authorization: quiet, origin: "https://example.com", options: "{}"),
        SwitchPasskeys(isOn: false), DesktopStatus(), SwitchDesktop(isOn: true), ListApps(), CheckApp(path: "/bin/ls"),
        RemoveApp(app: "x"),
        AddApp(path: "/bin/ls", identifier: "com.example.x", displayName: "x"),
        VerificationStatus(), SetPIN(authorization: quiet, pin: nil),
        SwitchFingerprint(authorization: quiet, isOn: false), QuickUnlockStatus(),
        AuditVault(authorization: quiet), ListPasskeyDomains(authorization: quiet),
        ListLeakPrefixes(authorization: quiet), AddLeakRanges(ranges: []),
        SearchLeakFile(authorization: quiet, path: "/x"), IgnoreFindings(authorization: quiet, item: "x"),
        ListSitesWithoutAppearance(authorization: quiet), KeepSiteAppearances(authorization: quiet, sites: []),
        RemoveSiteAppearances(authorization: quiet),
        MergeItems(authorization: quiet, items: ["x", "y"], apply: true),
        SplitItem(authorization: quiet, item: "x", part: nil, apply: true),
        UndoStep(authorization: quiet, kind: "merge", apply: true),
        SwitchQuickUnlock(authorization: quiet, pin: nil), ListBrowsers(), ForgetBrowser(browser: "x"),
        BeginExport(authorization: quiet, format: "x", isSealed: true), FetchExport(),
        BeginCircle(passphrase: AgentFixture.passphrase, folder: "/x"),
        SwitchSyncOn(passphrase: AgentFixture.passphrase, folder: "/x"), SwitchSyncOff(authorization: quiet),
        SyncStatus(), SyncNow(authorization: quiet), CompareSync(authorization: quiet),
        RepairSync(passphrase: AgentFixture.passphrase), BeginServerSignIn(server: "https://sync.example.org"),
        ServerSignInStatus(server: "https://sync.example.org", code: "x"),
        MoveSync(passphrase: AgentFixture.passphrase, server: "https://sync.example.org"),
        ListDevices(authorization: quiet), ListDeviceRequests(authorization: quiet),
        AddDevice(request: "x", passphrase: AgentFixture.passphrase),
        RemoveDevices(devices: ["x"], passphrase: AgentFixture.passphrase),
        RekeyDevices(passphrase: AgentFixture.passphrase), RenameDevice(authorization: quiet, deviceName: "x"),
        BeginJoin(folder: "/x"), JoinStatus(folder: "/x"),
        FinishJoin(folder: "/x", passphrase: AgentFixture.passphrase), AbandonJoin(folder: "/x"),
        BeginMeeting(authorization: quiet), MeetingStatus(), EndMeeting(),
        AcceptMeeting(request: "x", passphrase: AgentFixture.passphrase),
        JoinMeeting(server: "https://sync.example.org", code: "x"), JoinMeetingStatus(), LeaveMeeting(),
        FinishMeeting(passphrase: AgentFixture.passphrase),
    ]

    @Test func `is nothing of the manager's, even with the passphrase`() async throws {
        let switching = Count()
        let fixture = try await AgentFixture.forApp(isManager: { switching.value == 0 })
        try await fixture.create()
        switching.up()
        for method in Self.managers {
            #expect(await code(fixture, method) == .appUnknown, "\(type(of: method).name)")
        }
        #expect(await code(fixture, Unheard()) == .appUnknown)
        #expect(try await fixture.call(AppIdentity()).identifier == "com.example.shiny")
        try await fixture.abandon()
    }

    @Test func `is what its type says, and that agrees with its name`() async throws {
        let fixture = try await AgentFixture()
        let table = fixture.agent.methods
        for name in table.names {
            let isForApps = if case .app? = table[name] { true } else { false }
            #expect(isForApps == name.hasPrefix("app."), "\(name)")
            let isForBrowsers = if case .browser? = table[name] { true } else { false }
            #expect(isForBrowsers == name.hasPrefix(BrowserMessage.prefix), "\(name)")
        }
        #expect(
            table.names.filter { $0.hasPrefix("app.") }.sorted() == [
                "app.authorize", "app.enableProvider", "app.identity", "app.save", "app.signal", "app.suggest",
                "app.unlock",
            ]
        )
        #expect(table.names.count == 124 && Self.managers.allSatisfy { table.names.contains(type(of: $0).name) })
        try await fixture.close()
    }

    private struct Unheard: AgentMethod {
        static let name = "apps.nothing"
        typealias Result = Done
    }

    @Test func `is everything for the program that the agent itself runs`() async throws {
        let fixture = try await AgentFixture()
        try await fixture.create()
        #expect(try await fixture.call(ListApps()).apps.isEmpty)
        #expect(await code(fixture, Unheard()) == .unknownMethod)
        try await fixture.close()
    }
}

@Suite(.agents) struct `The manager's own programs` {
    private let own: PeerProcess.Snapshot
    init() throws { own = try #require(PeerProcess.own?.snapshot) }

    private func snapshot(
        of path: String,
        mounts: FileIdentity? = nil
    ) throws -> PeerProcess.Snapshot {
        PeerProcess.Snapshot(
            executable: try #require(FileIdentity(path: path)),
            path: path,
            mounts: mounts ?? own.mounts
        )
    }

    @Test func `are the agent's executable and those that its environment names`() throws {
        let managers = ManagerPrograms(environment: ["WARD_MANAGERS": "/bin/cat:relative:/nowhere"], own: own)
        #expect(managers.includes(own))
        #expect(try managers.includes(snapshot(of: "/bin/cat")))
        #expect(try !managers.includes(snapshot(of: "/bin/ls")))
        #expect(try !ManagerPrograms(environment: [:], own: own).includes(snapshot(of: "/bin/cat")))
    }

    @Test func `are what lies at the agent's path after an update`() throws {
        let old = PeerProcess.Snapshot(
            executable: try #require(FileIdentity(path: "/etc/passwd")),
            path: "/bin/ls (deleted)",
            mounts: own.mounts
        )
        #expect(try ManagerPrograms(environment: [:], own: old).includes(snapshot(of: "/bin/ls")))
        #expect(try !ManagerPrograms(environment: [:], own: old).includes(snapshot(of: "/bin/cat")))
    }

    @Test func `are nothing in another view of the files, and nothing when the agent does not know itself`() throws {
        let elsewhere = try #require(FileIdentity(path: "/"))
        let sandboxed = PeerProcess.Snapshot(executable: own.executable, path: own.path, mounts: elsewhere)
        #expect(!ManagerPrograms(environment: [:], own: own).includes(sandboxed))
        #expect(!ManagerPrograms(environment: ["WARD_MANAGERS": own.path], own: nil).includes(own))
    }
}
