import Testing
import WardLog

@testable import WardSync
@testable import WardVault

/// Who knows only the ID of a vault can write any number of entries that are refused.
@Suite struct `Entries of a device that nobody admitted` {
    /// Entries that name nothing.
    private func forged(_ numbers: Range<Int>) throws -> [LogRecord] {
        let device = try #require(DeviceID([UInt8](repeating: 7, count: DeviceID.length)))
        return numbers.map { number in
            let entry = LogEntry(
                device: device,
                sequence: UInt64(number) + 1,
                previous: nil,
                time: HybridTime(value: 1),
                seen: [],
                operation: .purge(item: LogItemID(prefix: [1]), parents: [])
            )
            return LogRecord(entry: entry.signed(vault: nil) { _ in [UInt8](repeating: 7, count: 64) })
        }
    }

    @Test func `are listed up to a number, and then they are counted`() async throws {
        let world = try await CircleWorld.met(2)
        let intake = Intake(world[1], WaitingLimit())
        var report = SyncReport()
        let most = SyncReport.mostRefusals
        for start in [0, most - 10, most] {
            let outcome = try await intake.take(forged(start..<start + most - 10), &report)
            #expect(outcome == .taken)
        }
        #expect(report.troubles.count == most && Set(report.troubles).count == most)
        #expect(report.moreRefused == 2 * most - 30)
        #expect(intake.waiting.isEmpty)
        // What comes after that is taken, and what else is wrong is still listed.
        try await world[0].add(Item(title: "right"))
        _ = try await intake.take(world[0].records(after: 0), &report)
        #expect(try await world.titles(1).contains("right"))
        report.note([.headerIsMissing])
        #expect(report.troubles.last == .headerIsMissing)
        try await world.close()
    }
}
