import ArgumentParser
import WardAccounts
import WardServer
import WardStoreSQLite
import WardTerminal
import WardText

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
                    try tx.accounts(after: after, limit: 500).map { try AccountSummary(of: $0, in: tx) }
                }
                for summary in page { options.show(summary.json, [summary.line]) }
                guard let name = page.last?.account.username.mapped else { break }
                last = name
            }
        }
    }
}

/// One line about an account.
struct AccountSummary: Sendable {
    let account: Account
    private let passkeys: Int
    private let hasPassword: Bool

    init(of account: Account, in tx: SQLiteTransaction) throws {
        self.account = account
        passkeys = try tx.passkeys(of: account.id).count
        hasPassword = try tx.password(of: account.id) != nil
    }

    var json: JSONValue {
        [
            "username": .string(account.username.text), "displayName": .string(account.displayName),
            "createdAt": .string(JSONTime.text(account.createdAt)), "passkeys": .integer(Int64(passkeys)),
            "hasPassword": .bool(hasPassword),
            "disabledAt": account.disabledAt.map { .string(JSONTime.text($0)) } ?? .null,
        ]
    }

    /// Tabs separate the parts, for other programs.
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
        return (parts + state).joined(separator: "\t")
    }
}
