import Dispatch
import Foundation
import Synchronization
import Testing
import WardAgentClient
import WardWebAuthn

@testable import WardAgent
@testable import WardSync

/// A drive that answers, or holds each sync in a system call.
private final class Drive: Sendable {
    private struct State {
        var answers = true
        var syncs = 0
        var hanging = 0
        var time: Int64 = 1_800_000_000
    }

    private let state = Mutex(State())
    private let gate = DispatchSemaphore(value: 0)

    var syncs: Int { state.withLock { $0.syncs } }
    var hanging: Int { state.withLock { $0.hanging } }
    /// The time of the agent, in seconds since 1970.
    var time: Int64 { state.withLock { $0.time } }

    func pass(seconds: Int64) { state.withLock { $0.time += seconds } }
    func falls() { state.withLock { $0.answers = false } }

    func comesBack() {
        let hanging = state.withLock { state in
            state.answers = true
            return state.hanging
        }
        for _ in 0..<hanging { gate.signal() }
    }

    private func waitInThread() { gate.wait() }

    func run() async throws -> SyncReport {
        let answers = state.withLock { state in
            state.syncs += 1
            if !state.answers { state.hanging += 1 }
            return state.answers
        }
        if !answers {
            waitInThread()
            state.withLock { $0.hanging -= 1 }
        }
        return SyncReport()
    }
}

