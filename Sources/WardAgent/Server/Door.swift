internal import NIOCore
internal import WardAgentClient

/// What is answered at a socket of the agent, and to whom.
enum Door: Sendable {
    /// The credential manager's own programs may ask for everything, and nobody else for anything.
    case manager
    /// Every program may call the methods for apps, and nothing else.
    case apps

    /// Whether a program is heard as one of the manager's own; one that cannot be looked at is nobody's.
    func isManagers(_ peer: Peer, _ policy: AppPolicy) async -> Bool {
        guard self == .manager else { return false }
        return (try? await policy.isManager(peer)) ?? false
    }

    /// Refuses a program that may not call a method here; ``Hello`` is for every program.
    ///
    /// - Throws: `AgentError` with `appUnknown`, and a sentence that says where to go.
    func check(
        _ method: String,
        _ entry: MethodTable.Entry?,
        from peer: Peer,
        _ policy: AppPolicy
    ) async throws(AgentError) {
        switch self {
        case .apps:
            if case .app? = entry { return }
            throw AgentError(
                .appUnknown,
                "Apps may not call \(method.prefix(64)). \(peer.description) is connected to the socket for apps."
            )
        case .manager:
            guard try await !policy.isManager(peer) else { return }
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
                \(peer.description) is not a program of the credential manager, and apps ask at ward-apps/agent.sock. If it is \
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
    let file: PlacedFile
    let listener: NIOAsyncChannel<Connection, Never>
    /// Whether systemd keeps the socket, so that its file stays when the agent ends.
    let isKept: Bool
}
