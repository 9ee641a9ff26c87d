internal import Foundation
internal import WardAgentClient

/// Identifies an app: by its sandbox, or by the registered executable.
///
/// Otherwise the app is unknown.
struct AppIdentification: Sendable {
    let registry: AppRegistry
    let flatpak: FlatpakSandbox
    let digests: ExecutableDigests
    /// The agent's own process.
    ///
    /// Paths are meant in its view of the file system.
    let own: PeerProcess.Snapshot?

    /// Finds out which app a process belongs to.
    ///
    /// - Throws: `AgentError` with `appUnknown` if the process ended, or is not what it says.
    func identity(of peer: Peer) async throws(AgentError) -> AppIdentity.Result {
        let snapshot = try peer.verified()
        guard let process = peer.process, let own else {
            throw AgentError(.appUnknown, "the kernel does not show what this program runs: is /proc mounted?")
        }
        guard !process.isTraced else {
            throw AgentError(
                .appUnknown,
                "\(snapshot.path) is being traced by another program, which can change what it does: run it without a debugger"
            )
        }
        if let name = try flatpak.identifier(of: process, snapshot, own: own) {
            return AppIdentity.Result(
                kind: .flatpak,
                identifier: name,
                displayName: name,
                executable: snapshot.path,
                domains: []
            )
        }
        // In another mount namespace, any user can put any file at the same path.
        guard snapshot.mounts == own.mounts, let app = registry.read().app(at: snapshot.path.withoutDeletedMark) else {
            return nobody(snapshot)
        }
        try await check(app, process, snapshot)
        // The process could have started another program while its file was read.
        _ = try peer.verified()
        return AppIdentity.Result(
            kind: .registered,
            identifier: app.identifier,
            displayName: app.name,
            executable: app.path,
            domains: app.domains
        )
    }

    /// Checks that a process runs the registered program.
    private func check(
        _ app: RegisteredApp,
        _ process: PeerProcess,
        _ snapshot: PeerProcess.Snapshot
    ) async throws(AgentError) {
        guard FileIdentity(path: app.path) == snapshot.executable else {
            throw AgentError(
                .appUnknown,
                "\(app.path) was replaced while the app was running. Start the app again. After an update, also run: "
                    + "\(Self.again(app))"
            )
        }
        guard let file = process.openExecutable(), let digest = await digests.digest(of: file) else {
            throw AgentError(
                .appUnknown,
                "\(app.path) cannot be read, so the app cannot be identified: check its permissions"
            )
        }
        guard digest == app.digest else {
            throw AgentError(
                .appUnknown,
                "\(app.path) is not the program that was registered. If it was updated: \(Self.again(app))"
            )
        }
    }

    private static func again(_ app: RegisteredApp) -> String {
        "ward apps add \(app.path)"
    }

    private func nobody(_ snapshot: PeerProcess.Snapshot) -> AppIdentity.Result {
        AppIdentity.Result(
            kind: .unknown,
            identifier: "",
            displayName: snapshot.path.split(separator: "/").last.map(String.init) ?? snapshot.path,
            executable: snapshot.path,
            domains: ["localhost"]
        )
    }
}
