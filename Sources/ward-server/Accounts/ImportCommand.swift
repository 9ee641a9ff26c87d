import ArgumentParser
import Foundation
import WardAccounts
import WardServer
import WardStoreSQLite
import WardTerminal
import WardText
import WardWebAuthn

/// `ward-server accounts import`.
struct ImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Add the accounts of another system, with their password hashes.",
        discussion: """
            The file has one JSON object in each line, with the members username, displayName, email, emailConfirmed, \
            passwordHash, passwordChosenAt, createdAt (seconds since 1970) and groups; only username is required.

            A password hash is of bcrypt, crypt with SHA-256 or SHA-512, Argon2, PBKDF2 or scrypt, in the form of the usual \
            libraries, of Django or of Werkzeug. At the next sign-in of its owner it is replaced by a hash of the service.

            The whole file is checked first; if one line is wrong, nothing is written. Accounts whose user name exists stay as \
            they are, so an import that was interrupted can be run again. The service may run at the same time.
            """
    )

    /// The accounts of a transaction: few enough that the service does not wait.
    private static let batch = 200
    /// The maximum size of a file: 512 MiB.
    private static let maximumSize = 512 << 20

    @Argument(help: "The file; - reads standard input.", completion: .file())
    var file: String

    @Flag(help: "Check the file, and write nothing.")
    var dryRun = false

    @OptionGroup var options: AccountsOptions

    func run() async throws {
        try await options.withStore { store in
            let accounts = try Self.read(file)
            var (added, existing) = (0, 0)
            for start in stride(from: 0, to: accounts.count, by: Self.batch) {
                let part = Array(accounts[start..<min(accounts.count, start + Self.batch)])
                let new = dryRun ? try await Self.missing(part, store) : try await Self.add(part, store)
                added += new
                existing += part.count - new
                if isatty(STDERR_FILENO) == 1, !options.json { Self.progress(start + part.count, accounts.count) }
            }
            if isatty(STDERR_FILENO) == 1, !options.json { Self.progress(nil, 0) }
            let unconfirmed = accounts.count { $0.hasUnconfirmedEmail }
            let withPassword = accounts.count { $0.passwordHash != nil }
            let verb = dryRun ? "would be added" : "added"
            try options.show(
                [
                    "added": .integer(Int64(added)), "existing": .integer(Int64(existing)), "dryRun": .bool(dryRun),
                    "withPassword": .integer(Int64(withPassword)),
                    "unconfirmedAddresses": .integer(Int64(unconfirmed)),
                ],
                ["\(added) accounts \(verb). \(existing) exist already and stay as they are."]
                    + (unconfirmed == 0
                        ? []
                        : [
                            "\(unconfirmed) e-mail addresses were left out: without emailConfirmed, nobody knows whose they are."
                        ])
            )
        }
    }

    private static func add(_ accounts: [ImportedAccount], _ store: SQLiteAccountStore) async throws -> Int {
        let actions = OperatorActions(effects: .live)
        return try await store.write { tx in
            var added = 0
            for account in accounts where try await actions.add(account, in: tx) { added += 1 }
            return added
        }
    }

    private static func missing(_ accounts: [ImportedAccount], _ store: SQLiteAccountStore) async throws -> Int {
        try await store.read { tx in
            var missing = 0
            for account in accounts where try tx.account(username: account.username.mapped) == nil { missing += 1 }
            return missing
        }
    }

    private static func progress(_ done: Int?, _ count: Int) {
        let text = done.map { "\r\u{1b}[KImported \($0) of \(count) accounts…" } ?? "\r\u{1b}[K"
        DescriptorOutput.write(text, to: STDERR_FILENO)
    }

    /// Reads and checks all lines.
    private static func read(_ file: String) throws -> [ImportedAccount] {
        let shown = ShownText.clean(file)
        guard let handle = file == "-" ? FileHandle.standardInput : FileHandle(forReadingAtPath: file),
            let data = try? handle.read(upToCount: maximumSize + 1)
        else { throw SettingsError("\(shown) cannot be read") }
        guard data.count <= maximumSize else { throw SettingsError("\(shown) has more than 512 MiB. Split it") }
        var (accounts, lines) = ([ImportedAccount](), [String: Int]())
        for (index, line) in data.split(separator: 0x0a, omittingEmptySubsequences: false).enumerated() {
            guard line.contains(where: { $0 != 0x20 && $0 != 0x0d && $0 != 0x09 }) else { continue }
            let number = index + 1
            guard let json = try? JSONValue(Array(line)) else {
                throw SettingsError("\(shown), line \(number): this is not JSON. Nothing was written")
            }
            let account: ImportedAccount
            do { account = try ImportedAccount(json) } catch {
                throw SettingsError("\(shown), line \(number): \(error). Nothing was written")
            }
            if let first = lines.updateValue(number, forKey: account.username.mapped) {
                throw SettingsError(
                    "\(shown), line \(number): line \(first) has the same user name. Nothing was written"
                )
            }
            accounts.append(account)
        }
        return accounts
    }
}
