import Foundation
import Synchronization
import Testing
import WardAgentClient
import WardLog

@testable import WardAgent
@testable import WardSync
@testable import WardVault

/// What a sync finds out reaches the person, whatever the server does afterwards.
@Suite(.agents, .timeLimit(.minutes(15))) struct `What a sync finds out` {
    private static let quiet = Authorization(mayPrompt: false)
    private static let address = "https://sync.example.org"

    /// The results of the next syncs.
    private final class Results: Sendable {
        private struct State {
            var result = Result<SyncReport, ServerError>.success(SyncReport())
            var proof: OrderWitness?
            var passes = false
            var count = 0
            var broken: String?
        }

        private let state = Mutex(State())

        func are(_ result: Result<SyncReport, ServerError>, proof: OrderWitness? = nil, passes: Bool = false) {
            state.withLock { ($0.result, $0.proof, $0.passes) = (result, proof, passes) }
        }

        /// From now on a server cannot be reached, whatever the results are.
        func breaks(_ address: String?) { state.withLock { $0.broken = address } }

        func next(_ address: ServerAddress) throws -> SyncReport {
            try state.withLock { state in
                state.count += 1
                if address.text == state.broken { throw ServerError(.unreachable) }
                return try state.result.get()
            }
        }

        var proof: OrderWitness? { state.withLock { $0.proof } }
        var passes: Bool { state.withLock { $0.passes } }
        /// The number of syncs so far.
        var count: Int { state.withLock { $0.count } }
    }

    private let clock = ManualClock()
    private let results = Results()

    /// An agent with an open vault that syncs with a server, and did once.
    private func makeFixture() async throws -> AgentFixture {
        let (clock, results) = (clock, results)
        let fixture = try await AgentFixture(configure: { configuration in
            configuration.clock = { clock.now }
            configuration.serverSync = { _, address, _, _ in
                SyncRun(
                    sync: { try results.next(address) },
                    twoOrders: { results.proof },
                    hasPassed: { results.passes }
                )
            }
        })
        try await fixture.create()
        try await switchOn(fixture)
        _ = try await fixture.agent.syncer.now()
        return fixture
    }

    private func switchOn(_ fixture: AgentFixture) async throws {
        let vault = try await fixture.agent.session.file()
        try await fixture.agent.syncer.switchOn(vault, with: .server(#require(ServerAddress(Self.address))))
    }

    private func lost(_ count: Int) -> SyncReport {
        var report = SyncReport()
        report.broughtBack = count
        return report
    }

    @Test func `is kept although the server fails afterwards`() async throws {
        let fixture = try await makeFixture()
        let position = RemotePosition(
            order: [UInt8](repeating: 7, count: RemotePosition.orderLength),
            number: 5,
            hash: [UInt8](repeating: 1, count: 32)
        )
        let device = try #require(DeviceID([UInt8](repeating: 2, count: DeviceID.length)))
        results.are(.failure(ServerError(.internalError)), proof: OrderWitness(position, device: device, sequence: 3))
        await #expect(throws: AgentError(.init(rawValue: "internal_error"), "")) {
            try await fixture.call(SyncNow(authorization: Self.quiet))
        }
        let needs = try await fixture.call(SyncStatus()).needs ?? []
        #expect(needs.map(\.code) == ["internal_error", "server_two_orders"])
        try await fixture.close()
    }

    @Test
    func `of a server that loses everything again and again is told once a day, and such a server is asked less often`()
        async throws
    {
        let fixture = try await makeFixture()
        let syncer = fixture.agent.syncer
        func told() -> Int { fixture.notes.shown.count { $0.contains("lost") } }
        results.are(.success(lost(5)))
        _ = try await syncer.now()
        #expect(told() == 1)
        let usual = try #require(await syncer.secondsLeft)
        var pauses: [Int] = []
        for _ in 0..<8 {
            _ = try await syncer.now()
            pauses.append(try #require(await syncer.secondsLeft))
        }
        // From a second on, doubled each time, and up to half as long again.
        #expect((0...1).contains(pauses[0]) && (127...192).contains(pauses[7]), "\(pauses)")
        #expect(told() == 1)
        // What is well makes it a server like any other.
        results.are(.success(SyncReport()))
        _ = try await syncer.now()
        #expect(await syncer.secondsLeft == usual)
        clock.advance(.seconds(86_400))
        results.are(.success(lost(2)))
        _ = try await syncer.now()
        #expect(told() == 2)
        try await fixture.close()
    }

    @Test func `waits while the setting cannot be read, and is not forgotten`() async throws {
        let fixture = try await makeFixture()
        let location = fixture.agent.session.location
        let record = location.stateDirectory + "/" + SyncSetting.record
        let aside = record + ".aside"
        _ = try await fixture.call(Lock())
        await fixture.agent.syncer.look()
        try FileManager.default.moveItem(atPath: record, toPath: aside)
        try FileManager.default.createSymbolicLink(atPath: record, withDestinationPath: record)
        _ = try await fixture.call(Unlock(authorization: Authorization(passphrase: AgentFixture.passphrase)))
        var state = try await fixture.call(SyncStatus())
        #expect(!state.isLocked && state.isOn == nil && state.needs?.map(\.code) == ["unavailable"], "\(state)")
        await #expect(throws: AgentError(.unavailable, "")) {
            try await fixture.call(SyncNow(authorization: Self.quiet))
        }
        try FileManager.default.removeItem(atPath: record)
        try FileManager.default.moveItem(atPath: aside, toPath: record)
        await fixture.agent.syncer.look()
        state = try await fixture.call(SyncStatus())
        #expect(state.isOn == true && state.server == Self.address && state.needs == nil)
        try await fixture.close()
    }

    /// A place that works is not left for one that does not, unless the person has decided again meanwhile.
    @Test func `is that another place does not work, and then the one before stays`() async throws {
        let fixture = try await makeFixture()
        let before = try await fixture.call(SyncStatus())
        let other = SwitchSyncOn(
            passphrase: AgentFixture.passphrase,
            folder: nil,
            server: "https://other.example.org",
            invitation: nil,
            deviceName: nil
        )
        let begin = BeginCircle(
            passphrase: AgentFixture.passphrase,
            folder: nil,
            server: Self.address,
            deviceName: nil,
            recoveryKey: nil
        )
        _ = try await fixture.call(begin)
        results.breaks(other.server)
        await #expect(throws: AgentError(.init(rawValue: "server_unreachable"), "")) { try await fixture.call(other) }
        let after = try await fixture.call(SyncStatus())
        #expect(after.server == Self.address && after.trouble == nil && after.lastSuccess != nil)
        #expect(after.since == before.since)
        results.breaks(nil)
        #expect(try await fixture.call(other).state.server == "https://other.example.org")
        try await fixture.close()
    }

    @Test func `over a slow line is tried in smaller parts, as long as something passes`() async throws {
        let fixture = try await makeFixture()
        let before = results.count
        results.are(.failure(ServerError(.tooSlow)))
        await #expect(throws: ServerError(.tooSlow)) { try await fixture.agent.syncer.nowInParts() }
        #expect(results.count == before + 1)
        results.are(.failure(ServerError(.tooSlow)), passes: true)
        await #expect(throws: ServerError(.tooSlow)) { try await fixture.agent.syncer.nowInParts() }
        #expect(results.count == before + 7)
        results.are(.failure(ServerError(.busy)), passes: true)
        await #expect(throws: ServerError(.busy)) { try await fixture.agent.syncer.nowInParts() }
        #expect(results.count == before + 8)
        try await fixture.close()
    }

    @Test func `of a place that the person has left meanwhile does not bring it back`() async throws {
        let fixture = try await makeFixture()
        let (syncer, vault) = (fixture.agent.syncer, try await fixture.agent.session.file())
        let setting = try #require(await syncer.setting)
        try await syncer.switchOn(vault, with: .folder(fixture.folder))
        let number = await syncer.switchCount
        try await syncer.switchOff(vault)
        try await syncer.goBack(vault, to: setting, ifLastSwitchWas: number)
        #expect(try await SyncSetting.read(from: vault) == nil)
        try await fixture.close()
    }

    /// A sync that ends writes the setting too; it must not write what the person has just taken away.
    @Test func `does not switch sync on again`() async throws {
        let fixture = try await makeFixture()
        let vault = try await fixture.agent.session.file()
        let syncer = fixture.agent.syncer
        for round in 0..<100 {
            try await switchOn(fixture)
            results.are(round.isMultiple(of: 2) ? .success(lost(1)) : .failure(ServerError(.busy)))
            async let ended: SyncReport? = try? syncer.now()
            for _ in 0..<(round % 7) { await Task.yield() }
            try await syncer.switchOff(vault)
            _ = await ended
            while await syncer.isRunning { await Task.yield() }
            #expect(try await SyncSetting.read(from: vault) == nil, "round \(round)")
        }
        try await fixture.close()
    }
}
