import ArgumentParser
import Foundation
import WardAgentClient

/// Removes devices.
struct DevicesRemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Remove devices from the vault, for example a lost one.",
        discussion: """
            A removed device gets no more changes, and what it writes does not count. It keeps what it had. The vault gets a \
            new key and a new Secret Key, which the other devices get by sync.

            If the vault has two devices, the command asks for the recovery key. Without it, nobody could tell which device \
            was right if the other one removed this one.
            """
    )

    /// How many items are shown by name.
    private static let shown = 20

    @OptionGroup var options: AgentOptions
    @Argument(help: ArgumentHelp("Name of the device, or the first characters of its ID.", valueName: "device"))
    var devices: [String]
    @Flag(help: "The devices were wiped, so the Secret Key stays.")
    var wiped = false
    @Option(
        name: .customLong("recovery-key-fd"),
        help: ArgumentHelp("Read the recovery key from this file descriptor.", valueName: "n")
    )
    var recoveryKeyDescriptor: Int32?
    @Flag(help: "Do not ask for confirmation.")
    var yes = false

    func run() async throws {
        let owner = try OwnerPassphrase(options)
        let vault = try options.vault().existing()
        try await vault.withAgent { agent in
            let list = try await agent.call(ListDevices(authorization: owner.authorization))
            let chosen = try DeviceChoice.find(devices, among: list)
            let names = chosen.map(DeviceText.nameAndID).joined(separator: ", ")
            try Confirmation.ask("Remove \(names)?", isGiven: yes, options)
            let key = try await recoveryKey(list, agent)
            let removed = try await owner.use { passphrase in
                try await agent.call(
                    RemoveDevices(
                        devices: chosen.map(\.id),
                        passphrase: passphrase,
                        recoveryKey: key,
                        keepsSecretKey: wiped
                    )
                )
            }
            if options.json { return try Output.json(removed) }
            Output.lines(lines(removed))
            for notice in SyncText.warnings(afterChange: removed.state) { Terminal.note("Warning: \(notice)") }
        }
    }

    /// The recovery key that signs the removal too.
    private func recoveryKey(_ list: DeviceList, _ agent: AgentClient) async throws -> String? {
        if let recoveryKeyDescriptor {
            return try await RecoveryKeyText.ask(agent, descriptor: recoveryKeyDescriptor).key
        }
        guard list.members.count <= 2, !list.isFrozen else { return nil }
        let why = "The vault has two devices. If the other one removes this one too, only the recovery key decides."
        guard Terminal.isInteractive, !options.noPrompt, !options.json else {
            Terminal.note("\(why) To use it: add --recovery-key-fd")
            return nil
        }
        Terminal.note(why)
        while true {
            let typed = String(
                decoding: try Question.secret("Recovery key (not shown), or Enter to go on without it: "),
                as: UTF8.self
            )
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

    private func lines(_ result: RemoveDevices.Result) -> [String] {
        let isOne = result.removed.count == 1
        var lines = [
            "\(result.removed.map(DeviceText.name).joined(separator: ", ")) \(isOne ? "was" : "were") removed."
        ]
        if let secretKey = result.secretKey {
            lines += [
                "The vault has a new Secret Key. It is on this device: \(Paths.short(secretKey))",
                "The other devices get it by sync. Write it on paper in place of the old one.",
                "Backups from before open with the old one.",
            ]
        }
        let passwords = result.readable.count { $0.hasPassword }
        let passkeys = result.readable.reduce(0) { $0 + $1.passkeys }
        guard !wiped, passwords + passkeys > 0 else { return lines }
        lines += [
            "",
            "The removed \(isOne ? "device" : "devices") could read "
                + "\(SyncText.number(passwords, "password", "passwords")) and "
                + "\(SyncText.number(passkeys, "passkey", "passkeys")). "
                + "If somebody else may have \(isOne ? "it" : "them"), replace them at these sites:",
        ]
        let items = result.readable.filter { $0.hasPassword || $0.passkeys > 0 }
        lines += items.prefix(Self.shown).map { item in
            let parts = [item.hasPassword ? "password" : nil, item.passkeys > 0 ? "passkey" : nil].compactMap(\.self)
            return "  \(Table.clean(item.title))  (\(parts.joined(separator: ", ")))"
        }
        if items.count > Self.shown { lines.append("  and \(items.count - Self.shown) more: ward list") }
        return lines.map(CommandHints.here)
    }
}
