import ArgumentParser
import WardAccounts
import WardServer
import WardStoreSQLite
import WardTerminal
import WardWebAuthn

/// `ward-server accounts policy`.
struct PolicyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "policy",
        abstract: "Show which accounts have what the rules of a file ask for.",
        discussion: """
            Run it before you give the file to ward-server serve --policy, and before a rule's day. Disabled accounts are left \
            out. With --json, each line is one rule.

            Exit code: 64 if the file is not valid.
            """
    )

    @OptionGroup var options: AccountsOptions

    @Option(
        help: ArgumentHelp(
            "The BLOB of the FIDO Metadata Service, for rules that ask for attestation (default: none).",
            valueName: "path"
        )
    )
    var metadata: String?

    @Argument(help: "The file with the rules.")
    var file: String

    func run() async throws {
        try await options.withStore { store in
            var report = try PolicyReport(file: file, metadata: metadata, at: Effects.live.now())
            var last: String?
            while true {
                let (after, before) = (last, report)
                let page = try await store.read { tx in
                    var report = before
                    let accounts = try tx.accounts(after: after, limit: 500)
                    for account in accounts { try await report.count(account, in: tx) }
                    return (accounts.last?.username.mapped, report)
                }
                report = page.1
                guard let name = page.0 else { break }
                last = name
            }
            for (index, line) in report.lines.enumerated() {
                let from = line.rule.from.map { " from \(JSONTime.text($0).prefix(10))" } ?? ""
                let head = "Rule \(index + 1), \(line.subjects)\(from): \(line.demand)"
                let names = line.notReady.map { "  not ready: \(ShownText.clean($0))" }
                try options.show(line.json, [head, "  ready: \(line.ready)"] + names)
            }
        }
    }
}
