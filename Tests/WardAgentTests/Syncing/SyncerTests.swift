import Dispatch
import Foundation
import Synchronization
import Testing
import WardAgentClient
@testable import WardAgent
@testable import WardSync
@testable import WardVault

/// Syncs of an agent that do what the test says.
private final class ScriptedSync: Sendable {
    private let gate = DispatchSemaphore(value: 0)

    private struct State {
        var count = 0
        var isStuck = false
        var result: Result<SyncReport, any Error> = .success(SyncReport())
        var isHeld = false
    }

    private let state = Mutex(State())

    var count: Int { state.withLock { $0.count } }

    func gives(_ result: Result<SyncReport, any Error>) { state.withLock { $0.result = result } }

    /// From now on, syncs hang until they are cancelled.
    func hangs() { state.withLock { $0.isHeld = true } }

    /// From now on, syncs hang in a system call, as with a drive that does not answer.
    func isStuck(_ isStuck: Bool) {
        state.withLock { $0.isStuck = isStuck }
        if !isStuck { gate.signal() }
    }

    private func waitInThread() { gate.wait() }

    /// From now on, syncs do not hang, and those that do go on hanging.
    func lets() { state.withLock { $0.isStuck = false } }

    func run() async throws -> SyncReport {
        let (isHeld, isStuck, result) = state.withLock { state in
            state.count += 1
            return (state.isHeld, state.isStuck, state.result)
        }
        if isStuck { waitInThread() }
        if isHeld { try await Task.sleep(for: .seconds(600)) }
        return try result.get()
    }
}

