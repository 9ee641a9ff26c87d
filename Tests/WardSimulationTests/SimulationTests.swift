import Foundation
import Testing

/// Machines that share a vault, in random schedules: `make simulate` runs more of them.
@Suite struct `Random schedules of machines` {
    /// The program that was built beside these tests.
    private static let program = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        .deletingLastPathComponent().appendingPathComponent("ward-simulation")

    /// A longer run: `WARD_TEST_SCHEDULES=10000 swift test --filter "Random schedules of machines"`.
    private static let count = ProcessInfo.processInfo.environment["WARD_TEST_SCHEDULES"] ?? "60"

    @Test func `have no fault`() throws { try run("--count", Self.count) }

    /// Later schedules that found a fault once.
    @Test(arguments: [394, 471, 489, 926, 1247])
    func `found a fault once, and have none now`(seed: Int) throws { try run("--first", "\(seed)", "--count", "1") }

    private func run(_ arguments: String...) throws {
        let process = Process()
        process.executableURL = Self.program
        process.arguments = arguments
        let output = Pipe()
        (process.standardOutput, process.standardError) = (output, output)
        try process.run()
        let said = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.terminationStatus == 0, "\(said)")
    }
}
