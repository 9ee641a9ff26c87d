import Foundation
import Synchronization
import Testing
import WardLog

/// Ten thousand schedules in which devices change the same items side by side.
///
/// `WARD_MERGE_SEED` replays one schedule and prints its findings; `WARD_MERGE_SCHEDULES` sets another number of them.
@Suite struct `Devices that meet` {
    private static let environment = ProcessInfo.processInfo.environment
    private static let count = environment["WARD_MERGE_SCHEDULES"].flatMap { UInt64($0) } ?? 10_000
    private static let lanes: UInt64 = 8

    @Test(arguments: 0..<lanes)
    func `agree, lose nothing, and bring nothing back that was removed`(lane: UInt64) throws {
        var seeds = Array(stride(from: lane, to: Self.count, by: Int(Self.lanes)))
        if let seed = Self.environment["WARD_MERGE_SEED"].flatMap({ UInt64($0) }) { seeds = lane == 0 ? [seed] : [] }
        for seed in seeds {
            let findings = try MergeSchedule(seed: seed).findings()
            guard findings.isEmpty else {
                Issue.record("WARD_MERGE_SEED=\(seed): \(Set(findings).sorted().joined(separator: ", "))")
                return
            }
        }
    }

    /// The same with signatures that nobody else can make.
    @Test func `agree with real signatures too`() throws {
        for seed in 0..<UInt64(20) {
            #expect(try MergeSchedule(seed: seed, .ed25519).findings().isEmpty, "seed \(seed)")
        }
    }

    /// Shows that the schedules can fail: if only the newest revision counts, values are lost.
    @Test func `would lose values if the newest revision won`() throws {
        let findings = try (0..<100).flatMap { try MergeSchedule(seed: $0, isNaive: true).findings() }
        #expect(findings.count > 10)
    }
}
