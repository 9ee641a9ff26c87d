import ArgumentParser

/// Checks the security of the items.
struct AuditCommand: AsyncParsableCommand, WordsOrSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "audit",
        abstract: "Find leaked, weak and reused passwords, and accounts that can be made safer.",
        discussion: """
            ward audit list shows the problems, worst first. ward audit is short for it.

            leaked           a password from a data breach, see ward audit list --help
            weak             a password that is easy to guess
            reused           a password that an account at another site has too
            expired          a card that is no longer valid
            duplicate        two items of the same account
            code-missing     the site offers verification codes, and the account has none
            passkey-missing  the site offers passkeys, and the account has none
            """,
        subcommands: [AuditListCommand.self, AuditFixCommand.self, AuditIgnoreCommand.self],
        defaultSubcommand: AuditListCommand.self
    )
}
