import ArgumentParser
import WardAgentClient

/// Whether apps and pages get passkeys on this device.
struct PasskeysCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "passkeys",
        abstract: "Switch passkeys on or off on this device.",
        discussion: """
            While passkeys are off, none is made and none is offered; apps still get passwords and codes. Passkeys that are \
            in the vault stay there: ward passkey list shows them.
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
        try await options.withAgent { agent in
            let result = try await agent.call(SwitchPasskeys(isOn: state == .on))
            if json { return try Output.json(["passkeys": state.rawValue]) }
            Output.lines(["Passkeys are switched \(state.rawValue)."])
            if state == .on { Self.note(result) }
        }
    }

    /// Says why there are no passkeys, where there are none.
    static func note(_ result: ListProviders.Result) {
        guard result.passkeysAreOff else { return }
        Terminal.note(
            result.arePasskeysSwitchedOff
                ? "Passkeys are off: ward passkeys on switches them on."
                : "Passkeys are off: no manager in use has any. ward providers enable ward puts Ward's own to use."
        )
    }
}
