internal import Foundation

/// Where the agent's sockets lie: one for the credential manager's own programs, and one for apps in a folder of its own, the
/// only one that sandboxes are let into.
public struct AgentPaths: Hashable, Sendable {
    /// The folder, for its owner alone.
    public let directory: String
    /// The vault's state folder, in which its agent says where it listens; `nil` where only ``directory`` counts.
    public var stateDirectory: String?
    /// The vault's file, which the agent must serve; `nil` where any agent will do.
    public var vault: String?
    /// The socket for the credential manager's own programs, mode 0600.
    public var socket: String { directory + "/agent.sock" }
    /// The folder of the socket for apps, for its owner alone: it stands beside ``directory``, and its name ends in `-apps`.
    public var appDirectory: String { directory + "-apps" }
    /// The socket for apps, mode 0600.
    public var appSocket: String { appDirectory + "/agent.sock" }
    /// The file whose lock says that an agent is there.
    public var lock: String { directory + "/agent.lock" }

    /// Names the folder.
    public init(directory: String) { self.directory = directory }

    /// `$XDG_RUNTIME_DIR/ward`, else `/run/user/UID/ward`, else `run` in the state folder.
    ///
    /// [XDG base directories](https://specifications.freedesktop.org/basedir-spec/latest/); relative paths are passed over.
    public static func standard(
        environment given: [String: String]? = nil,
        stateDirectory: String
    ) -> AgentPaths {
        let environment = given ?? ProcessInfo.processInfo.environment
        var paths = AgentPaths(directory: runtimeFolder(environment).map { $0 + "/ward" } ?? stateDirectory + "/run")
        paths.stateDirectory = stateDirectory
        return paths
    }

    private static func runtimeFolder(_ environment: [String: String]) -> String? {
        if let path = environment["XDG_RUNTIME_DIR"], path.hasPrefix("/") { return path }
        let own = "/run/user/\(getuid())"
        return FileManager.default.isWritableFile(atPath: own) ? own : nil
    }

    /// The agent that serves the vault of these paths, wherever it listens; `nil` when there is none, or nobody can say.
    package var livingAgent: AgentRecord? { stateDirectory.flatMap { AgentRecord.living(in: $0) } }

    /// Whether an agent is there, or about to be.
    package var hasAgent: Bool {
        if let stateDirectory, LockedFile.isLocked(AgentRecord.path(in: stateDirectory)) { return true }
        return LockedFile.isLocked(lock)
    }

    /// The socket to connect to: the one of the agent that serves the vault, else the one where an agent would listen.
    package var currentSocket: String { livingAgent?.socket ?? socket }

    /// Makes both folders for their owner alone.
    ///
    /// - Throws: ``AgentError`` with `failed` when one cannot be made, belongs to somebody else, or others may enter.
    package func prepare() throws(AgentError) {
        try Self.makePrivate(directory)
        try Self.makePrivate(appDirectory)
    }

    /// Makes a folder for its owner alone.
    ///
    /// - Throws: ``AgentError`` with `failed` when it cannot be made, belongs to somebody else, or others may enter.
    static func makePrivate(_ directory: String) throws(AgentError) {
        do {
            try FileManager.default.createDirectory(
                atPath: directory,
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700]
            )
        } catch {
            throw AgentError(.failed, "Cannot make the folder \(directory). Look at the folder above it.")
        }
        var status = stat()
        guard unsafe lstat(directory, &status) == 0, status.st_mode & S_IFMT == S_IFDIR, status.st_uid == getuid()
        else {
            throw AgentError(.failed, "\(directory) is not a folder of yours. Remove it, or set XDG_RUNTIME_DIR.")
        }
        let isClosed = unsafe status.st_mode & 0o077 == 0 || chmod(directory, 0o700) == 0
        guard isClosed else {
            throw AgentError(.failed, "Others may enter \(directory). Close it: chmod 700 \(directory)")
        }
    }
}
