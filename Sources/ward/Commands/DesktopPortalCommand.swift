import ArgumentParser
import WardAgentClient

/// Switches the portal of the desktop on or off, or shows its state.
struct DesktopPortalCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "portal",
        abstract: "Switch the passkey portal on or off, or show its state.",
        discussion: """
            While the portal is on, the agent has the name xyz.iinuwa.credentialsd.Credentials on the message bus of your \
            session. xdg-desktop-portal passes the requests of browsers on to it. Other programs get passkeys only of domains \
            that name them, like every app. If another program has the name, ward leaves it there.
            """
    )

    enum Action: String, ExpressibleByArgument, CaseIterable {
        case on, off, status
    }

    @OptionGroup var options: QuestionOptions
    @Argument(help: ArgumentHelp("on, off or status.", valueName: "on|off|status"))
    var action: Action

    func run() async throws {
        let (json, action) = (options.json, action)
        try await options.withDefaultAgent { agent in
            let result =
                action == .status
                ? try await agent.call(DesktopStatus()) : try await agent.call(SwitchDesktop(isOn: action == .on))
            if json { return try Output.json(result) }
            Output.lines(["The portal is \(Self.text(result))."])
        }
    }

    /// The state, as part of a sentence.
    static func text(_ result: DesktopStatus.Result) -> String {
        switch result.state {
        case .off: return "off. Switch it on: ward desktop portal on"
        case .serving: return "on"
        case .taken:
            let program = result.program.map(Table.clean) ?? "another program"
            let process = result.pid.map { " (process \($0))" } ?? ""
            return "on, but \(program)\(process) has the name \(result.name). End it, then run ward desktop portal on"
        case .free: return "on, but does not answer. Run ward desktop portal on"
        case .noBus: return "on, but there is no message bus"
        default: return Table.clean(result.state.rawValue)
        }
    }
}