@Suite(.agents, .timeLimit(.minutes(15))) struct `A folder that does not answer` {
    private static let quiet = Authorization(mayPrompt: false)
    private static let noAnswer = FolderError(.unavailable, "")

    private let clock = ManualClock()
    private let drive = Drive()

    /// An agent with an open vault that syncs with a folder, and did once.
    private func makeFixture() async throws -> AgentFixture {
        let (clock, drive) = (clock, drive)
        let fixture = try await AgentFixture(
            idleLock: 0,
            configure: { configuration in
                configuration.openLimit = 0
                configuration.clock = { clock.now }
                configuration.effects.now = { drive.time }
                configuration.folderSync = { _, _, _ in { try await drive.run() } }
            }
        )
        try await fixture.create()
        let begin = BeginCircle(passphrase: AgentFixture.passphrase, server: "https://sync.example.org")
        _ = try await fixture.call(begin)
        let vault = try await fixture.agent.session.file()
        try await fixture.agent.syncer.switchOn(vault, with: .folder(fixture.folder))
        _ = try await fixture.agent.syncer.now()
        return fixture
    }

    /// Asks for a sync, and returns when it hangs in the drive.
    private func hang(_ fixture: AgentFixture) async -> Task<SyncReport, any Error> {
        drive.falls()
        let syncer = fixture.agent.syncer
        let waiting = Task { try await syncer.now() }
        while drive.hanging == 0 { await Task.yield() }
        return waiting
    }

    /// Looks once, and waits until a sync that began has ended.
    private func look(_ fixture: AgentFixture) async {
        await fixture.agent.syncer.look()
        while await fixture.agent.syncer.isRunning { await Task.yield() }
    }

    @Test func `is given up after more than an hour, and then it is said`() async throws {
        let fixture = try await makeFixture()
        let syncer = fixture.agent.syncer
        let waiting = await hang(fixture)
        let before = drive.syncs
        clock.advance(FolderVisits.longest)
        await syncer.look()
        #expect(await syncer.isRunning, "it may still read")
        #expect(try await fixture.call(SyncStatus()).needs == nil)
        clock.advance(.seconds(1))
        await syncer.look()
        await #expect(throws: Self.noAnswer) { try await waiting.value }
        let state = try await fixture.call(SyncStatus())
        #expect(!state.isRunning && state.nextIn != nil)
        #expect(state.needs?.map(\.code) == ["folder_unavailable"] && state.trouble?.code == "folder_unavailable")
        #expect(state.needs?.first?.message.contains("\(fixture.folder) does not answer") == true)
        await #expect(throws: AgentError(.init(rawValue: "folder_unavailable"), "")) {
            try await fixture.call(SyncNow(authorization: Self.quiet))
        }
        #expect(drive.syncs == before && drive.hanging == 1)
        drive.comesBack()
        // Nobody asks: the sync that hung says that the folder answers.
        while try await fixture.call(SyncStatus()).trouble != nil { await Task.yield() }
        #expect(drive.syncs > before && drive.hanging == 0)
        try await fixture.close()
    }

    @Test func `holds one thread, however often the vault is locked and opened`() async throws {
        let fixture = try await makeFixture()
        let syncer = fixture.agent.syncer
        let first = await hang(fixture)
        let before = drive.syncs
        for _ in 0..<3 {
            _ = try await fixture.call(Lock())
            await syncer.look()
            _ = try await fixture.call(Unlock(authorization: Authorization(passphrase: AgentFixture.passphrase)))
            let waiting = Task { try await syncer.now() }
            // A sync that was only interrupted would have ended by then.
            clock.advance(FolderVisits.patience)
            await #expect(throws: Self.noAnswer) { try await waiting.value }
            #expect(try await fixture.call(SyncStatus()).needs?.map(\.code) == ["folder_unavailable"])
        }
        await #expect(throws: AgentError(.locked, "")) { try await first.value }
        #expect(drive.syncs == before && drive.hanging == 1)
        drive.comesBack()
        while try await fixture.call(SyncStatus()).trouble != nil { await Task.yield() }
        try await fixture.close()
    }

    @Test func `that answers soon after the vault was locked is synced when it is open again`() async throws {
        let fixture = try await makeFixture()
        let syncer = fixture.agent.syncer
        let first = await hang(fixture)
        _ = try await fixture.call(Lock())
        await syncer.look()
        _ = try await fixture.call(Unlock(authorization: Authorization(passphrase: AgentFixture.passphrase)))
        let before = drive.syncs
        let waiting = Task { try await syncer.now() }
        while await syncer.waiting.isEmpty { await Task.yield() }
        #expect(drive.syncs == before)
        drive.comesBack()
        _ = try await waiting.value
        await #expect(throws: AgentError(.locked, "")) { try await first.value }
        #expect(drive.syncs == before + 1)
        #expect(try await fixture.call(SyncStatus()).needs == nil)
        try await fixture.close()
    }

    @Test func `for more than a day is told on the desktop, once`() async throws {
        let fixture = try await makeFixture()
        func told() -> Int { fixture.notes.shown.count { $0.contains("For more than a day") } }
        let waiting = await hang(fixture)
        clock.advance(FolderVisits.longest + .seconds(1))
        await look(fixture)
        await #expect(throws: Self.noAnswer) { try await waiting.value }
        #expect(told() == 0)
        for _ in 0..<4 {
            clock.advance(.seconds(90_000))
            drive.pass(seconds: 90_000)
            await look(fixture)
        }
        #expect(told() == 1 && drive.hanging == 1)
        drive.comesBack()
        try await fixture.close()
    }

    // MARK: What is kept of the syncs

    private static let start = ContinuousClock.now

    @Test func `is one in which a sync reports nothing, and not one that is slow`() {
        var visits = FolderVisits()
        let (start, long) = (Self.start, FolderVisits.longest)
        visits.began(1, in: "/a", at: start, reports: 7)
        func hangs(_ run: Int, _ reports: Int, _ time: Duration) -> Bool {
            visits.hangs(run, reports: reports, at: start + time)
        }
        let found = [
            hangs(1, 7, long), hangs(1, 8, long + .seconds(1)), hangs(1, 8, long + .seconds(2)),
            hangs(1, 8, long + long + .seconds(2)), hangs(2, 8, long + long + .seconds(2)),
        ]
        #expect(found == [false, false, false, true, false])
        visits.ended(1)
        let afterwards = hangs(1, 8, long + long + .seconds(2))
        #expect(!afterwards)
    }

    @Test func `keeps others waiting only in the same folder, and only for a while`() {
        var visits = FolderVisits()
        visits.began(1, in: "/a", at: Self.start, reports: 0)
        visits.left(1, until: Self.start + FolderVisits.patience)
        #expect(visits.mustWait(in: "/a", at: Self.start) && visits.contains("/a"))
        #expect(!visits.mustWait(in: "/b", at: Self.start) && !visits.contains("/b"))
        #expect(!visits.mustWait(in: "/a", at: Self.start + FolderVisits.patience) && visits.contains("/a"))
        visits.ended(1)
        #expect(!visits.contains("/a"))
    }
}
