internal import Foundation
package import WardAgentClient
package import WardDomains
internal import WardFolders

/// The rules that identify programs which talk to the agent, and that decide which domains an app may use.
///
/// The real policy asks the kernel and the domains. Tests use their own.
public struct AppPolicy: Sendable {
    /// Whether a program belongs to the credential manager.
    ///
    /// Such a program may call every method.
    package var isManager: @Sendable (Peer) async throws(AgentError) -> Bool
    /// Whether a program is a portal of the desktop.
    ///
    /// Such a program may name the origin of a page.
    package var isPortal: @Sendable (Peer) async throws(AgentError) -> Bool
    /// Identifies an app.
    package var identify: @Sendable (Peer) async throws(AgentError) -> AppIdentity.Result
    /// Whether a program is `ward-browser`, which speaks for a browser.
    ///
    /// Such a program may call only the methods for browsers.
    package var isBrowserHost: @Sendable (Peer) async throws(AgentError) -> Bool
    /// The browser that started `ward-browser`.
    var browser: @Sendable (_ host: Peer, _ extensionID: String) throws(AgentError) -> RunningBrowser
    /// The identifiers of the apps that a domain lists.
    ///
    /// Throws `notAssociated` with the reason if there is no list.
    package var appsNamed: @Sendable (RelyingPartyID) async throws(AgentError) -> Set<String>
    /// The domains that are known to list an app.
    ///
    /// No domain is asked.
    package var domainsNaming: @Sendable (_ identifier: String) async -> [RelyingPartyID]
    /// The registered programs.
    let registry: AppRegistry
    let digests: ExecutableDigests
    /// The browsers that the person connected.
    let browsers: BrowserPairings

    /// The policy that asks the kernel, the registries and the domains.
    ///
    /// It uses five variables of the agent's environment: `XDG_RUNTIME_DIR`, `XDG_CONFIG_HOME`, `HOME`, `WARD_MANAGERS` and
    /// `WARD_PORTALS`.
    public static func standard() -> AppPolicy { AppPolicy(environment: ProcessInfo.processInfo.environment) }

    /// The same policy with other paths.
    package init(
        environment: [String: String],
        administratorFolder: String? = nil,
        fetch: AssociationFetch = .http,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        let own = PeerProcess.own?.snapshot
        let managers = ManagerPrograms(environment: environment, own: own)
        let hosts = BrowserHosts(own: own)
        let portals = PortalPrograms(environment: environment, own: own)
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
        browsers = BrowserPairings(path: BrowserPairings.ownFile(environment))
        isManager = { peer throws(AgentError) in managers.includes(try peer.verifiedOrHidden()) }
        isBrowserHost = { peer throws(AgentError) in hosts.includes(try peer.verifiedOrHidden()) }
        browser = { host, id throws(AgentError) in try hosts.browser(of: host, id) }
        isPortal = { peer throws(AgentError) in try portals.includes(peer) }
        identify = { peer throws(AgentError) in try await identification.identity(of: peer) }
        domainsNaming = { await domains.domains(naming: $0) }
        appsNamed = { domain throws(AgentError) in try await domains.apps(namedBy: domain) }
    }
}
