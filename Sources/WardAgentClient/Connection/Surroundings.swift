internal import Foundation
internal import WardFolders

extension Hello.Terminal {
    /// Where prompts can reach the person who started this process: its terminal, and the values in its environment.
    ///
    /// The agent uses this only from the manager's own programs; apps send nothing.
    package static func ofThisProcess() -> Self {
        let environment = ProcessInfo.processInfo.environment
        return Self(environment: environment, tty: ownTerminal ?? environment["GPG_TTY"])
    }

    /// Reads the values from an environment.
    ///
    /// - Parameters:
    ///   - environment: The environment.
    ///   - tty: The terminal's device, which is not in the environment.
    package init(environment: [String: String], tty: String?) {
        self.init()
        self.tty = tty
        type = environment["TERM"]
        display = environment["DISPLAY"]
        waylandDisplay = environment["WAYLAND_DISPLAY"]
        xauthority = environment["XAUTHORITY"]
        sessionBus = environment["DBUS_SESSION_BUS_ADDRESS"]
        // An empty value counts as none.
        func first(_ names: String...) -> String? { names.lazy.compactMap { environment[$0] }.first { !$0.isEmpty } }
        locale = first("LC_ALL", "LC_CTYPE", "LANG")
        messages = first("LC_ALL", "LC_MESSAGES", "LANG")
    }

    /// The terminal that this process reads from or writes to.
    package static var ownTerminal: String? {
        name(of: STDIN_FILENO) ?? name(of: STDERR_FILENO) ?? name(of: STDOUT_FILENO)
    }

    private static func name(of descriptor: CInt) -> String? {
        var buffer = [CChar](repeating: 0, count: 256)
        guard isatty(descriptor) == 1, unsafe ttyname_r(descriptor, &buffer, buffer.count) == 0 else { return nil }
        let bytes = buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:))
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension AgentPaths {
    /// The paths of this person's agent, for a program that knows nothing else about the credential manager.
    package static func ofThisPerson() -> AgentPaths {
        .standard(stateDirectory: BaseFolders.ofThisProcess.state + "/ward")
    }
}
