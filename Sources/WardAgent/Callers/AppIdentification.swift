internal import Foundation
internal import WardAgentClient

/// Who an app is: what its sandbox says, else what somebody registered for the executable, else nobody.
struct AppIdentification: Sendable {
    let registry: AppRegistry
    let flatpak: FlatpakSandbox
    let digests: ExecutableDigests
    /// What the agent itself is: whose view of the file system paths are meant in.
    let own: PeerProcess.Snapshot?

    /// Finds out which app a process is.
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
                "\(snapshot.path) is being traced, so that others decide what it does: run it without a debugger"
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
        // Elsewhere the same path, and even the same file, may have been brought together by anybody.
        guard snapshot.mounts == own.mounts, let app = registry.read().app(at: snapshot.path.withoutDeletedMark) else {
            return nobody(snapshot)
        }
        try await check(app, process, snapshot)
        // It could have become another program while its file was read.
        _ = try peer.verified()
        return AppIdentity.Result(
            kind: .registered,
            identifier: app.identifier,
            displayName: app.name,
            executable: app.path,
            domains: app.domains
        )
    }

    /// Whether a process runs what was registered.
    private func check(
        _ app: RegisteredApp,
        _ process: PeerProcess,
        _ snapshot: PeerProcess.Snapshot
    ) async throws(AgentError) {
        guard FileIdentity(path: app.path) == snapshot.executable else {
            throw AgentError(
                .appUnknown,
                "\(app.path) was replaced while it runs: start the app again; after an update also: \(Self.again(app))"
            )
        }
        guard let file = process.openExecutable(), let digest = await digests.digest(of: file) else {
            throw AgentError(.appUnknown, "\(app.path) cannot be read, so nobody can tell what it is")
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
