import Foundation
import LocalServing
import NIOHTTP1
import Synchronization
import Testing
import WardAgentClient
import WardLog
@testable import WardAgent
@testable import WardSync
@testable import WardVault

/// Servers that take everything, or fail as a test says.
private final class ScriptedServers: Sendable {
    private struct State {
        var asked: [String] = []
        var failures: [String: ServerError] = [:]
        var invitations: [String?] = []
    }

    private let state = Mutex(State())

    /// The servers that were asked, in order.
    var asked: [String] { state.withLock { $0.asked } }
    var invitations: [String?] { state.withLock { $0.invitations } }

    func fail(_ host: String, _ error: ServerError?) { state.withLock { $0.failures[host] = error } }
    func forget() { state.withLock { ($0.asked, $0.invitations) = ([], []) } }

    func run(_ address: ServerAddress, _ invitation: String?) -> SyncRun {
        SyncRun(sync: {
            try self.state.withLock { state in
                state.asked.append(address.host)
                state.invitations.append(invitation)
                if let error = state.failures[address.host] { throw error }
            }
            var report = SyncReport()
            report.taken = 1
            return report
        })
    }
}

@Suite(.agents, .timeLimit(.minutes(15))) struct `A vault that moves to another server` {
    private static let quiet = Authorization(mayPrompt: false)
    private static let passphrase = AgentFixture.passphrase
    private static let (old, new) = ("https://old.example.org", "https://new.example.org")

    private let servers = ScriptedServers()

    /// An agent with an open vault that syncs with the old server.
    private func makeFixture() async throws -> AgentFixture {
        let servers = servers
        let fixture = try await AgentFixture(configure: { configuration in
            configuration.serverSync = { _, address, beginning, _ in servers.run(address, beginning.invitation) }
            configuration.folderSync = { _, _, _ in { SyncReport() } }
        })
        try await fixture.create()
        _ = try await fixture.call(BeginCircle(passphrase: Self.passphrase, server: Self.old))
        _ = try await fixture.call(SwitchSyncOn(passphrase: Self.passphrase, server: Self.old))
        servers.forget()
        return fixture
    }

    private func move(_ fixture: AgentFixture, to address: String, from earlier: String?) async throws {
        let vault = try await fixture.agent.session.file()
        try await vault.move(to: address, from: earlier, Passphrase(Self.passphrase))
        _ = try await fixture.agent.syncer.now()
    }

    /// The servers that were asked, each once in a row.
    private func turns() -> [String] {
        servers.asked.reduce(into: []) { if $0.last != $1 { $0.append($1) } }
    }

    private func moves(_ fixture: AgentFixture) async throws -> [VaultMove] {
        try await fixture.agent.session.file().circle()?.moves ?? []
    }

    @Test func `is followed by a device that syncs with the server before`() async throws {
        let fixture = try await makeFixture()
        try await move(fixture, to: Self.new, from: Self.old)
        let state = try await fixture.call(SyncStatus())
        #expect(state.server == Self.new && state.needs == nil)
        // The person may go back, and the move of before does nothing again.
        _ = try await fixture.call(SwitchSyncOn(passphrase: Self.passphrase, server: Self.old))
        _ = try await fixture.call(SyncNow(authorization: Self.quiet))
        #expect(try await fixture.call(SyncStatus()).server == Self.old)
        try await fixture.close()
    }

    @Test func `is told on a device that syncs elsewhere`() async throws {
        let fixture = try await makeFixture()
        _ = try await fixture.call(SwitchSyncOn(passphrase: Self.passphrase, folder: fixture.folder))
        try await move(fixture, to: Self.new, from: Self.old)
        var state = try await fixture.call(SyncStatus())
        #expect(state.folder == fixture.folder && state.needs?.map(\.code) == ["vault_moved"])
        #expect(state.needs?.first?.message.contains("ward sync on \(Self.new)") == true)
        _ = try await fixture.call(SwitchSyncOn(passphrase: Self.passphrase, folder: fixture.folder))
        state = try await fixture.call(SyncStatus())
        #expect(state.needs == nil, "the person decided")
        try await fixture.close()
    }

    @Test func `is brought there whole before anybody is told`() async throws {
        let fixture = try await makeFixture()
        let method = MoveSync(passphrase: Self.passphrase, server: Self.new, invitation: "token")
        let done = try await fixture.call(method)
        #expect(done.state.server == Self.new && done.state.needs == nil)
        // The entry that tells of the move can begin a sync of its own.
        #expect(turns() == ["old.example.org", "new.example.org", "old.example.org", "new.example.org"])
        #expect(servers.invitations.compactMap(\.self) == ["token"])
        #expect(try await moves(fixture).map(\.address) == [Self.new])
        #expect(try await moves(fixture).map(\.earlier) == [Self.old])
        servers.forget()
        let back = MoveSync(passphrase: Self.passphrase, server: Self.old, isEarlierGone: true)
        #expect(try await fixture.call(back).state.server == Self.old)
        #expect(turns() == ["old.example.org"])
        try await fixture.close()
    }

    @Test(arguments: [
        (ServerError.Code.sessionRefused, "new.example.org", "session_refused"),
        (.quotaExceeded, "new.example.org", "quota_exceeded"), (.unreachable, "old.example.org", "earlier_place"),
        // Not to be taken for a new server that asks for an invitation.
        (.sessionRefused, "old.example.org", "earlier_place"),
    ])
    func `stays if a server does not do its part`(code: ServerError.Code, host: String, said: String) async throws {
        let fixture = try await makeFixture()
        servers.fail(host, ServerError(code))
        let error = await #expect(throws: AgentError(.init(rawValue: said), "")) {
            try await fixture.call(MoveSync(passphrase: Self.passphrase, server: Self.new))
        }
        let names = error?.message.contains("ward sync move \(Self.new) --old-server-gone") == true
        #expect(names == (host == "old.example.org"), "\(error?.message ?? "")")
        #expect(try await fixture.call(SyncStatus()).server == Self.old)
        #expect(try await moves(fixture).isEmpty)
        try await fixture.close()
    }

    @Test(arguments: [
        (ServerError.Code.invitationNotValid, "new.example.org", "ward sync move ADDRESS"),
        (.hides, "new.example.org", "ward sync move ADDRESS"),
        // A wrong address of the server before is put right there; a move would fail again.
        (.notFound, "old.example.org", "ward sync on ADDRESS"), (.hides, "old.example.org", "ward sync move ADDRESS"),
    ])
    func `names the command that helps`(code: ServerError.Code, host: String, command: String) async throws {
        let fixture = try await makeFixture()
        servers.fail(host, ServerError(code))
        let error = await #expect(throws: AgentError.self) {
            try await fixture.call(MoveSync(passphrase: Self.passphrase, server: Self.new))
        }
        let message = error?.message ?? ""
        #expect(message.contains(command), "\(message)")
        #expect(!message.replacing(command, with: "").contains("ADDRESS"), "\(message)")
        try await fixture.close()
    }

    @Test func `names the move to a person who signs in at the new server`() async throws {
        let fixture = try await makeFixture()
        let refused = LocalServer.Answer(
            status: .forbidden,
            headers: [("content-type", "application/problem+json")],
            body: Array(#"{"code":"sign_in_refused"}"#.utf8)
        )
        try await LocalServer.with({ _ in refused }) { server in
            let cases: [(Bool?, String)] = [(true, "ward sync move"), (false, "ward sync on"), (nil, "ward sync on")]
            for (isMove, command) in cases {
                let begin = BeginServerSignIn(server: server.base, isMove: isMove)
                let ask = ServerSignInStatus(server: server.base, code: "x", isMove: isMove)
                let first = await #expect(throws: AgentError.self) { try await fixture.call(begin) }
                let second = await #expect(throws: AgentError.self) { try await fixture.call(ask) }
                for error in [first, second] {
                    #expect(error?.code.rawValue == "sign_in_refused")
                    #expect(error?.message.hasSuffix("\(command) ADDRESS") == true, "\(error?.message ?? "")")
                }
            }
        } as Void
        try await fixture.close()
    }

    @Test func `is not said to be tried again if the other server fails`() async throws {
        let fixture = try await makeFixture()
        servers.fail("new.example.org", ServerError(.unreachable))
        let unreachable = AgentError(.init(rawValue: "server_unreachable"), "")
        let moved = await #expect(throws: unreachable) {
            try await fixture.call(MoveSync(passphrase: Self.passphrase, server: Self.new))
        }
        let switched = await #expect(throws: unreachable) {
            try await fixture.call(SwitchSyncOn(passphrase: Self.passphrase, server: Self.new))
        }
        for error in [moved, switched] {
            #expect(error?.message.contains("run the command again") == true, "\(error?.message ?? "")")
            #expect(error?.message.contains("Ward tries again") == false, "\(error?.message ?? "")")
        }
        #expect(try await fixture.call(SyncStatus()).server == Self.old)
        try await fixture.close()
    }

    private static let recoveryKey = "4HCS-VBVG-0000-1111-2222-3333-4444-5555-QCP8"
    private static let secretKey = "AAAAA-BBBBB-CCCCC-DDDDD-EEEEE-FFFFF"

    @Test func `needs the passphrase, and another server`() async throws {
        let fixture = try await makeFixture()
        for (method, code) in [
            (MoveSync(passphrase: "wrong", server: Self.new), "wrong_passphrase"),
            (MoveSync(passphrase: Self.passphrase, server: Self.old), "conflict"),
            (MoveSync(passphrase: Self.passphrase, server: "/folder"), "invalid_value"),
            (MoveSync(passphrase: Self.passphrase, server: Self.new, invitation: "two words"), "invalid_value"),
            // Keys of a vault, with mistakes in them: neither is sent.
            (MoveSync(passphrase: Self.passphrase, server: Self.new, invitation: Self.recoveryKey), "invalid_value"),
            (MoveSync(passphrase: Self.passphrase, server: Self.new, invitation: Self.secretKey), "invalid_value"),
        ] {
            await #expect(throws: AgentError(.init(rawValue: code), "")) { try await fixture.call(method) }
        }
        _ = try await fixture.call(SwitchSyncOff(authorization: Self.quiet))
        await #expect(throws: AgentError(.init(rawValue: "sync_off"), "")) {
            try await fixture.call(MoveSync(passphrase: Self.passphrase, server: Self.new))
        }
        #expect(servers.asked.isEmpty)
        try await fixture.close()
    }

    // MARK: Which moves are open

    private static func entry(_ number: UInt8, to address: String, from earlier: String?) throws -> VaultMove {
        VaultMove(
            entry: [UInt8](repeating: number, count: 32),
            device: try #require(DeviceID([UInt8](repeating: number, count: 16))),
            address: address,
            earlier: earlier
        )
    }

    private func open(_ moves: [VaultMove], _ change: (inout SyncSetting) -> Void = { _ in }) throws -> [Syncer.Move] {
        var setting = SyncSetting(.server(try #require(ServerAddress(Self.old))), since: 0)
        change(&setting)
        #expect(SyncSetting(encoded: setting.encoded) == setting)
        return Syncer.Move.open(moves, setting)
    }

    @Test func `is open until it is known, and two at the same time are for the person`() throws {
        let first = try Self.entry(1, to: Self.new, from: Self.old)
        let other = try Self.entry(2, to: "https://other.example.org", from: Self.old)
        #expect(try open([first]).map(\.isFollowed) == [true])
        #expect(try open([first, other]).count == 2)
        #expect(try open([first, Self.entry(3, to: Self.new, from: nil)]).count == 1, "the same server")
        #expect(try open([first]) { $0.knownMoves = [first.entry] }.isEmpty)
        #expect(
            try open([first, other]) { $0.knownMoves = [first.entry] }.map(\.address.host) == ["other.example.org"]
        )
        #expect(try open([Self.entry(1, to: Self.old, from: Self.new)]).isEmpty, "it is there already")
        #expect(try open([Self.entry(1, to: "javascript:alert(1)", from: Self.old)]).isEmpty)
        #expect(try open([Self.entry(1, to: "http://new.example.org", from: Self.old)]).isEmpty)
        #expect(try open([Self.entry(1, to: Self.new, from: nil)]).map(\.isFollowed) == [false])
        #expect(try open([first]) { $0.place = .folder("/x") }.map(\.isFollowed) == [false])
    }
}
