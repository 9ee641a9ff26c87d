import Testing
import WardLog

@testable import WardSync
@testable import WardVault

/// Who knows only the ID of a vault can write any number of entries that are refused.
@Suite struct `Entries of a device that nobody admitted` {
    @Test func `are listed up to a number, and then they are counted`() async throws {
        let world = try await CircleWorld.met(2)
        let intake = Intake(world[1], WaitingLimit())
        var report = SyncReport()
        for numbers: ClosedRange<UInt64> in [1...600, 401...900, 901...5_000] {
            let outcome = try await intake.take(LogRecord.forged(numbers), &report)
            #expect(outcome == .taken)
        }
        #expect(SyncReport.mostRefusals == 1_000)
        #expect(report.troubles.count == 1_000 && Set(report.troubles).count == 1_000)
        #expect(report.moreRefused == 4_000)
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
