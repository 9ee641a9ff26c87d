internal import Foundation
internal import WardAgentClient

/// The credential manager's own programs, which may ask for everything.
///
/// They are what the agent itself runs, and what `WARD_MANAGERS` names in its environment: absolute paths with colons between,
/// for a browser's helper and for tests. Whoever sets the agent's environment starts the agent, so the variable gives away
/// nothing that they did not have.
struct ManagerPrograms: Sendable {
    private let own: PeerProcess.Snapshot?
    private let others: [String]

    init(environment: [String: String], own: PeerProcess.Snapshot?) {
        self.own = own
        others = (environment["WARD_MANAGERS"] ?? "").split(separator: ":").map(String.init)
            .filter { $0.hasPrefix("/") }
    }

    /// Whether a program is one of them.
    ///
    /// It must see the same files as the agent: in a sandbox the same path, and even the same file, means nothing.
    func includes(_ program: PeerProcess.Snapshot) -> Bool {
        guard let own, program.mounts == own.mounts else { return false }
        if program.executable == own.executable { return true }
        // The own path once more: after an update, the new program ends the old agent.
        return ([own.path.withoutDeletedMark] + others).contains {
            FileIdentity(path: $0) == program.executable
        }
    }
}

extension String {
    /// A path of `/proc/PID/exe` without what the kernel writes behind that of a file that is gone.
    var withoutDeletedMark: String {
        hasSuffix(" (deleted)") ? String(dropLast(" (deleted)".count)) : self
    }
}
