import ArgumentParser
import WardAgentClient

/// Whether a fingerprint verifies the person.
struct FingerprintCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fingerprint",
        abstract:
            "Switch fingerprints on or off: you can then use a passkey with a fingerprint instead of the passphrase.",
        discussion: """
            ward uses the fingerprints that fprintd knows. To add a finger: fprintd-enroll. A fingerprint verifies you while \
            the vault is open; it does not open the vault. After five wrong attempts, after 14 days and after a reboot, ward \
            asks for the passphrase instead. To switch fingerprints off: ward fingerprint off.
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
