internal import Foundation

/// The agent that serves a vault: its process and its socket, recorded beside the vault.
///
/// The file is `agent.json` in the folder of the vault's file, so that every program that finds the vault finds its agent. The
/// agent locks the file while it lives, so a file that an earlier agent left is recognised.
package struct AgentRecord: Codable, Hashable, Sendable {
    /// The agent's process number.
    package var pid: Int32
    /// The start time of the process, in clock ticks since boot, because another process can get the same number later.
    package var startedAt: UInt64
    /// The socket for the credential manager's own programs.
    package var socket: String

    /// The maximum size of the file, in bytes.
    private static let maximumLength = 8192

    /// The folder of a vault's file.
    static func folder(of vault: String) -> String { URL(fileURLWithPath: vault).deletingLastPathComponent().path }

    /// The record's file for a vault.
    package static func path(beside vault: String) -> String { folder(of: vault) + "/agent.json" }

    /// Describes this process; `nil` without `/proc`.
    package init?(socket: String) {
        guard let startedAt = Self.startTime(of: getpid()) else { return nil }
        pid = getpid()
        self.startedAt = startedAt
        self.socket = socket
    }

    /// The running agent of a vault; `nil` if there is none, or if it does not listen yet.
    ///
    /// A file that another user could have written is ignored. Otherwise a program would send the passphrase to that user's
    /// process.
    package static func living(beside vault: String) -> AgentRecord? {
        var status = stat()
        guard LockedFile.isLocked(path(beside: vault)),
            let handle = FileHandle(forReadingAtPath: path(beside: vault)),
            unsafe fstat(handle.fileDescriptor, &status) == 0, status.st_uid == getuid(), status.st_mode & 0o022 == 0,
            let data = try? handle.read(upToCount: maximumLength),
            let record = try? JSONDecoder().decode(AgentRecord.self, from: data),
            record.pid > 0, record.socket.hasPrefix("/"), startTime(of: record.pid) == record.startedAt
        else { return nil }
        return record
    }

    /// Claims the right to serve a vault, with a lock on the file.
    ///
    /// If the vault's folder does not exist, it is created. An existing folder is not checked here, even if it is a link: the
    /// vault checks it.
    ///
    /// - Returns: The claim, valid while the value lives; `nil` if another agent has it.
    /// - Throws: ``AgentError`` with `failed` if the file cannot be written.
    package static func claim(beside vault: String) throws(AgentError) -> LockedFile? {
        try? FileManager.default.createDirectory(
            atPath: folder(of: vault),
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        return try LockedFile(path(beside: vault))
    }

    /// Writes the socket of this agent into the file.
    package func write(to claim: LockedFile) { claim.replaceContents((try? JSONEncoder().encode(self)) ?? Data()) }

    /// Field 22 of `/proc/PID/stat`, see proc(5); `nil` if the process does not exist.
    private static func startTime(of pid: Int32) -> UInt64? {
        guard let data = FileManager.default.contents(atPath: "/proc/\(pid)/stat") else { return nil }
        // The program's name is in parentheses and can contain any character, also parentheses.
        let fields = String(decoding: data, as: UTF8.self).split(separator: ")").last?.split(separator: " ") ?? []
        return fields.count > 19 ? UInt64(fields[19]) : nil
    }
}
