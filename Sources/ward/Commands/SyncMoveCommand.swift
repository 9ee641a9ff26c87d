import ArgumentParser
import Foundation
import WardAgentClient

/// Moves the vault to another sync server.
struct SyncMoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "move",
        abstract: "Move the vault to another sync server; your other devices follow.",
        discussion: """
            The command brings the whole vault to the new server, and checks that everything is there. Then it tells your \
            other devices over the server of today: with their next sync they go to the new one, and say so. The server of \
            today keeps what it has.

            Nobody but you can move the vault: a move needs the passphrase.
            """
    )

    @OptionGroup var options: AgentOptions
    @Argument(
        help: ArgumentHelp("The address of the new server, such as https://sync.example.org", valueName: "address")
    )
    var server: String
    @Option(
        name: .customLong("invitation-file"),
        help: ArgumentHelp("Read the invitation from this file; - is standard input.", valueName: "file"),
        completion: .file()
    )
    var invitationFile: String?
    @Flag(
        name: .customLong("sign-in"),
        help: "Bring the vault with an account of the server, and do not ask for an invitation."
    )
    var signsIn = false
    @Flag(
        name: .customLong("old-server-gone"),
        help: "The server of today does not answer any more. Then you name the new one on each device: ward sync on."
    )
    var isEarlierGone = false

    func validate() throws {
        guard invitationFile == nil || !signsIn else {
            throw ValidationError("Use only one of --invitation-file and --sign-in.")
        }
    }

    func run() async throws {
        let owner = try OwnerPassphrase(options)
        let vault = try options.vault().existing()
        let given = try invitationFile.map { try ServerEntry.token(try TextFile.read($0)) }
        try await vault.withAgent { agent in
            let result = try await owner.use { try await move(agent, $0, given) }
            if options.json { return try Output.json(result) }
            var lines = ["The vault moved: \(SyncText.place(result.state) ?? "")"]
            let others = (result.state.members ?? 1) - 1
            if others > 0 {
                lines.append(
                    isEarlierGone
                        ? CommandHints.here("On each other device: ward sync on \(server)")
                        : "Your other devices follow with their next sync, and say so."
                )
            }
            Output.lines(lines)
            for notice in SyncText.notices(result.state) { Terminal.note("Warning: \(notice)") }
        }
    }

    /// Moves the vault, and asks for what brings it if the server does not have it.
    ///
    /// - Throws: `AgentError`; ``Failure``.
    private func move(
        _ agent: AgentClient,
        _ passphrase: String,
        _ invitation: String?
    ) async throws -> SyncNow.Result {
        var method = MoveSync(
            passphrase: passphrase,
            server: server,
            invitation: invitation,
            isEarlierGone: isEarlierGone
        )
        do {
            return try await agent.call(method)
        } catch let error as AgentError where error.code.rawValue == "session_refused" && invitation == nil {
            let entry = ServerEntry(isMove: true, server: server, signsIn: signsIn, options: options)
            method.invitation = try await entry.invitation(agent)
            return try await agent.call(method)
        }
    }
}
