internal import Foundation
internal import Synchronization
internal import WardAgentClient
internal import WardFolders

/// The terminal and desktop of the person: first those that a manager program reported last, if they still exist; then
/// systemd's data about the desktop; then the agent's initial environment.
///
/// Data from apps is ignored, because an app must not choose the screen for its own prompt.
final class PersonSession: Sendable {
    private struct Said {
        var desktop = PromptPlace.Desktop()
        var terminal: ControllingTerminal?
        var terminalType: String?
        var locale: String?
        var messages: String?
        var pinentry: String?
    }

    /// The agent's `XDG_RUNTIME_DIR`.
    let runtime: String
    private let own: PromptPlace
    private let said = Mutex(Said())

    /// - Parameter environment: The agent's own.
    init(environment: [String: String]) {
        runtime = BaseFolders(environment: environment).runtime ?? "/run/user/\(getuid())"
        // The agent trusts its own environment, because the person who sets it also starts the agent.
        let words = Hello.Terminal(environment: environment, tty: Hello.Terminal.ownTerminal)
        var own = PromptPlace(words, of: .own, runtime: runtime)
        own.desktop.display = words.display
        own.desktop.waylandDisplay = words.waylandDisplay
        own.desktop.xauthority = words.xauthority
        own.desktop.sessionBus = words.sessionBus
        self.own = own
    }

    /// Records the terminal and desktop that a manager program reports.
    ///
    /// - Returns: The place for that program's own prompts.
    func hear(_ terminal: Hello.Terminal, from process: PeerProcess?) -> PromptPlace {
        let place = PromptPlace(terminal, of: process, runtime: runtime)
        said.withLock { said in
            // A program in a terminal without a desktop reports no desktop. A program on a desktop may report no terminal.
            if place.desktop.hasDisplay { said.desktop = place.desktop }
            if let terminal = place.terminal {
                said.terminal = terminal
                said.terminalType = place.terminalType
            }
            if place.isSomewhere { (said.locale, said.messages) = (place.locale, place.messages) }
            if let pinentry = place.pinentry { said.pinentry = pinentry }
        }
        return place
    }

    /// The terminal or desktop for a prompt.
    ///
    /// - Parameter place: The place of the requesting program; `nil` for apps.
    /// - Returns: Where the person can be asked now; without display and terminal if there is no such place.
    func place(for place: PromptPlace?) async -> PromptPlace {
        guard var place else { return await current() }
        if place.terminal?.isThere == false { place.terminal = nil }
        guard place.isSomewhere else {
            var current = await current()
            current.pinentry = place.pinentry ?? current.pinentry
            return current
        }
        place.pinentry = place.pinentry ?? said.withLock { $0.pinentry }
        return place
    }

    /// The current terminal and desktop of the person.
    private func current() async -> PromptPlace {
        let last = said.withLock { $0 }
        var place = own
        if last.desktop.hasDisplay, await last.desktop.isThere(runtime: runtime) {
            place.desktop = last.desktop
        } else if let environment = await UserManager.environment(runtime: runtime) {
            let desktop = PromptPlace.Desktop(Hello.Terminal(environment: environment, tty: nil), runtime: runtime)
            if desktop.hasDisplay { place.desktop = desktop }
        }
        if let terminal = last.terminal, terminal.isThere {
            place.terminal = terminal
            place.terminalType = last.terminalType
        }
        place.locale = last.locale ?? own.locale
        place.messages = last.messages ?? own.messages
        place.pinentry = last.pinentry
        return place
    }
}
