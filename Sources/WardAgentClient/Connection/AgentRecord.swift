internal import Foundation

/// The agent that serves a vault: its process and its socket, recorded beside the vault.
///
/// The file is `agent.json` in the state folder. The agent holds a lock on it while it lives, so a left-over file is
/// recognised.
package struct AgentRecord: Codable, Hashable, Sendable {
    /// The agent's process number.
    package var pid: Int32
    /// The start time of the process, in clock ticks since boot, because another process can get the same number later.
    package var startedAt: UInt64
    /// The socket for the credential manager's own programs.
    package var socket: String

    /// The maximum size of the file, in bytes.
    private static let maximumLength = 8192

    static func path(in stateDirectory: String) -> String { stateDirectory + "/agent.json" }

    /// Describes this process; `nil` without `/proc`.
    package init?(socket: String) {
        guard let startedAt = Self.startTime(of: getpid()) else { return nil }
        pid = getpid()
        self.startedAt = startedAt
        self.socket = socket
    }

    /// The running agent of a state folder; `nil` if there is none, or if it does not listen yet.
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
    /// - Returns: The claim, valid while the value lives; `nil` if another agent has it.
    /// - Throws: ``AgentError`` with `failed` if the folder or the file cannot be written.
    package static func claim(in stateDirectory: String) throws(AgentError) -> LockedFile? {
        try AgentPaths.makePrivate(stateDirectory)
        return try LockedFile(path(in: stateDirectory))
    }

    /// Records where the agent with the claim listens.
    package func write(to claim: LockedFile) { claim.replaceContents((try? JSONEncoder().encode(self)) ?? Data()) }

    /// Field 22 of `/proc/PID/stat`, see proc(5); `nil` if the process does not exist.
    private static func startTime(of pid: Int32) -> UInt64? {
        guard let data = FileManager.default.contents(atPath: "/proc/\(pid)/stat") else { return nil }
        // The program's name is in parentheses and can contain any character, also parentheses.
        let fields = String(decoding: data, as: UTF8.self).split(separator: ")").last?.split(separator: " ") ?? []
        return fields.count > 19 ? UInt64(fields[19]) : nil
    }
}
