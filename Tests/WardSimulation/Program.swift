import ArgumentParser
import CPowerCut
import Foundation
import Synchronization

/// Runs random schedules of machines that share a vault.
@main
struct Program: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ward-simulation",
        abstract: "Run random schedules of machines that share a vault.",
        discussion: """
            Prints the number of schedules, or what the first one that failed found and the steps that are enough for it. Exits with 1 \
            if a schedule failed.
            """
    )

    @Option(help: "The first seed.")
    var first: UInt64 = 0
    @Option(help: "The number of schedules.")
    var count: UInt64 = 1_000
    @Option(help: "Schedules at the same time.")
    var jobs: Int32 = 2
    @Option(help: "Start no schedule after so many seconds of processor time. Default: no limit.")
    var seconds: Double?
    @Flag(help: "Print what happens in each schedule.")
    var log = false
    @Flag(help: "Print what each schedule found that failed, and go on.")
    var all = false
    @Flag(help: "Say on standard error each minute how many schedules have run.")
    var progress = false
    /// Only parsed here: ``Machine/isVerbose`` looks for it.
    @Flag(help: "Print the last steps of a disk before its power fails.")
    var disk = false

    mutating func validate() throws {
        guard jobs > 0 else { throw ValidationError("--jobs must be 1 or more.") }
        guard first.addingReportingOverflow(count).overflow == false else {
            throw ValidationError("--first and --count go beyond the last seed, which is \(UInt64.max).")
        }
    }

    func run() async throws {
        let isGood = await runSchedules()
        Files.remove(unsafe String(cString: power_cut_folder()))
        if !isGood { throw ExitCode(1) }
    }

    private func runSchedules() async -> Bool {
        let queue = Queue(first..<(first + count))
        await withTaskGroup { group in
            for world in 0..<jobs { group.addTask { await work(world, queue) } }
        }
        guard let found = queue.failure else {
            print("\(queue.done) schedules without a fault, \(Self.spent) s of processor time")
            return true
        }
        print("seed \(found.seed): \(found.findings.joined(separator: "\n  and: "))")
        print("found after \(queue.done) schedules, \(Self.spent) s of processor time")
        let short = await found.shortened(world: 0)
        print("in short: \(short.findings.first ?? "")")
        for line in short.log { print("  \(line)") }
        return false
    }

    private func work(_ world: Int32, _ queue: Queue) async {
        while seconds.map({ Self.processorTime < $0 }) ?? true, let seed = queue.next() {
            let report = await Report.of(seed, world: world)
            if log { print((["seed \(seed)"] + report.log + report.findings).joined(separator: "\n  ")) }
            if all, !report.findings.isEmpty {
                print("seed \(seed): \(report.findings.joined(separator: "\n  and: "))")
            }
            fflush(nil)
            queue.end(report, stops: !all)
            if progress, let done = queue.dueReport() {
                let line = "\(done.schedules) schedules, \(done.failed) failed, \(Self.spent) s of processor time\n"
                FileHandle.standardError.write(Data(line.utf8))
            }
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
        var failed = 0
        var failure: Report?
        var isOver = false
        var reportedAt = ContinuousClock.now
    }

    private let end: UInt64
    private let state: Mutex<State>

    init(_ seeds: Range<UInt64>) {
        end = seeds.upperBound
        state = Mutex(State(next: seeds.lowerBound))
    }

    var done: Int { state.withLock { $0.done } }
    var failure: Report? { state.withLock { $0.failure } }

    /// What has run, if the last report is a minute ago.
    func dueReport() -> (schedules: Int, failed: Int)? {
        state.withLock { state in
            guard state.reportedAt.duration(to: .now) >= .seconds(60) else { return nil }
            state.reportedAt = .now
            return (state.done, state.failed)
        }
    }

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
            if !report.findings.isEmpty { state.failed += 1 }
            // The smallest seed, so that two runs find the same one.
            guard !report.findings.isEmpty, state.failure.map({ report.seed < $0.seed }) ?? true else {
                return
            }
            state.failure = report
            state.isOver = state.isOver || stops
        }
    }
}
