internal import Foundation
internal import WardFolders

/// The paths of an agent's sockets: one for the credential manager's own programs, and one for apps in a separate
/// folder, the only one that sandboxes can reach.
///
/// Each vault has an agent of its own. Apps can reach only the agent of the default vault.
public struct AgentPaths: Hashable, Sendable {
    /// The folder, with access only for its owner.
    public let directory: String
    /// The vault's file.
    ///
    /// The agent must serve this vault. Beside the file the agent records its socket.
    ///
    /// With `nil` any agent that listens in ``directory`` is accepted.
    public var vault: String?
    /// Whether the agent has a socket for apps.
    package private(set) var servesApps = true
    /// The folders above ``directory`` that the agent creates too.
    private var parents: [String] = []
    /// The socket for the credential manager's own programs, mode 0600.
    public var socket: String { directory + "/agent.sock" }
    /// The folder of the socket for apps, with access only for its owner: the path of ``directory`` plus `-apps`.
    public var appDirectory: String { directory + "-apps" }
    /// The socket for apps, mode 0600.
    public var appSocket: String { appDirectory + "/agent.sock" }
    /// The file whose lock shows that an agent runs.
    public var lock: String { directory + "/agent.lock" }

    /// Creates paths from the folder.
    public init(directory: String) { self.directory = directory }

    /// The default folder: `$XDG_RUNTIME_DIR/ward`, or `/run/user/UID/ward`, or `run` in the state folder.
    ///
    /// [XDG base directories](https://specifications.freedesktop.org/basedir-spec/latest/); relative paths are ignored.
    public static func standard(
        environment given: [String: String]? = nil,
        stateDirectory: String
    ) -> AgentPaths {
        let environment = given ?? ProcessInfo.processInfo.environment
        return AgentPaths(directory: runtimeFolder(environment).map { $0 + "/ward" } ?? stateDirectory + "/run")
    }

    /// The paths of the agent of a vault other than the default one: below ``directory``, and without a socket for apps.
    package func ofVault(named name: String) -> AgentPaths {
        let folder = directory + "/vaults"
        var paths = AgentPaths(directory: "\(folder)/\(name)")
        paths.parents = [directory, folder]
        paths.servesApps = false
        return paths
    }

    private static func runtimeFolder(_ environment: [String: String]) -> String? {
        if let path = BaseFolders(environment: environment).runtime { return path }
        let own = "/run/user/\(getuid())"
        return FileManager.default.isWritableFile(atPath: own) ? own : nil
    }

    /// The agent that serves this vault, at any socket.
    ///
    /// It is `nil` if there is none, or if this cannot be determined.
    package var livingAgent: AgentRecord? { vault.flatMap { AgentRecord.living(beside: $0) } }

    /// Whether an agent runs or is starting.
    package var hasAgent: Bool {
        if let vault, LockedFile.isLocked(AgentRecord.path(beside: vault)) { return true }
        return LockedFile.isLocked(lock)
    }

    /// Whether an agent serves the wanted vault: the paths, or the folders that they lead to, are the same.
    package func accepts(_ served: String?) -> Bool {
        guard let vault, let served, vault != served else { return true }
        guard let folder = FileIdentity(path: AgentRecord.folder(of: vault)) else { return false }
        return folder == FileIdentity(path: AgentRecord.folder(of: served))
    }

    /// The socket to connect to: the socket of the vault's agent, or the path where an agent would listen.
    package var currentSocket: String { livingAgent?.socket ?? socket }

    /// Creates the folders with access only for their owner.
    ///
    /// - Throws: ``AgentError`` with `failed` if one cannot be created, belongs to another user, or is open to others.
    package func prepare() throws(AgentError) {
        for folder in parents + [directory] { try Self.makePrivate(folder) }
        if servesApps { try Self.makePrivate(appDirectory) }
    }

    /// Creates a folder with access only for its owner.
    ///
    /// - Throws: ``AgentError`` with `failed` if it cannot be created, belongs to another user, or is open to others.
    static func makePrivate(_ directory: String) throws(AgentError) {
        do {
            try FileManager.default.createDirectory(
                atPath: directory,
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700]
            )
        } catch {
            throw AgentError(
                .failed,
                "Cannot create the folder \(directory). Check the permissions of the folder above it."
            )
        }
        var status = stat()
        guard unsafe lstat(directory, &status) == 0, status.st_mode & S_IFMT == S_IFDIR, status.st_uid == getuid()
        else {
            throw AgentError(
                .failed,
                "\(directory) is not a folder that belongs to you. Remove it, or set XDG_RUNTIME_DIR."
            )
        }
        let isClosed = unsafe status.st_mode & 0o077 == 0 || chmod(directory, 0o700) == 0
        guard isClosed else {
            throw AgentError(
                .failed,
                "Other users can enter \(directory). Remove the access of others: chmod 700 \(directory)"
            )
        }
    }
}
