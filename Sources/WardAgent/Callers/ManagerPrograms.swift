internal import Foundation
internal import WardAgentClient

/// The credential manager's own programs, which may call every method.
///
/// These are the agent's own executable, and the programs in the variable `WARD_MANAGERS` of the agent's environment: absolute
/// paths separated by colons, for a browser's helper and for tests. A person who can set this variable also starts the agent,
/// so the variable gives no additional rights.
struct ManagerPrograms: Sendable {
    private let own: PeerProcess.Snapshot?
    private let others: [String]

    init(environment: [String: String], own: PeerProcess.Snapshot?) {
        self.own = own
        others = (environment["WARD_MANAGERS"] ?? "").split(separator: ":").map(String.init)
            .filter { $0.hasPrefix("/") }
    }

    /// Whether a program is one of the manager's own.
    ///
    /// The program must be in the agent's mount namespace. In a sandbox, the same path or even the same file proves nothing.
    func includes(_ program: PeerProcess.Snapshot) -> Bool {
        guard let own, program.mounts == own.mounts else { return false }
        if program.executable == own.executable { return true }
        // The agent's path counts too: after an update, the new program at this path must be able to end the old agent.
        return ([own.path.withoutDeletedMark] + others).contains {
            FileIdentity(path: $0) == program.executable
        }
    }
}

extension String {
    /// A path from `/proc/PID/exe` without the suffix that the kernel adds if the file was deleted.
    var withoutDeletedMark: String {
        hasSuffix(" (deleted)") ? String(dropLast(" (deleted)".count)) : self
    }
}
