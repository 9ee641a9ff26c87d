import Foundation
import Synchronization
import Testing
import WardAgentClient
import WardLog
import WardWebAuthn

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
            var counts: [String: Int] = [:]
            var broken: String?
            var hanging: String?
            var time: Int64 = 1_800_000_000
        }

        private let state = Mutex(State())

        func are(_ result: Result<SyncReport, ServerError>, proof: OrderWitness? = nil, passes: Bool = false) {
            state.withLock { ($0.result, $0.proof, $0.passes) = (result, proof, passes) }
        }

        /// From now on a server cannot be reached, whatever the results are.
        func breaks(_ address: String?) { state.withLock { $0.broken = address } }

        /// From now on a server does not come to an end.
        func hangs(_ address: String?) { state.withLock { $0.hanging = address } }

        /// The time of the agent, in seconds since 1970.
        var time: Int64 { state.withLock { $0.time } }

        func pass(seconds: Int64) { state.withLock { $0.time += seconds } }

        func next(_ address: ServerAddress) async throws -> SyncReport {
            let isHanging = state.withLock { state in
                state.counts[address.text, default: 0] += 1
                return address.text == state.hanging
            }
            if isHanging { try await Task.sleep(for: .seconds(600)) }
            return try state.withLock { state in
                if address.text == state.broken { throw ServerError(.unreachable) }
                return try state.result.get()
            }
        }

        var proof: OrderWitness? { state.withLock { $0.proof } }
        var passes: Bool { state.withLock { $0.passes } }
        /// The number of syncs with a server so far.
        func count(_ address: String) -> Int { state.withLock { $0.counts[address] ?? 0 } }
    }

    private let clock = ManualClock()
    private let results = Results()

    /// An agent with an open vault that syncs with a server, and did once.
    private func makeFixture() async throws -> AgentFixture {
        let (clock, results) = (clock, results)
        let fixture = try await AgentFixture(configure: { configuration in
            configuration.clock = { clock.now }
            configuration.effects.now = { results.time }
            configuration.serverSync = { _, address, _, _ in
                SyncRun(
                    sync: { try await results.next(address) },
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
        try await fixture.close()
    }

    @Test func `of entries that a server had lost is also said to the person who asks for a sync`() async throws {
        let fixture = try await makeFixture()
        results.are(.success(lost(5)))
        #expect(try await fixture.call(SyncNow(authorization: Self.quiet)).broughtBack == 5)
        results.are(.success(SyncReport()))
        #expect(try await fixture.call(SyncNow(authorization: Self.quiet)).broughtBack == nil)
        try await fixture.close()
    }

    /// Nothing was lost, and all is well in between: the whole vault comes again and again all the same.
    @Test func `of a server that must be read from the beginning again and again makes Ward ask it less often`()
        async throws
    {
        let fixture = try await makeFixture()
        let syncer = fixture.agent.syncer
        var anew = SyncReport()
        anew.hasBegunAnew = true
        var pauses: [Int] = []
        for _ in 0..<9 {
            results.are(.success(anew))
            _ = try await syncer.now()
            pauses.append(try #require(await syncer.secondsLeft))
            results.are(.success(SyncReport()))
            _ = try await syncer.now()
        }
        // The first one is an accident. Then a second, doubled each time, and up to half as long again.
        let usual = try #require(await syncer.secondsLeft)
        #expect(pauses[0] == usual && (0...1).contains(pauses[1]) && (127...192).contains(pauses[8]), "\(pauses)")
        try await fixture.close()
    }

    @Test func `that entries are lacking needs the person after an hour, also if the vault was locked meanwhile`()
        async throws
    {
        let fixture = try await makeFixture()
        let syncer = fixture.agent.syncer
        func needs() async throws -> [String] { try await fixture.call(SyncStatus()).needs?.map(\.code) ?? [] }
        func told() -> Int { fixture.notes.shown.count { $0.contains("more than an hour") } }
        _ = try await fixture.call(BeginCircle(passphrase: AgentFixture.passphrase, server: Self.address))
        var lacking = SyncReport()
        lacking.missing = [[1]]
        results.are(.success(lacking))
        _ = try await syncer.now()
        // Of a night in which the device sleeps, a quarter of an hour counts.
        for seconds in [28_800, 900, 900, 899] as [Int64] {
            results.pass(seconds: seconds)
            _ = try await syncer.now()
            #expect(try await needs().isEmpty && told() == 0)
        }
        _ = try await fixture.call(Lock())
        await syncer.look()
        results.pass(seconds: 1)
        _ = try await fixture.call(Unlock(authorization: Authorization(passphrase: AgentFixture.passphrase)))
        for _ in 0..<2 { _ = try await syncer.now() }
        #expect(try await needs() == ["entries_withheld"] && told() == 1)
        // It is one sync after the other that counts.
        results.are(.success(SyncReport()))
        _ = try await syncer.now()
        #expect(try await needs().isEmpty)
        results.are(.success(lacking))
        _ = try await syncer.now()
        #expect(try await needs().isEmpty && told() == 1)
        try await fixture.close()
    }

    @Test func `that somebody outside the circle writes needs the person, who is told once`() async throws {
        let fixture = try await makeFixture()
        let syncer = fixture.agent.syncer
        func needs() async throws -> [String] { try await fixture.call(SyncStatus()).needs?.map(\.code) ?? [] }
        func told() -> Int { fixture.notes.shown.count { $0.contains("outside your circle") } }
        _ = try await fixture.call(BeginCircle(passphrase: AgentFixture.passphrase, server: Self.address))
        var strange = SyncReport()
        strange.hasStrangers = true
        results.are(.success(strange))
        for _ in 0..<2 {
            _ = try await syncer.now()
            #expect(try await needs() == ["device_not_admitted"] && told() == 1)
        }
        results.are(.success(SyncReport()))
        _ = try await syncer.now()
        #expect(try await needs().isEmpty)
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

    /// Such a sync takes nothing, and throws nothing.
    @Test func `is that another place has what a copy of this device wrote, and then the one before stays`()
        async throws
    {
        let fixture = try await makeFixture()
        let (syncer, vault) = (fixture.agent.syncer, try await fixture.agent.session.file())
        var copied = SyncReport()
        copied.troubles = [.hasOwnEntries]
        results.are(.success(copied))
        let place = SyncSetting.Place.server(try #require(ServerAddress("https://other.example.org")))
        let error = await #expect(throws: AgentError(.init(rawValue: "device_copied"), "")) {
            try await syncer.change(vault, to: place, invitation: nil)
        }
        #expect(error?.message.contains("stays with the place that it has") == true)
        #expect(await syncer.setting?.server?.text == Self.address)
        #expect(try await fixture.call(SyncStatus()).needs == nil)
        try await fixture.close()
    }

    @Test func `over a slow line is tried in smaller parts, as long as something passes`() async throws {
        let fixture = try await makeFixture()
        let (syncer, vault) = (fixture.agent.syncer, try await fixture.agent.session.file())
        let place = SyncSetting.Place.server(try #require(ServerAddress("https://other.example.org")))
        for (error, passes, count) in [
            (ServerError.Code.tooSlow, false, 1), (.tooSlow, true, 6), (.unreachable, true, 6), (.busy, true, 1),
        ] {
            results.are(.failure(ServerError(error)), passes: passes)
            let before = results.count(place.text)
            await #expect(throws: ServerError(error)) { try await syncer.change(vault, to: place, invitation: nil) }
            #expect(results.count(place.text) == before + count, "\(error)")
            #expect(await syncer.setting?.server?.text == Self.address)
        }
        try await fixture.close()
    }

    /// Somebody switches sync off while a first sync with another place runs, locks the vault, or presses Ctrl-C.
    @Test(arguments: ["off", "lock", "cancel"])
    func `of another place does not switch to it when the person has decided otherwise`(how: String) async throws {
        let fixture = try await makeFixture()
        let (syncer, vault) = (fixture.agent.syncer, try await fixture.agent.session.file())
        let place = SyncSetting.Place.server(try #require(ServerAddress("https://other.example.org")))
        results.hangs(place.text)
        let change = Task { try await syncer.change(vault, to: place, invitation: nil) }
        while results.count(place.text) == 0 { await Task.yield() }
        #expect(await syncer.isRunning)
        switch how {
        case "off": try await syncer.switchOff(vault)
        case "lock":
            _ = try await fixture.call(Lock())
            await syncer.look()
        default: change.cancel()
        }
        await #expect(throws: (any Error).self) { try await change.value }
        if how == "lock" {
            _ = try await fixture.call(Unlock(authorization: Authorization(passphrase: AgentFixture.passphrase)))
        }
        let open = try await fixture.agent.session.file()
        #expect(try await SyncSetting.read(from: open)?.server?.text == (how == "off" ? nil : Self.address))
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

extension SyncSetting.Place {
    fileprivate var text: String {
        switch self {
        case .folder(let path): path
        case .server(let address): address.text
        }
    }
}
