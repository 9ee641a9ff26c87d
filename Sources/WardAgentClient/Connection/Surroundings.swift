internal import Foundation

extension Hello.Terminal {
    /// Where prompts can reach the person who started this process: its terminal, and what its environment names.
    package static func ofThisProcess() -> Self {
        let environment = ProcessInfo.processInfo.environment
        var terminal = Self()
        terminal.tty =
            environment["GPG_TTY"] ?? name(of: STDIN_FILENO) ?? name(of: STDERR_FILENO) ?? name(of: STDOUT_FILENO)
        terminal.type = environment["TERM"]
        terminal.display = environment["DISPLAY"]
        terminal.waylandDisplay = environment["WAYLAND_DISPLAY"]
        terminal.xauthority = environment["XAUTHORITY"]
        terminal.sessionBus = environment["DBUS_SESSION_BUS_ADDRESS"]
        terminal.locale = environment["LC_ALL"] ?? environment["LC_CTYPE"] ?? environment["LANG"]
        return terminal
    }

    private static func name(of descriptor: CInt) -> String? {
        var buffer = [CChar](repeating: 0, count: 256)
        guard isatty(descriptor) == 1, unsafe ttyname_r(descriptor, &buffer, buffer.count) == 0 else { return nil }
        let bytes = buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:))
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension AgentPaths {
    /// Where the agent of this person listens, for a program that knows nothing else of the credential manager.
    package static func ofThisPerson() -> AgentPaths {
        let environment = ProcessInfo.processInfo.environment
        // Foundation looks the folder up by user; whoever sets HOME means it.
        let home = environment["HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? NSHomeDirectory()
        let named = environment["XDG_STATE_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
        let state = named ?? home + "/.local/state"
        return .standard(environment: environment, stateDirectory: state + "/ward")
    }
}
