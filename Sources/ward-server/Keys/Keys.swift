import ArgumentParser

/// `ward-server keys`.
struct Keys: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Look after the keys that sign ID tokens.",
        discussion: """
            The first client that you add brings the first keys, one for ES256 and one for RS256. These commands work on the service's database, also while the \
            service runs: it knows a change at once.
            """,
        subcommands: [KeyListCommand.self, KeyRotateCommand.self]
    )
}
