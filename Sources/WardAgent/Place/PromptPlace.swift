internal import Foundation
package import WardAgentClient

/// A place where prompts can appear: a desktop, a terminal, or both.
///
/// Every value was checked.
public struct PromptPlace: Sendable {
    /// A desktop: its display and the variables that belong to it.
    package struct Desktop: Hashable, Sendable {
        package var display: String?
        package var waylandDisplay: String?
        package var xauthority: String?
        /// The value of `DBUS_SESSION_BUS_ADDRESS`.
        package var sessionBus: String?

        package init() {}

        /// Whether the desktop can show windows.
        package var hasDisplay: Bool { display != nil || waylandDisplay != nil }
    }

    package var desktop = Desktop()
    package var terminal: ControllingTerminal?
    /// `TERM`.
    package var terminalType: String?
    /// The value of `LC_ALL`, `LC_CTYPE` or `LANG`.
    package var locale: String?
    /// The language of messages: `LC_ALL`, `LC_MESSAGES` or `LANG`.
    package var messages: String?

    /// The window on the display to which prompts belong.
    package var window: UInt32?

    /// The pinentry that the person chose for their own `ward`; empty for none.
    package var pinentry: String?

    /// Creates an empty place.
    package init() {}

    /// Whether there is a display or a terminal.
    package var isSomewhere: Bool { desktop.hasDisplay || terminal != nil }

    /// An environment with the terminal, the display and the bus of this place.
    func environment(from environment: [String: String]) -> [String: String] {
        var environment = environment
        environment["DISPLAY"] = desktop.display
        environment["WAYLAND_DISPLAY"] = desktop.waylandDisplay
        environment["XAUTHORITY"] = desktop.xauthority
        environment["DBUS_SESSION_BUS_ADDRESS"] = desktop.sessionBus
        environment["GPG_TTY"] = terminal?.path
        environment["TERM"] = terminalType
        return environment
    }
}

extension PromptPlace {
    /// Checks the values of a manager program.
    ///
    /// A value that fails its check is left out.
    ///
    /// - Parameters:
    ///   - said: The values.
    ///   - process: The program.
    ///   - runtime: The agent's `XDG_RUNTIME_DIR`.
    package init(_ said: Hello.Terminal, of process: PeerProcess?, runtime: String) {
        self.init()
        desktop = Desktop(said, runtime: runtime)
        if let tty = said.tty, let process { terminal = ControllingTerminal(tty, of: process) }
        terminalType = said.type.flatMap { $0.isName(besides: "+._-") ? $0 : nil }
        locale = said.locale.flatMap { $0.isName(besides: "._@-") ? $0 : nil }
        messages = said.messages.flatMap { $0.isName(besides: "._@-") ? $0 : nil }
        // The program is checked when it is run. An error then names the program.
        pinentry = said.pinentry
    }
}

extension PromptPlace.Desktop {
    /// The values that have the right form.
    ///
    /// The bus and the Wayland display must be below the agent's runtime folder.
    package init(_ said: Hello.Terminal, runtime: String) {
        display = said.display.flatMap { Self.isDisplay($0) ? $0 : nil }
        waylandDisplay = said.waylandDisplay.flatMap { Self.waylandName($0, runtime) }
        xauthority = said.xauthority.flatMap { Self.isOwnFile($0) ? $0 : nil }
        sessionBus = said.sessionBus.flatMap { Self.bus($0, runtime) }
    }

    /// The form of a display: `:0`, `:0.1`, or `localhost:10.0` from ssh.
    static func isDisplay(_ text: String) -> Bool {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, ["", "localhost"].contains(parts[0]) else { return false }
        let numbers = parts[1].split(separator: ".", omittingEmptySubsequences: false)
        return (1...2).contains(numbers.count)
            && numbers.allSatisfy { number in
                (1...5).contains(number.utf8.count) && number.utf8.allSatisfy { (0x30...0x39).contains($0) }
            }
    }

    /// The name of a socket in the runtime folder, with or without the folder's path.
    static func waylandName(_ text: String, _ runtime: String) -> String? {
        let name = text.hasPrefix(runtime + "/") ? String(text.dropFirst(runtime.count + 1)) : text
        return name.isName(besides: "._-") ? name : nil
    }

    /// The form `unix:path=` and a path below the runtime folder.
    ///
    /// Other parts of the address are removed.
    ///
    /// Other kinds of addresses run programs (`unixexec:`), or lead to sockets of any program.
    static func bus(_ text: String, _ runtime: String) -> String? {
        let prefix = "unix:path="
        guard text.hasPrefix(prefix), !text.contains(";") else { return nil }
        let path = text.dropFirst(prefix.count).prefix { $0 != "," }
        guard path.hasPrefix(runtime + "/"), path.utf8.count < 108,
            path.utf8.allSatisfy({ $0.isLetterOrDigit || "/._-".utf8.contains($0) }),
            path.split(separator: "/").allSatisfy({ $0 != ".." })
        else { return nil }
        return prefix + path
    }

    /// Whether a path is a regular file of this user and not a link.
    private static func isOwnFile(_ path: String) -> Bool {
        guard path.hasPrefix("/"), let status = Descriptor.open(path, flags: O_NOFOLLOW)?.status else { return false }
        return status.st_mode & S_IFMT == S_IFREG && status.st_uid == getuid()
    }

    /// Whether the display still listens and belongs to this user or root.
    ///
    /// An earlier value can be outdated.
    ///
    /// A display over ssh may belong to another user by now.
    package func isThere(runtime: String) async -> Bool {
        if let waylandDisplay, await Self.listens(runtime + "/" + waylandDisplay) { return true }
        guard let display, display.hasPrefix(":") else { return false }
        let number = display.dropFirst().prefix { $0 != "." }
        return await Self.listens("/tmp/.X11-unix/X\(number)")
    }

    private static func listens(_ path: String) async -> Bool {
        var status = stat()
        guard unsafe lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK,
            status.st_uid == getuid() || status.st_uid == 0
        else { return false }
        return await AgentClient.isListening(at: path)
    }
}

extension String {
    /// Whether it is 1 to 64 ASCII letters, digits and some other characters, and begins with a letter or digit.
    fileprivate func isName(besides others: String) -> Bool {
        guard (1...64).contains(utf8.count), utf8.first?.isLetterOrDigit == true else { return false }
        return utf8.allSatisfy { $0.isLetterOrDigit || others.utf8.contains($0) }
    }
}
