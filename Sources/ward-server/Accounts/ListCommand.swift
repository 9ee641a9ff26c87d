import ArgumentParser
import WardAccounts
import WardServer
import WardStoreSQLite
import WardTerminal

/// `ward-server accounts list`.
struct ListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List all accounts by user name.",
        discussion: "With --json, each line is one account."
    )

    @OptionGroup var options: AccountsOptions

    func run() async throws {
        try await options.withStore { store in
            var last: String?
            while true {
                let after = last
                let page = try await store.read { tx in
                    var summaries: [AccountSummary] = []
                    for account in try tx.accounts(after: after, limit: 500) {
                        summaries.append(try await AccountSummary(of: account, in: tx))
                    }
                    return summaries
                }
                for summary in page { try options.show(summary.json, [summary.line]) }
                guard let name = page.last?.account.username.mapped else { break }
                last = name
            }
        }
    }
}

extension AccountSummary {
    /// The values are separated by tabs, for other programs.
    ///
    /// No user name has a tab.
    var line: String {
        let keys = passkeys == 1 ? "1 passkey" : "\(passkeys) passkeys"
        let parts = [
            ShownText.clean(account.username.text), ShownText.clean(account.displayName),
            "since \(JSONTime.text(account.createdAt))",
            hasPassword ? "\(keys) and a password" : keys,
        ]
        let state = account.disabledAt.map { ["disabled since \(JSONTime.text($0))"] } ?? []
        let groups = account.groups.isEmpty ? [] : ["in \(account.groups.map(\.text).joined(separator: ", "))"]
        return (parts + groups + state).joined(separator: "\t")
    }
}
