internal import Foundation
internal import WardAgentClient

/// The portals of the desktop, which may name the origin of a page.
///
/// These are xdg-desktop-portal in its usual places, and the programs in the variable `WARD_PORTALS` of the agent's environment:
/// absolute paths separated by colons, for other places and for tests. A person who can set this variable also starts the agent,
/// so the variable gives no additional rights.
struct PortalPrograms: Sendable {
    /// The places where distributions install xdg-desktop-portal.
    static let usual = [
        "/usr/libexec/xdg-desktop-portal", "/usr/lib/xdg-desktop-portal",
        "/usr/lib/xdg-desktop-portal/xdg-desktop-portal",
        "/usr/lib64/xdg-desktop-portal",
    ]

    private let own: PeerProcess.Snapshot?
    private let usual: [String]
    private let others: [String]

    init(environment: [String: String], own: PeerProcess.Snapshot?, usual: [String] = PortalPrograms.usual) {
        self.own = own
        self.usual = usual
        others = (environment["WARD_PORTALS"] ?? "").split(separator: ":").map(String.init).filter { $0.hasPrefix("/") }
    }

    /// Whether a process is a portal.
    ///
    /// The process must run the file in one of the places, be in the agent's mount namespace and not be traced. A file in a usual
    /// place must belong to root, and nobody else may write it.
    ///
    /// - Throws: `AgentError` with `appUnknown` if the process ended, or runs another program than before.
    func includes(_ peer: Peer) throws(AgentError) -> Bool {
        let snapshot = try peer.verified()
        guard let own, let process = peer.process, snapshot.mounts == own.mounts, !process.isTraced else {
            return false
        }
        let isNamed = others.contains { FileIdentity(path: $0) == snapshot.executable }
        if !isNamed {
            guard usual.contains(where: { FileIdentity(path: $0) == snapshot.executable }),
                let file = process.openExecutable(), let status = file.status,
                FileIdentity(status) == snapshot.executable,
                Self.isAdministrators(status)
            else { return false }
        }
        // The process could have started another program while its file was examined.
        return try peer.verified() == snapshot
    }

    private static func isAdministrators(_ status: stat) -> Bool {
        status.st_mode & S_IFMT == S_IFREG && status.st_uid == 0 && status.st_mode & 0o022 == 0
    }
}
