internal import NIOCore
internal import WardAgentClient

/// What is answered at a socket of the agent, and to whom.
enum Door: Sendable {
    /// The credential manager's own programs may ask for everything, and nobody else for anything.
    case manager
    /// Everybody may call `app.*`, and nothing else.
    case apps

    /// Whether a program is heard as one of the manager's own; one that cannot be looked at is nobody's.
    func isManagers(_ peer: Peer, _ agent: Agent) async -> Bool {
        guard self == .manager else { return false }
        return (try? await agent.configuration.apps.isManager(peer)) ?? false
    }

    /// Lets a method through or not; ``Hello`` is for everybody.
    ///
    /// - Throws: `AgentError` with `appUnknown`, and a sentence that says where to go.
    func check(_ method: String, from peer: Peer, _ agent: Agent) async throws(AgentError) {
        let apps = agent.configuration.apps
        switch self {
        case .apps:
            guard !method.hasPrefix("app.") else { return }
            throw AgentError(
                .appUnknown,
                "\(method.prefix(64)) is for the credential manager's own programs: \(peer.description) is none of them"
            )
        case .manager:
            guard try await !apps.isManager(peer) else { return }
            guard peer.snapshot?.mounts == PeerProcess.own?.snapshot?.mounts else {
                throw AgentError(
                    .appUnknown,
                    """
                    The sandbox of \(peer.description) lets in the folder ward, where apps get nothing. In the Flatpak's \
                    manifest replace --filesystem=xdg-run/ward with --filesystem=xdg-run/ward-apps:ro
                    """
                )
            }
            throw AgentError(
                .appUnknown,
                """
                \(peer.description) is no program of the credential manager, and apps ask at ward-apps/agent.sock. If it is \
                an app, build it with the current AuthenticationServices.
                """
            )
        }
    }
}

/// A socket of the agent that listens.
struct OpenDoor: Sendable {
    /// A connection that nobody reads from yet; one that is never served may be let go as it is, which a
    /// `NIOAsyncChannel` must not.
    typealias Connection = any Channel

    let door: Door
    let file: SocketFile
    let listener: NIOAsyncChannel<Connection, Never>
    /// Whether systemd keeps the socket, so that its file stays when the agent ends.
    let isKept: Bool
}
