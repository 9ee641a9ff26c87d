import ArgumentParser
import WardAgentClient

/// Switches passkeys on or off.
struct PasskeysCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "passkeys",
        abstract: "Switch passkeys on or off on this device.",
        discussion: """
            While passkeys are off, apps and pages cannot create or use passkeys. Apps still get passwords and codes. The \
            passkeys stay in the vault: ward passkey list shows them.
            """
    )

    enum Switch: String, ExpressibleByArgument, CaseIterable {
        case on, off
    }

    @OptionGroup var options: QuestionOptions
    @Argument(help: ArgumentHelp("on or off.", valueName: "on|off"))
    var state: Switch

    func run() async throws {
        let (json, state) = (options.json, state)
        try await options.withDefaultAgent { agent in
            let result = try await agent.call(SwitchPasskeys(isOn: state == .on))
            if json { return try Output.json(["passkeys": state.rawValue]) }
            Output.lines(["Passkeys are switched \(state.rawValue)."])
            if state == .on { Self.note(result) }
        }
    }

    /// Reports why passkeys are off, if they are.
    static func note(_ result: ListProviders.Result) {
        guard result.passkeysAreOff else { return }
        Terminal.note(
            result.arePasskeysSwitchedOff
                ? "Passkeys are off. Switch them on: ward passkeys on."
                : "Passkeys are off: no enabled manager has passkeys. Enable Ward's own: ward providers enable ward"
        )
    }
}
