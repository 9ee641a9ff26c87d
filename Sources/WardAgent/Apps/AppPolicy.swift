package import WardAgentClient
package import WardWebAuthn

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

    /// Wires all three by hand.
    package init(
        isManager: @escaping @Sendable (Peer) async throws(AgentError) -> Bool,
        identify: @escaping @Sendable (Peer) async throws(AgentError) -> AppIdentity.Result,
        appsNamed: @escaping @Sendable (RelyingPartyID) async throws(AgentError) -> Set<String>
    ) {
        self.isManager = isManager
        self.identify = identify
        self.appsNamed = appsNamed
    }

    /// The real one.
    public static func standard() -> AppPolicy {
        AppPolicy { _ in
            true
        } identify: { peer in
            AppIdentity.Result(
                kind: .unknown,
                identifier: "",
                displayName: peer.executable,
                executable: peer.executable,
                domains: []
            )
        } appsNamed: { domain throws(AgentError) in
            throw AgentError(.notAssociated, "\(domain) could not be asked")
        }
    }
}
