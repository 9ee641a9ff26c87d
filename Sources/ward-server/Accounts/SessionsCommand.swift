import ArgumentParser
import WardAccounts
import WardServer
import WardStoreSQLite
import WardTerminal
import WardText
import WardWebAuthn

/// `ward-server accounts sessions`.
struct SessionsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sessions",
        abstract: "List an account's sessions, or end them.",
        discussion: "With --json, each line of the list is one session."
    )

    @Argument(help: "The user name.")
    var name: String

    // Every 64th ID begins with a hyphen.
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("End the session with this ID. The list shows the IDs.", valueName: "id")
    )
    var end: String?

    @Flag(help: "End all sessions of the account.")
    var endAll = false

    @OptionGroup var options: AccountsOptions

    func validate() throws {
        guard end == nil || !endAll else { throw ValidationError("Use only one of --end and --end-all.") }
    }

    func run() async throws {
        try await options.withStore { store in
            if end == nil, !endAll {
                try await list(store)
            } else {
                try await endSessions(store)
            }
        }
    }

    private func list(_ store: SQLiteAccountStore) async throws {
        let (name, now) = (name, Effects.live.now())
        let sessions = try await store.read { tx in
            let account = try await tx.account(typed: name)
            return try tx.sessions(of: account.id).filter { !$0.isExpired(at: now) }
        }
        for session in sessions { try options.show(JSONValue(listing: session), [session.line]) }
    }

    private func endSessions(_ store: SQLiteAccountStore) async throws {
        let (name, id) = (name, end)
        let count = try await store.write { tx in
            let account = try await tx.account(typed: name)
            let actions = OperatorActions(effects: .live)
            guard let id else { return try await actions.endSessions(of: account.id, in: tx) }
            guard let session = SessionID(text: id), try await actions.endSession(session, of: account.id, in: tx)
            else {
                throw NoSuchSession(name: name)
            }
            return 1
        }
        let what = count == 1 ? "1 session has ended." : "\(count) sessions have ended."
        try options.show(["ended": .integer(Int64(count))], [what])
    }
}

/// The account has no session with the ID that the administrator typed.
struct NoSuchSession: Error, CustomStringConvertible {
    let name: String

    var description: String {
        "the account \(ShownText.clean(name)) has no session with this ID. List all of them: ward-server accounts sessions"
    }
}

extension Session {
    /// The values are separated by tabs, for other programs.
    ///
    /// No user agent has a tab: the service drops control characters.
    fileprivate var line: String {
        let parts = [
            id.text, method.rawValue, "since \(JSONTime.text(createdAt))", "last active \(JSONTime.text(lastSeenAt))",
            ShownText.clean(userAgent),
        ]
        return parts.joined(separator: "\t")
    }
}
