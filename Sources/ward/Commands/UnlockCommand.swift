import ArgumentParser
import Foundation
import WardAgentClient
import WardVault

/// Unlocks the vault.
struct UnlockCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unlock",
        abstract: "Open the vault until it locks.",
        discussion: """
            The vault locks after 15 minutes without use, 8 hours after it was opened, when the screen is locked, when the \
            machine goes to sleep, and with the command ward lock.
            """
    )

    @OptionGroup var options: AgentOptions
    @OptionGroup var strength: NewPassphraseOptions
    @Flag(help: "Type the recovery key instead of the passphrase, and choose a new passphrase.")
    var recoveryKey = false
    @Option(
        name: .customLong("recovery-key-fd"),
        help: ArgumentHelp(
            "Read the recovery key from this file descriptor; --passphrase-fd then reads the new passphrase.",
            valueName: "n"
        )
    )
    var recoveryKeyDescriptor: Int32?
    @Flag(
        help:
            "Accept a vault file that is older than the last one on this device. Use it after you restored a backup."
    )
    var trustThisFile = false
    @Flag(
        help:
            "With the recovery key: accept a vault even if ward cannot check that it is yours. Early versions made such vaults."
    )
    var trustUnproven = false

    func run() async throws {
        if recoveryKey || recoveryKeyDescriptor != nil { return try await recover() }
        let authorization = try options.authorization()
        let vault = try options.vault().existing()
        try await vault.withAgent { agent in
            _ = try await agent.call(Unlock(authorization: authorization, trustsFile: trustThisFile))
            if options.json { return try Output.json(Opened()) }
            Output.lines(["\(vault.subject) is open."])
        }
    }

    private func recover() async throws {
        let vault = try options.vault().existing()
        try await vault.withAgent { agent in
            let (key, checked) = try await RecoveryKeyText.ask(agent, descriptor: recoveryKeyDescriptor)
            if checked.isProven == false, !trustUnproven {
                try RecoveryKeyText.confirmUnproven(checked, mayAsk: !options.noPrompt)
            }
            let given = try strength.checked(try options.passphrase())
            let passphrase = try given ?? NewPassphrase.ask(for: vault.location.database, strength)
            let made = try await agent.call(
                Recover(
                    recoveryKey: key,
                    passphrase: passphrase,
                    trustsFile: trustThisFile,
                    trustsUnproven: checked.isProven == false
                )
            )
            if options.json {
                return try Output.json(Opened(isNewDevice: made.isNewDevice, formerDevice: made.formerDevice))
            }
            Output.lines(
                ["\(vault.subject) is open and has the new passphrase."]
                    + SyncText.newDevice(made.isNewDevice, former: made.formerDevice)
            )
        }
    }

    /// What `--json` shows.
    private struct Opened: Encodable {
        let state = "unlocked"
        var isNewDevice: Bool?
        var formerDevice: String?
    }
}
