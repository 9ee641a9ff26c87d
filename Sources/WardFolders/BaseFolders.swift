internal import Foundation

/// The folders for a person's files, as the XDG Base Directory specification has them.
///
/// Each is named by a variable of the environment. A variable with an empty value or a relative path is ignored, as the
/// [specification](https://specifications.freedesktop.org/basedir-spec/latest/) asks, and `HOME` is held to the same rule.
package struct BaseFolders: Hashable, Sendable {
    /// The person's home folder: `$HOME`, otherwise the folder of the account.
    package let home: String
    /// `$XDG_CONFIG_HOME`, otherwise `~/.config`.
    package let config: String
    /// `$XDG_DATA_HOME`, otherwise `~/.local/share`.
    package let data: String
    /// `$XDG_STATE_HOME`, otherwise `~/.local/state`.
    package let state: String
    /// `$XDG_RUNTIME_DIR`; the specification names no other folder.
    package let runtime: String?
    /// `$XDG_DATA_DIRS`, otherwise `/usr/local/share` and `/usr/share`.
    package let sharedData: [String]

    /// Reads the folders from an environment.
    package init(environment: [String: String]) {
        func path(_ variable: String) -> String? { environment[variable].flatMap { $0.hasPrefix("/") ? $0 : nil } }
        // Foundation finds the folder by account; a person who sets HOME wants it to be used.
        let home = path("HOME") ?? NSHomeDirectory()
        self.home = home
        config = path("XDG_CONFIG_HOME") ?? home + "/.config"
        data = path("XDG_DATA_HOME") ?? home + "/.local/share"
        state = path("XDG_STATE_HOME") ?? home + "/.local/state"
        runtime = path("XDG_RUNTIME_DIR")
        let shared = (environment["XDG_DATA_DIRS"] ?? "").split(separator: ":").map(String.init)
            .filter { $0.hasPrefix("/") }
        sharedData = shared.isEmpty ? ["/usr/local/share", "/usr/share"] : shared
    }

    /// The folders of this process, as its environment names them now.
    package static var ofThisProcess: BaseFolders { BaseFolders(environment: ProcessInfo.processInfo.environment) }
}
