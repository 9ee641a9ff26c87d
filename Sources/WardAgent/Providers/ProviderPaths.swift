internal import Foundation
internal import WardAgentClient
public import WardVault

/// The paths of provider declarations and of the settings that enable providers.
public struct ProviderPaths: Hashable, Sendable {
    /// The file with the enabled providers.
    public var settings: String
    /// The folders of declarations, the person's own first.
    public var declarations: [String]
    /// The base folder for relative socket paths.
    public var runtime: String
    /// The folder of sockets that sandboxes can reach, where no provider may listen.
    public var apps: String
    /// The file with the public keys of passkeys of other providers.
    public var publicKeys: String
    /// The folder of the agent's proofs for providers that run by themselves.
    public var proofs: String

    /// Paths beside a vault.
    public init(location: VaultLocation) {
        settings = location.stateDirectory + "/providers.json"
        declarations = [location.directory + "/providers"]
        runtime = location.stateDirectory + "/run"
        apps = location.stateDirectory + "/run-apps"
        publicKeys = location.stateDirectory + "/provider-keys.json"
        proofs = location.stateDirectory + "/provider-proofs"
    }

    /// `$XDG_CONFIG_HOME/ward/providers.json`, `ward/providers` in `$XDG_DATA_HOME` and in each of `$XDG_DATA_DIRS`,
    /// and sockets in `$XDG_RUNTIME_DIR`.
    ///
    /// [XDG base directories](https://specifications.freedesktop.org/basedir-spec/latest/); relative paths are ignored.
    public static func standard(
        location: VaultLocation = .standard,
        environment given: [String: String]? = nil
    ) -> ProviderPaths {
        let environment = given ?? ProcessInfo.processInfo.environment
        func path(_ name: String) -> String? { environment[name].flatMap { $0.hasPrefix("/") ? $0 : nil } }
        let home = path("HOME") ?? NSHomeDirectory()
        let shared = (environment["XDG_DATA_DIRS"] ?? "").split(separator: ":").map(String.init)
            .filter { $0.hasPrefix("/") }
        var paths = ProviderPaths(location: location)
        paths.settings = (path("XDG_CONFIG_HOME") ?? home + "/.config") + "/ward/providers.json"
        paths.declarations += (shared.isEmpty ? ["/usr/local/share", "/usr/share"] : shared).map {
            $0 + "/ward/providers"
        }
        let agent = AgentPaths.standard(environment: environment, stateDirectory: location.stateDirectory)
        paths.runtime = path("XDG_RUNTIME_DIR") ?? agent.directory
        paths.apps = agent.appDirectory
        return paths
    }
}
