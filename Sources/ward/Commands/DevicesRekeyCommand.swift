import ArgumentParser
import WardAgentClient

/// Gives the devices a new vault key.
struct DevicesRekeyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rekey",
        abstract: "Give all devices a new vault key. ward sync status says when that is needed.",
        discussion: """
            If one device made a new recovery key while another one changed the passphrase, neither of the two opens everything \
            alone. Then add --recovery-key, and type the newest one.
            """
    )

    @OptionGroup var options: AgentOptions
    @Flag(help: "Type the recovery key besides the passphrase.")
    var recoveryKey = false
    @Option(
        name: .customLong("recovery-key-fd"),
        help: ArgumentHelp("Read the recovery key from this file descriptor.", valueName: "n")
    )
    var recoveryKeyDescriptor: Int32?

    func run() async throws {
        let owner = try OwnerPassphrase(options)
        let isAsked = recoveryKey && recoveryKeyDescriptor == nil
        guard !isAsked || (Terminal.isInteractive && !options.noPrompt) else {
            throw Failure(.usage, "Cannot ask for the recovery key here: add --recovery-key-fd")
        }
        // The header in force may not know this key, so the key is not checked before it is used.
        let wantsKey = recoveryKey || recoveryKeyDescriptor != nil
        let key = wantsKey ? try RecoveryKeyText.read(descriptor: recoveryKeyDescriptor) : nil
        try await options.withAgent { agent in
            let list = try await owner.use { passphrase in
                try await agent.call(RekeyDevices(passphrase: passphrase, recoveryKey: key))
            }
            if options.json { return try Output.json(list) }
            Output.lines([
                "The vault has a new key, and \(SyncText.number(list.members.count, "device gets", "devices get")) it."
            ])
            guard let state = list.state else { return }
            for notice in SyncText.warnings(afterChange: state) { Terminal.note("Warning: \(notice)") }
        }
    }
}
