import CPowerCut
import Foundation
import Synchronization

/// Runs random schedules of machines that share a vault.
///
///     ward-simulation [--first SEED] [--count NUMBER] [--seconds SECONDS] [--jobs NUMBER] [--log] [--all]
///
/// With `--log` it prints what happened in each schedule, and with `--all` it goes on after a failure.
///
/// It prints the number of schedules, or what failed in the first one that failed, and exits with 1 then. The seconds are of processor
/// time.
@main
struct Program {
    private let first = option("--first", 0)
    private let count = option("--count", 1_000)
    private let jobs = Int32(option("--jobs", 2))
    private let seconds = Double(option("--seconds", 0))
    private let showsLog = CommandLine.arguments.contains("--log")

    private let goesOn = CommandLine.arguments.contains("--all")

    static func main() async { exit(await Program().run()) }

    /// The number after an option.
    private static func option(_ name: String, _ standard: UInt64) -> UInt64 {
        let arguments = CommandLine.arguments
        guard let index = arguments.firstIndex(of: name), index + 1 < arguments.count else {
            return standard
        }
        return UInt64(arguments[index + 1]) ?? standard
    }

    private func run() async -> Int32 {
        defer { Files.remove(unsafe String(cString: power_cut_folder())) }
        let queue = Queue(first..<(first + count))
        await withTaskGroup { group in
            for world in 0..<jobs { group.addTask { await work(world, queue) } }
        }
        guard let found = queue.failure else {
            print("\(queue.done) schedules without a fault, \(Self.spent) s of processor time")
            return 0
        }
        print("seed \(found.seed): \(found.findings.joined(separator: "\n  and: "))")
        print("found after \(queue.done) schedules, \(Self.spent) s of processor time")
        let short = await found.shortened(world: 0)
        print("in short: \(short.findings.first ?? "")")
        for line in short.log { print("  \(line)") }
        return 1
    }

    private func work(_ world: Int32, _ queue: Queue) async {
        while seconds == 0 || Self.processorTime < seconds, let seed = queue.next() {
            let report = await Report.of(seed, world: world)
            if showsLog {
                print((["seed \(seed)"] + report.log + report.findings).joined(separator: "\n  "))
            }
            if goesOn, !report.findings.isEmpty {
                print("seed \(seed): \(report.findings.joined(separator: "\n  and: "))")
            }
            fflush(nil)
            queue.end(report, stops: !goesOn)
        }
    }

    private static var processorTime: Double { Double(clock()) / Double(CLOCKS_PER_SEC) }

    private static var spent: String { String(format: "%.1f", processorTime) }
}

/// The seeds that are left, and the first failure.
private final class Queue: Sendable {
    private struct State {
        var next: UInt64
        var done = 0
        var failure: Report?
        var isOver = false
    }

    private let end: UInt64
    private let state: Mutex<State>

    init(_ seeds: Range<UInt64>) {
        end = seeds.upperBound
        state = Mutex(State(next: seeds.lowerBound))
    }

    var done: Int { state.withLock { $0.done } }
    var failure: Report? { state.withLock { $0.failure } }

    /// The next seed; `nil` after a failure, and at the end.
    func next() -> UInt64? {
        state.withLock { state in
            guard !state.isOver, state.next < end else { return nil }
            defer { state.next += 1 }
            return state.next
        }
    }

    func end(_ report: Report, stops: Bool) {
        state.withLock { state in
            state.done += 1
            // The smallest seed, so that two runs find the same one.
            guard !report.findings.isEmpty, state.failure.map({ report.seed < $0.seed }) ?? true else {
                return
            }
            state.failure = report
            state.isOver = state.isOver || stops
        }
    }
}
