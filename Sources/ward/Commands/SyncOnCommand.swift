import ArgumentParser
import Foundation
import WardAgentClient

/// Switches sync on.
struct SyncOnCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "on",
        abstract: "Sync the vault through a folder or a server.",
        discussion: """
            The first time, the command asks for the passphrase and the recovery key: from then on the recovery key also \
            decides about devices. If you do not have the recovery key, you get a new one, and the old one no longer works.

            To use another folder or server, run the command again. If the first sync there fails, the vault stays with the \
            place that it has. If a server does not have the vault yet, you sign in there with an account, in a browser. Or \
            you type an invitation, which the operator makes with ward-server sync invite.
            """
    )

    @OptionGroup var options: AgentOptions
    @Argument(
        help: ArgumentHelp(
            "A folder that exists, or the address of a server, such as https://sync.example.org",
            valueName: "place"
        ),
        completion: .directory
    )
    var place: String
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
    @Option(help: ArgumentHelp("Name of this device. Default: the host name.", valueName: "name"))
    var name: String?
    @Option(
        name: .customLong("recovery-key-fd"),
        help: ArgumentHelp("Read the recovery key from this file descriptor.", valueName: "n")
    )
    var recoveryKeyDescriptor: Int32?
    @Flag(help: "Make a new recovery key. The old one no longer works.")
    var newRecoveryKey = false

    func validate() throws {
        try Paths.check(place: place)
        guard recoveryKeyDescriptor == nil || !newRecoveryKey else {
            throw ValidationError("Use only one of --recovery-key-fd and --new-recovery-key.")
        }
        guard invitationFile == nil || isServer else {
            throw ValidationError("--invitation-file is for a server: its address begins with https://")
        }
        guard !signsIn || isServer else {
            throw ValidationError("--sign-in is for a server: its address begins with https://")
        }
        guard invitationFile == nil || !signsIn else {
            throw ValidationError("Use only one of --invitation-file and --sign-in.")
        }
    }

    func run() async throws {
        if let folder { try Paths.check(folder: folder) }
        let owner = try OwnerPassphrase(options)
        let vault = try options.vault().existing()
        let given = try invitationFile.map { try ServerEntry.token(try TextFile.read($0)) }
        try await vault.withAgentThatSyncs(isQuiet: options.json) { agent, sync in
            let result = try await owner.use { passphrase in
                // It opens the vault, so that the agent knows whether the recovery key is needed.
                _ = try await agent.call(CheckPassphrase(passphrase: passphrase))
                let state = try await agent.call(SyncStatus())
                if !state.isLocked, state.isOn == nil, let need = state.needs?.first {
                    throw AgentError(.init(rawValue: need.code), need.message)
                }
                let begins = state.members == nil
                // A vault that was on this device alone is on no server yet.
                let needsInvitation = begins && isServer && given == nil
                let invitation = if needsInvitation { try await entry.invitation(agent) } else { given }
                let made = begins ? try await begin(agent, passphrase) : nil
                // It is shown only once, and a first sync can be long: so it comes first.
                if let made {
                    if options.json {
                        try Output.json(["recoveryKey": made])
                    } else {
                        try await RecoveryKeyText.handOver(made, of: vault.name, agent, mayAsk: !options.noPrompt)
                    }
                }
                do {
                    let on = try await switchOn(agent, sync, passphrase, invitation, name: begins ? nil : name)
                    return Done(state: on.state, recoveryKey: made, written: on.written, taken: on.taken)
                } catch let error as AgentError where made != nil && options.json {
                    // The agent itself may have ended.
                    var state = (try? await agent.call(SyncStatus())) ?? SyncState(isLocked: true)
                    state.trouble = state.trouble ?? SyncState.Notice(code: error.code.rawValue, message: error.message)
                    return Done(state: state, recoveryKey: made, written: 0, taken: 0)
                }
            }
            if options.json { try Output.json(result) } else { show(result) }
            if let failure = result.failure { throw ExitCode(failure.status.rawValue) }
        }
    }

    private func show(_ result: Done) {
        var lines: [String] = []
        if result.state.isOn == true {
            lines.append("Sync is on: \(SyncText.place(result.state) ?? "")")
            if result.failure == nil {
                let target = isServer ? "brought to the server" : "written into the folder"
                lines.append("\(SyncText.number(result.written, "entry was", "entries were")) \(target).")
            } else {
                lines.append("The first sync failed.")
            }
            if result.taken > 0 {
                lines.append("\(SyncText.number(result.taken, "entry", "entries")) came from it.")
            }
        }
        if result.state.members == 1, result.failure == nil {
            lines += isServer ? Self.nextWithServer : Self.nextWithFolder
        }
        if !lines.isEmpty { Output.lines(lines) }
        for notice in SyncText.notices(result.state) { Terminal.note("Warning: \(notice)") }
    }

    private static var nextWithFolder: [String] {
        [
            CommandHints.here("Next, on the other device: ward join FOLDER"),
            CommandHints.here("Then here: ward devices add"),
        ]
    }

    private static var nextWithServer: [String] {
        [CommandHints.here("Next, to add a device: ward devices add. It shows a code for the new device")]
    }

    // MARK: A server

    private var isServer: Bool { place.contains("://") }

    private var entry: ServerEntry {
        ServerEntry(isMove: false, server: place, signsIn: signsIn, options: options)
    }

    /// Switches sync on, and asks for an invitation if the server does not have the vault.
    private func switchOn(
        _ agent: AgentClient,
        _ sync: SyncWaiting,
        _ passphrase: String,
        _ invitation: String?,
        name: String?
    ) async throws -> SwitchSyncOn.Result {
        var method = SwitchSyncOn(
            passphrase: passphrase,
            folder: folder,
            server: isServer ? place : nil,
            invitation: invitation,
            deviceName: name
        )
        let mayAsk = isServer && invitation == nil && (entry.mayAsk || signsIn)
        do {
            let result = try await sync.during { try await agent.call(method) }
            guard mayAsk, result.state.trouble?.code == Self.isNotThere else { return result }
        } catch let error as AgentError where mayAsk && error.code.rawValue == Self.isNotThere {
            // The vault is still with another place.
        }
        method.invitation = try await entry.invitation(agent)
        return try await sync.during { try await agent.call(method) }
    }

    /// What a server says that does not have the vault.
    private static let isNotThere = "session_refused"

    private var folder: String? { isServer ? nil : Paths.absolute(place) }

    // MARK: The circle

    /// What is said in JSON.
    private struct Done: Encodable {
        let state: SyncState
        let recoveryKey: String?
        let written: Int
        let taken: Int

        /// Why the first sync failed.
        var failure: Failure? {
            state.trouble.map { Failure(AgentError(.init(rawValue: $0.code), $0.message)) }
        }
    }

    /// Begins the circle of devices.
    ///
    /// - Returns: A new recovery key; `nil` if the person gave the one that they have.
    private func begin(_ agent: AgentClient, _ passphrase: String) async throws -> String? {
        let method = BeginCircle(
            passphrase: passphrase,
            folder: folder,
            server: isServer ? place : nil,
            deviceName: name,
            recoveryKey: try await recoveryKey(agent)
        )
        guard method.recoveryKey == nil else { return try await agent.call(method).recoveryKey }
        return try await RecoveryKeyText.making(else: RecoveryKeyText.old) { try await agent.call(method).recoveryKey }
    }

    /// The recovery key for the beginning of the circle; `nil` for a new one.
    private func recoveryKey(_ agent: AgentClient) async throws -> String? {
        if newRecoveryKey { return nil }
        if let recoveryKeyDescriptor {
            return try await RecoveryKeyText.ask(agent, descriptor: recoveryKeyDescriptor).key
        }
        guard Terminal.isInteractive, !options.noPrompt, !options.json else {
            throw Failure(.usage, "The recovery key is needed once: add --recovery-key-fd, or --new-recovery-key")
        }
        Terminal.note(
            """
            From now on the recovery key also decides about your devices, so it is needed once.
            Type it, or press Enter to get a new one. Then the old one no longer works.
            """
        )
        while true {
            let typed = String(decoding: try Question.secret("Recovery key (not shown): "), as: UTF8.self)
            if typed.trimmingCharacters(in: .whitespaces).isEmpty { return nil }
            do {
                if try await agent.call(CheckRecoveryKey(recoveryKey: typed)).isRight { return typed }
                Terminal.note(
                    "  This recovery key belongs to another vault, or was replaced. Compare it with the paper"
                )
            } catch let error as AgentError where error.code == .invalidValue {
                Terminal.note("  \(error.message)")
            }
        }
    }
}
