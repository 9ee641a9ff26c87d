import ArgumentParser
import WardServer
import WardStoreSQLite
import WardWebAuthn

/// `ward-server upgrades`.
struct UpgradesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "upgrades",
        abstract: "Show how people get from passwords to passkeys.",
        discussion: """
            For each day in UTC: how often a page asked the browser for a passkey without a prompt after a sign-in with a \
            password (asked), how often that gave a passkey (upgraded), how often a page offered to make one (upsold), and \
            how often the offer was put away (dismissed). The last line is the number of accounts that have a password which \
            was not used for 90 days, while a passkey was. The counts name no account, and are kept for 400 days.

            Exit codes: 64 if the settings are not valid, 69 if the database cannot be used.
            """
    )

    @Option(help: ArgumentHelp("The number of days, 1 to 400, today included.", valueName: "number"))
    var days = 30

    @OptionGroup var options: AccountsOptions

    func validate() throws {
        guard UpgradeReport.lengths.contains(days) else {
            throw ValidationError(
                "--days must be \(UpgradeReport.lengths.lowerBound) to \(UpgradeReport.lengths.upperBound)."
            )
        }
    }

    func run() async throws {
        try await options.withStore { store in
            let (count, now) = (days, Effects.live.now())
            let report = try await store.read { tx in try await UpgradeReport(days: count, at: now, in: tx) }
            try options.show(report.json, report.lines)
        }
    }
}

extension UpgradeReport {
    /// The values are separated by tabs, for other programs.
    fileprivate var lines: [String] {
        let rows = days.map { Self.line($0.date, $0) }
        return ["day\tasked\tupgraded\tupsold\tdismissed"] + rows + [
            Self.line("total", total),
            "accounts with a password not used for \(Self.unusedDays) days\t\(unusedPasswords)",
        ]
    }

    private static func line(_ name: String, _ day: Day) -> String {
        "\(name)\t\(day.asked)\t\(day.upgraded)\t\(day.upsold)\t\(day.dismissed)"
    }
}
