internal import Foundation
internal import Synchronization
package import WardAgentClient

/// Calls the agent.
///
/// Each call has its own connection, so cancelling a call also cancels the agent's work for it.
package struct AgentGateway: Sendable {
    /// The paths of the agent's sockets.
    package let paths: AgentPaths

    package init(paths: AgentPaths) { self.paths = paths }

    /// The gateway of the current task, for tests.
    @TaskLocal package static var local: AgentGateway?
    private static let standard = AgentGateway(paths: .ofThisPerson())
    /// The gateway to use.
    package static var current: AgentGateway { local ?? standard }

    /// Calls a method of the agent and waits as long as the person needs.
    ///
    /// - Throws: ``ASAuthorizationError``, also if the task is cancelled.
    func call<Method: AgentMethod>(
        _ method: Method
    ) async throws(ASAuthorizationError) -> Method.Result {
        let wasReached = Reached()
        do {
            // The agent decides where the prompt appears; the app has no influence on it.
            let hello = Hello(client: "AuthenticationServices", terminal: .init())
            return try await AgentClient.withAppConnection(to: paths, as: hello, patience: .seconds(120)) { agent in
                wasReached.set()
                return try await agent.call(method)
            }
        } catch let error as AgentError {
            guard error.code == .unreachable, !wasReached.isSet else {
                throw ASAuthorizationError(error)
            }
            throw ASAuthorizationError(.notHandled, nobodyThere)
        } catch is CancellationError {
            throw ASAuthorizationError(.canceled)
        } catch {
            throw ASAuthorizationError(.unknown, "the connection to the credential manager was lost: try again")
        }
    }

    /// The error's sentence if no agent is running.
    ///
    /// An app never starts the agent, because such an agent would use the app's display, bus and preloaded libraries.
    private var nobodyThere: String {
        let files = FileManager.default
        if !files.fileExists(atPath: paths.appDirectory), files.fileExists(atPath: paths.socket),
            files.fileExists(atPath: "/.flatpak-info")
        {
            return """
                The sandbox lets in the folder ward, where apps get nothing. In the Flatpak's manifest replace \
                --filesystem=xdg-run/ward with --filesystem=xdg-run/ward-apps:ro
                """
        }
        return """
            No credential manager listens at \(paths.appSocket). Start it: ward agent. To have it started when it is needed: \
            systemctl --user enable --now ward-agent.socket
            """
    }

    func save(
        _ password: ASPasswordCredential,
        _ scope: ASAutoFillURLScope,
        _ title: String?
    ) async throws(ASAuthorizationError) {
        let request = SaveForApp(
            domain: try scope.host.asRelyingPartyIdentifier(),
            user: password.user,
            password: password.password,
            title: title
        )
        _ = try await call(request)
    }
}

/// Whether the agent was reached.
private final class Reached: Sendable {
    private let value = Atomic(false)
    var isSet: Bool { value.load(ordering: .acquiring) }
    func set() { value.store(true, ordering: .releasing) }
}
