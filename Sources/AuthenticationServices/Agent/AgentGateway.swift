internal import Foundation
internal import Synchronization
package import WardAgentClient

/// The way to the agent: a connection for each thing that is asked, so that ending one ends what the agent does for it.
package struct AgentGateway: Sendable {
    /// Where the agent listens.
    package let paths: AgentPaths

    /// Names the place.
    package init(paths: AgentPaths) { self.paths = paths }

    /// The way in this task, for tests.
    @TaskLocal package static var local: AgentGateway?
    private static let standard = AgentGateway(paths: .ofThisPerson())
    /// The way.
    package static var current: AgentGateway { local ?? standard }

    /// Asks, and waits as long as the person takes.
    ///
    /// - Throws: ``ASAuthorizationError``, never anything else, also when the task is cancelled.
    func call<Method: AgentMethod>(
        _ method: Method
    ) async throws(ASAuthorizationError) -> Method.Result {
        let wasReached = Reached()
        do {
            // Where the person is asked is not the app's to say.
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
            throw ASAuthorizationError(.unknown, "the credential manager was lost: try again")
        }
    }

    /// What to do where nobody listens.
    ///
    /// An app never starts the agent itself: the agent would have the app's display, bus and
    /// preloaded libraries.
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

/// Whether the agent was there, whatever came afterwards.
private final class Reached: Sendable {
    private let value = Atomic(false)
    var isSet: Bool { value.load(ordering: .acquiring) }
    func set() { value.store(true, ordering: .releasing) }
}
