internal import Foundation

/// Where the agent's socket lies.
public struct AgentPaths: Hashable, Sendable {
    /// The folder, for its owner alone.
    public let directory: String
    /// The socket, mode 0600.
    public var socket: String { directory + "/agent.sock" }
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
        if let path = environment["XDG_RUNTIME_DIR"], path.hasPrefix("/") {
            return AgentPaths(directory: path + "/ward")
        }
        let own = "/run/user/\(getuid())"
        if FileManager.default.isWritableFile(atPath: own) { return AgentPaths(directory: own + "/ward") }
        return AgentPaths(directory: stateDirectory + "/run")
    }

    /// Makes the folder for its owner alone.
    ///
    /// - Throws: ``AgentError`` with `failed` when it cannot be made, belongs to somebody else, or others may enter.
    package func prepare() throws(AgentError) {
        do {
            try FileManager.default.createDirectory(
                atPath: directory,
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700]
            )
        } catch {
            throw AgentError(.failed, "the folder \(directory) for the agent's socket cannot be made")
        }
        var status = stat()
        guard unsafe lstat(directory, &status) == 0, status.st_mode & S_IFMT == S_IFDIR, status.st_uid == getuid()
        else {
            throw AgentError(.failed, "\(directory) is not a folder of yours: remove it, or set XDG_RUNTIME_DIR")
        }
        let isClosed = unsafe status.st_mode & 0o077 == 0 || chmod(directory, 0o700) == 0
        guard isClosed else {
            throw AgentError(.failed, "others may enter \(directory): chmod 700 it")
        }
    }
}

/// The lock that says that an agent is there; held as long as the value lives.
package final class AgentLock: Sendable {
    private let descriptor: CInt

    /// Takes the lock, or answers `nil` when another agent has it.
    package init?(_ paths: AgentPaths) throws(AgentError) {
        let descriptor = unsafe open(paths.lock, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw AgentError(.failed, "\(paths.lock) cannot be opened") }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            close(descriptor)
            return nil
        }
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }
}