@Suite(.agents, .timeLimit(.minutes(15))) struct `The agent syncs an open vault` {
    private static let quiet = Authorization(mayPrompt: false)
    private static let missing = FolderError(.missing, "Connect its drive.")

    private let clock = ManualClock()
    private let sync = ScriptedSync()

    /// An agent with an open vault, whose sync is on and ran once.
    private func makeFixture(step: Duration? = nil) async throws -> AgentFixture {
        let (clock, sync) = (clock, sync)
        let fixture = try await AgentFixture(configure: { configuration in
            configuration.clock = { clock.now }
            configuration.syncStep = step
            configuration.folderSync = { _, _, _ in { try await sync.run() } }
        })
        try await fixture.create()
        let vault = try await fixture.agent.session.file()
        try await fixture.agent.syncer.switchOn(vault, with: .folder(fixture.folder))
        _ = try await fixture.agent.syncer.now()
        return fixture
    }

    /// Looks once, and waits until a sync that began has ended.
    private func look(_ fixture: AgentFixture) async {
        await fixture.agent.syncer.look()
        while await fixture.agent.syncer.isRunning { await Task.yield() }
    }

    private func keepItem(_ fixture: AgentFixture) async throws {
        var change = ItemChange()
        change.title = "Example"
        _ = try await fixture.call(AddItem(authorization: Self.quiet, change: change))
    }

    @Test func `by time and after a change, and not otherwise`() async throws {
        let fixture = try await makeFixture()
        let first = sync.count
        await look(fixture)
        #expect(sync.count == first)
        clock.advance(.seconds(15))
        await look(fixture)
        #expect(sync.count == first + 1)
        try await keepItem(fixture)
        await look(fixture)
        #expect(sync.count == first + 2)
        await look(fixture)
        #expect(sync.count == first + 2)
        try await fixture.close()
    }

    @Test func `not while the vault is locked, and once after unlocking`() async throws {
        let fixture = try await makeFixture()
        _ = try await fixture.call(Lock())
        let before = sync.count
        clock.advance(.seconds(3600))
        await look(fixture)
        #expect(sync.count == before)
        let locked = try await fixture.call(SyncStatus())
        #expect(locked.isLocked && locked.isOn == nil && locked.folder == nil)
        _ = try await fixture.call(Unlock(authorization: Authorization(passphrase: AgentFixture.passphrase)))
        await look(fixture)
        #expect(sync.count == before + 1)
        #expect(try await fixture.call(SyncStatus()).folder == fixture.folder)
        try await fixture.close()
    }

    @Test(.timeLimit(.minutes(2))) func `at once after unlocking, and after it was switched on`() async throws {
        // By time, nothing would happen in this test before its end.
        let fixture = try await makeFixture(step: .seconds(3600))
        let syncer = fixture.agent.syncer
        for _ in 0..<2 {
            while await syncer.isRunning { await Task.yield() }
            _ = try await fixture.call(Lock())
            let before = sync.count
            _ = try await fixture.call(Unlock(authorization: Authorization(passphrase: AgentFixture.passphrase)))
            while sync.count == before { try await Task.sleep(for: .milliseconds(5)) }
        }
        while await syncer.isRunning { await Task.yield() }
        let before = sync.count
        try await syncer.switchOn(fixture.agent.session.file(), with: .folder(fixture.folder))
        while sync.count == before { try await Task.sleep(for: .milliseconds(5)) }
        try await fixture.close()
    }

    /// As before a removal, which must not wait for a place that does not answer.
    @Test(.timeLimit(.minutes(2))) func `and is waited for only as long as one wants`() async throws {
        let fixture = try await makeFixture()
        let before = sync.count
        await fixture.agent.syncer.tryNow(within: .seconds(600))
        #expect(sync.count == before + 1)
        sync.gives(.failure(Self.missing))
        await fixture.agent.syncer.tryNow(within: .seconds(600))
        sync.hangs()
        await fixture.agent.syncer.tryNow(within: .milliseconds(20))
        while sync.count < before + 3 { try await Task.sleep(for: .milliseconds(5)) }
        _ = try await fixture.call(Lock())
        await fixture.agent.syncer.look()
        try await fixture.close()
    }

    @Test func `and keeps what went wrong until a sync works again`() async throws {
        let fixture = try await makeFixture()
        sync.gives(.failure(Self.missing))
        await #expect(throws: AgentError(.init(rawValue: "folder_missing"), "")) {
            try await fixture.call(SyncNow(authorization: Self.quiet))
        }
        var state = try await fixture.call(SyncStatus())
        #expect(state.trouble?.code == "folder_missing" && state.needs?.map(\.code) == ["folder_missing"])
        let since = state.troubleSince
        let before = sync.count
        clock.advance(.seconds(14))
        try await keepItem(fixture)
        await look(fixture)
        #expect(sync.count == before)
        clock.advance(.seconds(1))
        await look(fixture)
        #expect(sync.count == before + 1)
        state = try await fixture.call(SyncStatus())
        #expect(state.troubleSince == since)
        sync.gives(.success(SyncReport()))
        _ = try await fixture.call(SyncNow(authorization: Self.quiet))
        state = try await fixture.call(SyncStatus())
        #expect(state.trouble == nil && state.needs == nil && state.lastSuccess != nil)
        try await fixture.close()
    }

    /// Unlocking begins a sync, and the person who asked for one hears of both.
    @Test func `and says also what a sync did that ran already`() async throws {
        let fixture = try await makeFixture()
        let syncer = fixture.agent.syncer
        sync.gives(.success(SyncReport(taken: 2)))
        sync.isStuck(true)
        let first = Task { try await syncer.now() }
        while sync.count < 2 { await Task.yield() }
        let second = Task { try await fixture.call(SyncNow(authorization: Self.quiet)) }
        while await syncer.waiting.count < 2 { await Task.yield() }
        sync.gives(.success(SyncReport(taken: 3)))
        sync.isStuck(false)
        #expect(try await first.value.taken == 2)
        #expect(try await second.value.taken == 5)
        #expect(sync.count == 3)
        try await fixture.close()
    }

    /// Unlocking for the owner begins a sync, which can bring the header of another device before the owner's change is made.
    @Test func `and a change of the owner is tried once more if a header came meanwhile`() async throws {
        let fixture = try await makeFixture()
        let session = fixture.agent.session
        let conflict = VaultError(.conflict, "")
        for (errors, tries) in [([], 1), ([conflict], 2), ([conflict, conflict], 2), ([VaultError(.locked, "")], 1)] {
            let count = Mutex(0)
            let change: @Sendable () async throws -> Int = {
                let number = count.withLock { count in
                    count += 1
                    return count
                }
                if number <= errors.count { throw errors[number - 1] }
                return number
            }
            if errors.count < tries {
                #expect(try await session.onceMore(change) == tries)
            } else {
                await #expect(throws: errors[0]) { try await session.onceMore(change) }
            }
            #expect(count.withLock { $0 } == tries)
        }
        try await fixture.close()
    }

    /// The person who asks for a sync gets one of their own after one that failed, but not before the time that a server named.
    @Test(arguments: [nil, 30]) func `and asks no server that said when to come back`(retryAfter: Int64?) async throws {
        let fixture = try await makeFixture()
        let syncer = fixture.agent.syncer
        var error = ServerError(.busy, status: 503)
        error.retryAfter = retryAfter
        sync.gives(.failure(error))
        sync.isStuck(true)
        let first = Task { try await syncer.now() }
        while sync.count < 2 { await Task.yield() }
        let second = Task { try await syncer.now() }
        while await syncer.waiting.count < 2 { await Task.yield() }
        sync.isStuck(false)
        for task in [first, second] { await #expect(throws: ServerError(.busy)) { try await task.value } }
        #expect(sync.count == (retryAfter == nil ? 3 : 2))
        try await fixture.close()
    }

    @Test func `and no request waits for a sync that hangs, nor does locking`() async throws {
        let fixture = try await makeFixture()
        sync.hangs()
        let syncer = fixture.agent.syncer
        let waiting = Task { try await syncer.now() }
        while await !syncer.isRunning { await Task.yield() }
        try await keepItem(fixture)
        #expect(try await fixture.call(SyncStatus()).isRunning)
        _ = try await fixture.call(Lock())
        await syncer.look()
        #expect(await !syncer.isRunning)
        await #expect(throws: AgentError(.locked, "")) { try await waiting.value }
        try await fixture.close()
    }

    /// The thread of the sync waits for a drive that does not answer.
    @Test func `and another folder can be chosen while one does not answer`() async throws {
        let fixture = try await makeFixture()
        sync.isStuck(true)
        let syncer = fixture.agent.syncer
        let waiting = Task { try await syncer.now() }
        while sync.count < 2 { await Task.yield() }
        let vault = try await fixture.agent.session.file()
        // The agent begins the next sync by itself. It must not hang too: a machine can have two processors and as many threads.
        sync.lets()
        try await syncer.switchOn(vault, with: .folder(fixture.folder + "/other"))
        await #expect(throws: AgentError(.locked, "")) { try await waiting.value }
        _ = try await syncer.now()
        #expect(sync.count > 2)
        sync.isStuck(false)
        try await fixture.close()
    }

    @Test func `and stops if there are entries of this device that it does not have`() async throws {
        let fixture = try await makeFixture()
        var report = SyncReport()
        report.troubles = [.hasOwnEntries]
        sync.gives(.success(report))
        for _ in 0..<2 {
            await #expect(throws: AgentError(.init(rawValue: "device_copied"), "")) {
                try await fixture.call(SyncNow(authorization: Self.quiet))
            }
        }
        #expect(try await fixture.call(SyncStatus()).needs?.map(\.code) == ["device_copied"])
        try await fixture.close()
    }

    @Test func `and hears of news from a server until the vault is locked`() async throws {
        let (clock, sync) = (clock, sync)
        let news = AsyncStream.makeStream(of: Void.self)
        let listening = Mutex(0)
        let fixture = try await AgentFixture(configure: { configuration in
            configuration.clock = { clock.now }
            configuration.serverSync = { _, _, _, _ in
                SyncRun(
                    sync: { try await sync.run() },
                    waitForNews: {
                        listening.withLock { $0 += 1 }
                        for await _ in news.stream { return }
                        listening.withLock { $0 = -1 }
                        throw CancellationError()
                    }
                )
            }
        })
        try await fixture.create()
        let address = try #require(ServerAddress("https://sync.example.org"))
        let vault = try await fixture.agent.session.file()
        let syncer = fixture.agent.syncer
        try await syncer.switchOn(vault, with: .server(address), beginning: ServerBeginning(invitation: "x"))
        _ = try await syncer.now()
        let state = try await fixture.call(SyncStatus())
        #expect(state.server == address.text && state.folder == nil)
        let first = sync.count
        clock.advance(.seconds(60))
        await look(fixture)
        #expect(sync.count == first)
        while listening.withLock({ $0 }) == 0 { await Task.yield() }
        news.continuation.yield()
        while sync.count == first { await look(fixture) }
        while listening.withLock({ $0 }) == 1 { await Task.yield() }
        _ = try await fixture.call(Lock())
        await syncer.look()
        while listening.withLock({ $0 }) > 0 { await Task.yield() }
        #expect(sync.count == first + 1)
        try await fixture.close()
    }

    @Test func `and with a server at once after a change, and says how far a sync is`() async throws {
        let (clock, sync) = (clock, sync)
        let goesOn = AsyncStream.makeStream(of: Void.self)
        let fixture = try await AgentFixture(configure: { configuration in
            configuration.clock = { clock.now }
            configuration.serverSync = { _, _, _, report in
                SyncRun(sync: {
                    if sync.count == 1 {
                        report(SyncProgress(.taking, done: 4_200, of: 10_000))
                        for await _ in goesOn.stream { break }
                    }
                    return try await sync.run()
                })
            }
        })
        try await fixture.create()
        let vault = try await fixture.agent.session.file()
        let syncer = fixture.agent.syncer
        try await syncer.switchOn(vault, with: .server(#require(ServerAddress("https://sync.example.org"))))
        _ = try await syncer.now()
        #expect(try await fixture.call(SyncStatus()).progress == nil)
        // Nobody looks: the change itself begins the sync.
        try await vault.write { try $0.add(Item(title: "a")) }
        var state = try await fixture.call(SyncStatus())
        while state.progress == nil { state = try await fixture.call(SyncStatus()) }
        #expect(state.isRunning && state.progress == .init(step: "taking", done: 4_200, total: 10_000))
        // What is written while a sync runs has one of its own after it.
        try await vault.write { try $0.add(Item(title: "b")) }
        goesOn.continuation.yield()
        while sync.count < 3 { await Task.yield() }
        while await syncer.isRunning { await Task.yield() }
        #expect(try await fixture.call(SyncStatus()).progress == nil)
        #expect(sync.count == 3)
        try await fixture.close()
    }

    @Test func `and a server that calls for nothing is looked at only once a second`() async {
        var listener = SyncListener()
        func called() -> Bool {
            listener.begin({}, delay: { _ in .zero }, heard: { _, _ in })
            return listener.ended(listener.number, hasNews: true) == true && listener.mayLookAtOnce
        }
        #expect(called())
        listener.looked(taken: 3)
        #expect(called())
        listener.looked(taken: 0)
        #expect(!called())
        // A sync for another reason says nothing of the calls.
        listener.looked(taken: 0)
        listener.looked(taken: 2)
        #expect(!called())
        listener.looked(taken: 1)
        #expect(called())
        listener.looked(taken: 0)
        listener.stop()
        #expect(called())
        listener.stop()
    }

    @Test func `and a server that came back is asked for news at once`() {
        var listener = SyncListener()
        var pauses = 0
        func begin() {
            listener.begin({}) { _ in
                pauses += 1
                return .seconds(3_600)
            } heard: { _, _ in
            }
        }
        begin()
        #expect(listener.ended(1, hasNews: false) == true)
        // This one waits for an hour, and another one does not begin beside it.
        begin()
        begin()
        #expect(listener.number == 2 && pauses == 1)
        listener.serverCameBack()
        begin()
        #expect(listener.number == 3 && pauses == 1)
        // Without a failure nothing is interrupted.
        listener.serverCameBack()
        begin()
        #expect(listener.number == 3)
        listener.stop()
    }

    @Test func `and what is off stays off after a restart of the agent`() async throws {
        let fixture = try await makeFixture()
        let state = try await fixture.call(SwitchSyncOff(authorization: Self.quiet))
        #expect(state.isOn == false && state.folder == nil)
        let vault = try await fixture.agent.session.file()
        #expect(try await SyncSetting.read(from: vault) == nil)
        await #expect(throws: AgentError(.init(rawValue: "sync_off"), "")) {
            try await fixture.call(SyncNow(authorization: Self.quiet))
        }
        try await fixture.close()
    }
}
