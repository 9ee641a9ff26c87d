internal import Foundation
package import WardAgentClient
package import WardDomains
internal import WardFolders

/// How an agent tells the programs apart that talk to it, and what makes a domain an app's.
///
/// The real one asks the kernel and the domains; tests pass their own.
public struct AppPolicy: Sendable {
    /// Whether a program is the credential manager's own, which may ask for everything.
    package var isManager: @Sendable (Peer) async throws(AgentError) -> Bool
    /// Who an app is.
    package var identify: @Sendable (Peer) async throws(AgentError) -> AppIdentity.Result
    /// The identifiers of the apps that a domain names; throws `notAssociated` with the reason when there is no list.
    package var appsNamed: @Sendable (RelyingPartyID) async throws(AgentError) -> Set<String>
    /// The domains that are known by now to name an app, without asking any.
    package var domainsNaming: @Sendable (_ identifier: String) async -> [RelyingPartyID]
    /// Which programs are registered.
    let registry: AppRegistry
    let digests: ExecutableDigests

    /// Asks the kernel, the registries and the domains.
    ///
    /// Of the agent's environment `XDG_RUNTIME_DIR`, `XDG_CONFIG_HOME`, `HOME` and `WARD_MANAGERS` count.
    public static func standard() -> AppPolicy { AppPolicy(environment: ProcessInfo.processInfo.environment) }

    /// The real one with other places.
    package init(
        environment: [String: String],
        administratorFolder: String? = nil,
        fetch: AssociationFetch = .http,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        let own = PeerProcess.own?.snapshot
        let managers = ManagerPrograms(environment: environment, own: own)
        let digests = ExecutableDigests()
        let registry = AppRegistry(
            folder: administratorFolder ?? AppRegistry.administratorFolder,
            file: AppRegistry.ownFile(environment)
        )
        let runtime = BaseFolders(environment: environment).runtime.map { $0 + "/.flatpak" }
        let identification = AppIdentification(
            registry: registry,
            flatpak: FlatpakSandbox(instances: runtime),
            digests: digests,
            own: own
        )
        let domains = AssociatedDomains(fetch: fetch, now: now)
        self.digests = digests
        self.registry = registry
        isManager = { peer throws(AgentError) in managers.includes(try peer.verifiedOrHidden()) }
        identify = { peer throws(AgentError) in try await identification.identity(of: peer) }
        domainsNaming = { await domains.domains(naming: $0) }
        appsNamed = { domain throws(AgentError) in try await domains.apps(namedBy: domain) }
    }
}
