internal import Foundation

/// The folders for a person's files, as the XDG Base Directory specification defines them.
///
/// A variable of the environment sets each folder. If its value is empty or a relative path, it is ignored, as the
/// [specification](https://specifications.freedesktop.org/basedir-spec/latest/) requires. The same rule applies to `HOME`.
package struct BaseFolders: Hashable, Sendable {
    /// The person's home folder: `$HOME`, otherwise the folder of the account.
    package let home: String
    /// `$XDG_CONFIG_HOME`, otherwise `~/.config`.
    package let config: String
    /// `$XDG_DATA_HOME`, otherwise `~/.local/share`.
    package let data: String
    /// `$XDG_STATE_HOME`, otherwise `~/.local/state`.
    package let state: String
    /// The folder `$XDG_RUNTIME_DIR`.
    ///
    /// The specification has no other folder for this.
    package let runtime: String?
    /// `$XDG_DATA_DIRS`, otherwise `/usr/local/share` and `/usr/share`.
    package let sharedData: [String]

    /// Reads the folders from an environment.
    package init(environment: [String: String]) {
        func path(_ variable: String) -> String? { environment[variable].flatMap { $0.hasPrefix("/") ? $0 : nil } }
        // Foundation finds the home folder by the account. If a person sets HOME, the value of HOME is used instead.
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

    /// The folders of this process, from its current environment.
    package static var ofThisProcess: BaseFolders { BaseFolders(environment: ProcessInfo.processInfo.environment) }
}
