internal import Foundation
internal import WardAgentClient
internal import WardFolders
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

    /// The default paths: `$XDG_CONFIG_HOME/ward/providers.json`, `ward/providers` in `$XDG_DATA_HOME` and in each of
    /// `$XDG_DATA_DIRS`, and sockets in `$XDG_RUNTIME_DIR`.
    ///
    /// Only the agent of the default vault uses other managers. The agent of another vault reads the settings, but asks no
    /// other manager: a person who names a vault means this vault.
    ///
    /// [XDG base directories](https://specifications.freedesktop.org/basedir-spec/latest/); relative paths are ignored.
    public static func standard(
        location: VaultLocation = .standard,
        environment given: [String: String]? = nil
    ) -> ProviderPaths {
        let environment = given ?? ProcessInfo.processInfo.environment
        let folders = BaseFolders(environment: environment)
        var paths = ProviderPaths(location: location)
        paths.settings = folders.config + "/ward/providers.json"
        paths.declarations =
            location.name.isStandard ? paths.declarations + folders.sharedData.map { $0 + "/ward/providers" } : []
        let agent = AgentPaths.standard(environment: environment, stateDirectory: location.stateDirectory)
        paths.runtime = folders.runtime ?? agent.directory
        paths.apps = agent.appDirectory
        return paths
    }
}
