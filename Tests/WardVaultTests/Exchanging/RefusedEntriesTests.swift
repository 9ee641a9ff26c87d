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

    /// The file with them is read once, and the person must find out about them also after the next sync.
    @Test func `are told from damage, and remembered as long as the vault is open`() async throws {
        let world = try await CircleWorld.met(2)
        let intake = Intake(world[1], WaitingLimit())
        try await world[0].add(Item(title: "damaged"))
        let record = try #require(try await world[0].records(after: 0).last)
        var bytes = record.entry.encoded
        bytes[bytes.count - 1] ^= 1
        var report = SyncReport()
        let damaged = LogRecord(entry: try SignedEntry(encoded: bytes), blob: record.blob)
        _ = try await intake.take([damaged], &report)
        #expect(report.troubles.count == 1 && !report.hasStrangers)
        _ = try await intake.take(LogRecord.forged(1...1), &report)
        #expect(report.troubles.count == 2 && report.hasStrangers)
        for records in [[], [record]] {
            var next = SyncReport()
            _ = try await intake.take(records, &next)
            #expect(next.troubles.isEmpty && next.hasStrangers)
        }
        // Everything is read again.
        intake.forget()
        var again = SyncReport()
        _ = try await intake.take([], &again)
        #expect(!again.hasStrangers)
        try await world.close()
    }
}
