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
        /// What servers say although they took the upload.
        var complaints: [String: ServerError] = [:]
        /// The server that drops out as soon as another one is asked.
        var leaving: (host: String, whenAsked: String)?
    }

    private let state = Mutex(State())

    /// The servers that were asked, in order.
    var asked: [String] { state.withLock { $0.asked } }
    var invitations: [String?] { state.withLock { $0.invitations } }

    func fail(_ host: String, _ error: ServerError?) { state.withLock { $0.failures[host] = error } }
    func complain(_ host: String, _ error: ServerError) { state.withLock { $0.complaints[host] = error } }
    func breaks(_ host: String, whenAsked other: String) { state.withLock { $0.leaving = (host, other) } }
    func forget() { state.withLock { ($0.asked, $0.invitations) = ([], []) } }

    func run(_ address: ServerAddress, _ invitation: String?) -> SyncRun {
        SyncRun(sync: {
            let complaint: ServerError? = try self.state.withLock { state in
                state.asked.append(address.host)
                state.invitations.append(invitation)
                if let leaving = state.leaving, leaving.whenAsked == address.host {
                    (state.failures[leaving.host], state.leaving) = (ServerError(.unreachable), nil)
                }
                if let error = state.failures[address.host] { throw error }
                return state.complaints[address.host]
            }
            var report = SyncReport()
            report.taken = 1
            report.serverTroubles = [complaint].compactMap(\.self)
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
        #expect(state.needs?.first?.message.contains("ward sync move \(Self.new)") == true, "nobody else did it")
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

    /// Between the decision to follow and its writing a person can switch sync off.
    @Test func `is not followed by a device whose person decided otherwise meanwhile`() async throws {
        let fixture = try await makeFixture()
        let (syncer, vault) = (fixture.agent.syncer, try await fixture.agent.session.file())
        let place = SyncSetting.Place.server(try #require(ServerAddress(Self.new)))
        let number = await syncer.switchCount
        try await syncer.switchOff(vault)
        let isOn = try await syncer.switchOn(vault, with: place, unlessSwitchedSince: number)
        #expect(!isOn)
        #expect(try await SyncSetting.read(from: vault) == nil)
        try await vault.move(to: Self.new, from: Self.old, Passphrase(Self.passphrase))
        let position = try await vault.position()
        let old = SyncSetting.Place.server(try #require(ServerAddress(Self.old)))
        for round in 0..<50 {
            try await syncer.switchOn(vault, with: old, knowing: [])
            async let followed: Void = syncer.follow(vault, broughtUpTo: position)
            for _ in 0..<(round % 7) { await Task.yield() }
            try await syncer.switchOff(vault)
            await followed
            #expect(try await SyncSetting.read(from: vault) == nil, "round \(round)")
        }
        try await fixture.close()
    }

    // MARK: Interrupted moves

    private static let unreachable = AgentError(.init(rawValue: "server_unreachable"), "")

    /// A move that was signed, and then the server before could not be reached.
    private func makeInterrupted() async throws -> AgentFixture {
        let fixture = try await makeFixture()
        servers.breaks("old.example.org", whenAsked: "new.example.org")
        let error = await #expect(throws: AgentError(.init(rawValue: "earlier_place"), "")) {
            try await fixture.call(MoveSync(passphrase: Self.passphrase, server: Self.new))
        }
        for words in ["\(Self.new) --old-server-gone", "Ward tries again"] {
            #expect(error?.message.contains(words) == true, "\(error?.message ?? "")")
        }
        #expect(try await moves(fixture).count == 1)
        return fixture
    }

    /// The device stays with the server before, and says what to do.
    private func expectUnfinished(_ fixture: AgentFixture) async throws {
        await #expect(throws: Self.unreachable) { try await fixture.call(SyncNow(authorization: Self.quiet)) }
        let state = try await fixture.call(SyncStatus())
        #expect(state.server == Self.old && state.needs?.map(\.code) == ["server_unreachable", "vault_moved"])
        #expect(state.needs?.last?.message.contains("not finished") == true)
        #expect(state.needs?.last?.message.contains("ward sync move \(Self.new) --old-server-gone") == true)
    }

    @Test func `stays until its other devices can hear of it, and the same call finishes it`() async throws {
        let fixture = try await makeInterrupted()
        try await expectUnfinished(fixture)
        servers.fail("old.example.org", nil)
        let entries = try await moves(fixture).map(\.entry)
        servers.forget()
        let done = try await fixture.call(MoveSync(passphrase: Self.passphrase, server: Self.new))
        #expect(done.state.server == Self.new && done.state.needs == nil)
        #expect(try await moves(fixture).map(\.entry) == entries, "it was signed already")
        #expect(turns() == ["old.example.org", "new.example.org", "old.example.org", "new.example.org"])
        try await fixture.close()
    }

    @Test func `goes on by itself when the server before is there again`() async throws {
        let fixture = try await makeInterrupted()
        servers.fail("old.example.org", nil)
        _ = try await fixture.agent.syncer.now()
        let state = try await fixture.call(SyncStatus())
        #expect(state.server == Self.new && state.needs == nil)
        #expect(fixture.notes.shown.contains { $0.contains("new.example.org") })
        try await fixture.close()
    }

    /// After a restart nobody knows any more that the move was not brought: the syncs say so.
    @Test func `that is only in the log of this device after a restart stays too`() async throws {
        let fixture = try await makeFixture()
        servers.fail("old.example.org", ServerError(.unreachable))
        let vault = try await fixture.agent.session.file()
        try await vault.move(to: Self.new, from: Self.old, Passphrase(Self.passphrase))
        for _ in 0..<2 {
            _ = try await fixture.call(Lock())
            await fixture.agent.syncer.look()
            _ = try await fixture.call(Unlock(authorization: Authorization(passphrase: Self.passphrase)))
            try await expectUnfinished(fixture)
        }
        servers.fail("old.example.org", nil)
        _ = try await fixture.agent.syncer.now()
        #expect(try await fixture.call(SyncStatus()).server == Self.new)
        try await fixture.close()
    }

    /// A sync that began before the move was signed does not have it, however well it ends.
    @Test func `is not in the place before because a sync ends well that began earlier`() async throws {
        let fixture = try await makeFixture()
        let (syncer, vault) = (fixture.agent.syncer, try await fixture.agent.session.file())
        servers.fail("old.example.org", ServerError(.unreachable))
        let before = try await vault.position()
        try await vault.move(to: Self.new, from: Self.old, Passphrase(Self.passphrase))
        await #expect(throws: ServerError(.unreachable)) { try await syncer.now() }
        let after = try await vault.position()
        let cases: [(Int64?, String)] = [(nil, Self.old), (before, Self.old), (after, Self.new)]
        for (position, server) in cases {
            await syncer.follow(vault, broughtUpTo: position)
            #expect(await syncer.setting?.server?.text == server)
        }
        try await fixture.close()
    }

    @Test(arguments: [true, false])
    func `is finished without the server before if that is gone for good`(isMoved: Bool) async throws {
        let fixture = try await makeInterrupted()
        servers.forget()
        if isMoved {
            let method = MoveSync(passphrase: Self.passphrase, server: Self.new, isEarlierGone: true)
            #expect(try await fixture.call(method).state.server == Self.new)
        } else {
            let on = SwitchSyncOn(passphrase: Self.passphrase, server: Self.new)
            #expect(try await fixture.call(on).state.server == Self.new)
        }
        let state = try await fixture.call(SyncStatus())
        #expect(state.needs == nil && turns() == ["new.example.org"])
        #expect(try await moves(fixture).count == 1)
        try await fixture.close()
    }

    /// A disk was copied once, and the log has what both copies wrote: each new server says so when it gets the log.
    @Test(arguments: [
        (ServerError.Code.equivocation, ""), (.quotaExceeded, "quota_exceeded"), (.blobMissing, "blob_missing"),
    ])
    func `is not kept from a server by two entries with one number`(code: ServerError.Code, said: String)
        async throws
    {
        let fixture = try await makeFixture()
        servers.complain("new.example.org", ServerError(code))
        let method = MoveSync(passphrase: Self.passphrase, server: Self.new)
        if said.isEmpty {
            #expect(try await fixture.call(method).state.server == Self.new)
        } else {
            await #expect(throws: AgentError(.init(rawValue: said), "")) { try await fixture.call(method) }
        }
        #expect(try await moves(fixture).isEmpty == !said.isEmpty)
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
        #expect(try open([first]).map(\.own) == [[]])
        var own = try Self.entry(4, to: Self.new, from: Self.old)
        own.isOwnAct = true
        #expect(try open([own]).map(\.own) == [[own.entry]])
        for both in [[first, own], [own, first]] {
            #expect(try open(both).map(\.own) == [[]], "another device tells it too")
        }
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
