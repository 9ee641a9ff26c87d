import ArgumentParser
import WardAgentClient

/// Whether a fingerprint shows who a person is.
struct FingerprintCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fingerprint",
        abstract: "Let a fingerprint answer for a passkey instead of the passphrase, or no longer.",
        discussion: """
            The fingers are those that fprintd knows of you: fprintd-enroll adds one. A finger shows that it is you while the \
            vault is open; it does not open the vault. After five wrong tries, after 14 days and after a reboot the passphrase \
            is asked. ward fingerprint off switches it off.
            """
    )

    enum Switch: String, ExpressibleByArgument, CaseIterable {
        case on, off
    }

    @OptionGroup var options: AgentOptions
    @Argument(help: ArgumentHelp("on or off.", valueName: "on|off"))
    var state: Switch

    func run() async throws {
        let (json, state) = (options.json, state)
        let authorization = try options.authorization()
        try await options.withAgent { agent in
            _ = try await agent.call(SwitchFingerprint(authorization: authorization, isOn: state == .on))
            if json { return try Output.json(["fingerprint": state.rawValue]) }
            Output.lines(["Fingerprints are switched \(state.rawValue)."])
        }
    }
}
