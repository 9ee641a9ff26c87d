import ArgumentParser
import Foundation
import WardAccounts
import WardStoreSQLite
import WardTerminal
import WardText

/// The options of all commands for accounts.
struct AccountsOptions: ParsableArguments {
    @OptionGroup var store: DatabaseOptions

    @Flag(help: "Print JSON.")
    var json = false

    /// Runs a command with the database of a service.
    ///
    /// The database must exist.
    func withStore(_ body: (SQLiteAccountStore) async throws -> Void) async throws {
        try await reportingFailures {
            let path = try await store.path()
            guard FileManager.default.fileExists(atPath: path) else {
                throw SettingsError(
                    "--database: there is no database at \(path). Give the path of the service's database, or start the "
                        + "service once."
                )
            }
            let accounts = try SQLiteAccountStore(path: path)
            try await body(accounts)
            try await accounts.close()
        }
    }

    /// Prints JSON or lines of text, according to the options.
    func show(_ json: JSONValue, _ lines: @autoclosure () -> [String]) throws {
        if self.json {
            try answer(json.text)
        } else {
            for line in lines() { try answer(line) }
        }
    }
}

extension AccountTransaction {
    /// The account with a name that the administrator typed.
    func account(typed name: String) async throws -> Account {
        guard let username = try? Username(name), let account = try await account(username: username) else {
            throw NoSuchAccount(name: name)
        }
        return account
    }
}

/// No account has the name that the administrator typed.
struct NoSuchAccount: Error, CustomStringConvertible {
    let name: String

    var description: String {
        "no account has the user name \(ShownText.clean(name)). List all of them: ward-server accounts list"
    }
}
