import Foundation
import Testing
import WardLog
import WardVault
import WardWebAuthn

/// Schedules written down for another judge: what each revision said, what it was made from, and what came of all.
///
/// `Tests/Interop/test_vault_merge.py` computes the same with a model of its own.
private struct MergeTrace: Codable, Equatable {
    struct State: Codable, Equatable {
        var title: String
        var password: String?
        var history: [String]
        /// User names by credential ID.
        var passkeys: [String: String]
        var tags: [String]
        var deletedAt: Int64?
        /// Pairs of a value's name and the value.
        var conflicts: [[String]]

        init(_ item: Item) {
            title = item.title
            password = item.password?.value.revealed
            history = item.password?.history.map(\.value.revealed).sorted() ?? []
            passkeys = Dictionary(uniqueKeysWithValues: item.passkeys.map { ("\($0.credentialID.bytes)", $0.userName) })
            tags = item.tags.sorted()
            deletedAt = item.deletedAt
            conflicts = item.conflicts.map { [$0.name, $0.text?.revealed ?? ""] }.sorted { $0.joined() < $1.joined() }
        }
    }

    struct Revision: Codable, Equatable {
        var device: String
        var time: UInt64
        var number: UInt64
        /// Which of the revisions before it was made from.
        var parents: [Int]
        var state: State
    }

    var seed: UInt64
    var revisions: [Revision] = []
    var result: State?

    init(seed: UInt64) throws {
        self.seed = seed
        let schedule = try MergeSchedule(seed: seed, isPlain: true, steps: 30)
        let device = schedule.log[0]
        var places: [[UInt8]: Int] = [:]
        for entry in device.log {
            guard case .revision(let record) = entry.entry.operation, let item = schedule.contents[entry.hash] else {
                continue
            }
            places[entry.hash] = revisions.count
            revisions.append(
                Revision(
                    device: hex(entry.entry.device.bytes),
                    time: entry.entry.time.value,
                    number: record.number,
                    parents: record.parents.compactMap { places[$0] },
                    state: State(item)
                )
            )
            result = schedule.state(item.id, of: device).map { State($0) }
        }
    }

    static let file = FormatVectors.folder.appendingPathComponent("merges.json")
    static let seeds = UInt64(0)..<40
}

@Suite struct `Merges written down` {
    @Test func `come out as they did`() throws {
        let written = try JSONDecoder().decode([MergeTrace].self, from: Data(contentsOf: MergeTrace.file))
        #expect(written.count == MergeTrace.seeds.count)
        for trace in written { #expect(try MergeTrace(seed: trace.seed) == trace, "seed \(trace.seed)") }
    }

    /// Writes the traces anew. Set `WARD_WRITE_VECTORS`.
    @Test(.enabled(if: ProcessInfo.processInfo.environment["WARD_WRITE_VECTORS"] != nil, "set WARD_WRITE_VECTORS"))
    func `traces are written`() throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        let lines = try MergeTrace.seeds.map {
            String(decoding: try encoder.encode(MergeTrace(seed: $0)), as: UTF8.self)
        }
        try Data(("[\n" + lines.joined(separator: ",\n") + "\n]\n").utf8).write(to: MergeTrace.file)
    }
}
