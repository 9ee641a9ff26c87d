internal import Foundation

/// The agent that serves a vault: its process and its socket, which it writes beside the vault.
///
/// The file is `agent.json` in the state folder. The agent holds a lock on it as long as it lives, so a file that was left
/// behind names no agent.
package struct AgentRecord: Codable, Hashable, Sendable {
    /// The process.
    package var pid: Int32
    /// When the process started, in clock ticks since the machine did: another process may get the same number later.
    package var startedAt: UInt64
    /// The socket for the credential manager's own programs.
    package var socket: String

    /// The longest file that is read, in bytes.
    private static let maximumLength = 8192

    static func path(in stateDirectory: String) -> String { stateDirectory + "/agent.json" }

    /// Describes this process; `nil` without `/proc`.
    package init?(socket: String) {
        guard let startedAt = Self.startTime(of: getpid()) else { return nil }
        pid = getpid()
        self.startedAt = startedAt
        self.socket = socket
    }

    /// The agent of a state folder that lives; `nil` when there is none, or it does not listen yet.
    package static func living(in stateDirectory: String) -> AgentRecord? {
        guard LockedFile.isLocked(path(in: stateDirectory)),
            let handle = FileHandle(forReadingAtPath: path(in: stateDirectory)),
            let data = try? handle.read(upToCount: maximumLength),
            let record = try? JSONDecoder().decode(AgentRecord.self, from: data),
            record.pid > 0, record.socket.hasPrefix("/"), startTime(of: record.pid) == record.startedAt
        else { return nil }
        return record
    }

    /// Claims the right to serve the vault of a state folder.
    ///
    /// - Returns: The claim, which holds as long as the value lives; `nil` when another agent has it.
    /// - Throws: ``AgentError`` with `failed` when the folder or the file cannot be written.
    package static func claim(in stateDirectory: String) throws(AgentError) -> LockedFile? {
        try AgentPaths.makePrivate(stateDirectory)
        return try LockedFile(path(in: stateDirectory))
    }

    /// Says where the agent listens that has the claim.
    package func write(to claim: LockedFile) { claim.replaceContents((try? JSONEncoder().encode(self)) ?? Data()) }

    /// Field 22 of `/proc/PID/stat`, see proc(5); `nil` when there is no such process.
    private static func startTime(of pid: Int32) -> UInt64? {
        guard let data = FileManager.default.contents(atPath: "/proc/\(pid)/stat") else { return nil }
        // The program's name stands in parentheses and may hold anything, also parentheses.
        let fields = String(decoding: data, as: UTF8.self).split(separator: ")").last?.split(separator: " ") ?? []
        return fields.count > 19 ? UInt64(fields[19]) : nil
    }
}
