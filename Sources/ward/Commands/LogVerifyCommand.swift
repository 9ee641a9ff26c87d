import ArgumentParser
import Foundation
import WardAgentClient

/// Checks the log.
struct LogVerifyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Check every entry of the log: the signatures, the chain, and the encrypted revisions."
    )

    @OptionGroup var options: AgentOptions

    func run() async throws {
        let method = VerifyLog(authorization: try options.authorization())
        let isSlow = isatty(STDERR_FILENO) == 1 && !options.json
        try await options.withAgent { agent in
            if isSlow { Terminal.note("Checking… ", end: "") }
            let report = try await agent.call(method)
            if isSlow { Terminal.note("done.") }
            if options.json { return try Output.json(report) }
            let paint = Paint(isOn: Paint.isWanted)
            let opened = report.revisions - report.cleared - (report.withoutKey ?? 0) - (report.unreadable ?? 0)
            Output.lines([
                paint.green("✓ ")
                    + "\(report.entries) entries by \(report.devices.count) device(s), signed and in their places",
                paint.green("✓ ") + "\(opened) revisions of items, each opened"
                    + (report.cleared > 0 ? "; \(report.cleared) no longer kept" : "")
                    + (report.purged > 0 ? "; \(report.purged) items removed for good" : ""),
            ])
            if let count = report.withoutKey {
                Output.lines([
                    paint.yellow("! ") + "\(count) revisions have a key that this device was not given. "
                        + "On another device: ward devices rekey. Or here: ward unlock --recovery-key"
                ])
            }
            if let count = report.unreadable {
                Output.lines([
                    paint.yellow("! ")
                        + "\(count) earlier revision(s) cannot be read: a device wrote them so, or their data "
                        + "was cleared and no other device has brought it. The file was not changed."
                ])
            }
            Output.lines(
                (report.firstVoidEntries ?? [:]).sorted { $0.key < $1.key }.map { device, entry in
                    paint.yellow("! ") + "device \(device): its entries from \(entry) on do not count. "
                        + "A later version of Ward wrote them, or the device broke the rules of the log. "
                        + "Update Ward. If that does not help, do not use that device any more."
                }
            )
        }
    }
}
