internal import NIOCore
internal import WardAgentClient

/// A socket of the agent.
///
/// It decides which programs may call which methods there.
enum Door: Sendable {
    /// The socket for the credential manager's own programs and for `ward-browser`. The former may call every method but those
    /// for browsers, and the latter only those; other programs may call none.
    case manager
    /// The socket for apps. Every program may call the methods for apps, and no other methods.
    case apps

    /// Whether a program counts as one of the manager's own.
    ///
    /// A program that cannot be identified does not count.
    func isManagers(_ peer: Peer, _ policy: AppPolicy) async -> Bool {
        guard self == .manager else { return false }
        return (try? await policy.isManager(peer)) ?? false
    }

    /// Whether a program is `ward-browser`.
    func isBrowserHost(_ peer: Peer, _ policy: AppPolicy) async -> Bool {
        guard self == .manager else { return false }
        return (try? await policy.isBrowserHost(peer)) ?? false
    }

    /// Refuses a program that may not call a method at this socket.
    ///
    /// Every program may call ``Hello``.
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
            if try await policy.isBrowserHost(peer) {
                switch entry {
                case .browser?, nil: return
                case .app?, .manager?:
                    throw AgentError(.appUnknown, "ward-browser may call only the methods for browsers")
                }
            }
            if case .browser? = entry {
                throw AgentError(
                    .appUnknown,
                    "Only ward-browser may call \(method.prefix(64)). \(peer.description) is another program."
                )
            }
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

/// A listening socket of the agent.
struct OpenDoor: Sendable {
    /// An accepted connection that is not read yet.
    ///
    /// If it is never served, it can be released as it is. A `NIOAsyncChannel` does not allow that.
    typealias Connection = any Channel

    let door: Door
    let file: PlacedFile
    let listener: NIOAsyncChannel<Connection, Never>
    /// Whether systemd owns the socket.
    ///
    /// Then its file stays when the agent ends.
    let isKept: Bool
}
