internal import Foundation
internal import WardAgentClient

/// A file that must stay at its path while the agent lives, such as a listening socket.
///
/// The value has the path and the file's identity.
struct PlacedFile: Sendable {
    let path: String
    private let identity: FileIdentity?

    init(path: String) {
        self.path = path
        identity = FileIdentity(path: path)
    }

    /// Creates a socket at a path with access only for its owner.
    ///
    /// If an agent that ended left a file at this path, the file is removed.
    ///
    /// - Returns: The socket, which does not listen yet.
    /// - Throws: `AgentError` with `failed`.
    static func bind(_ path: String) throws(AgentError) -> CInt {
        let flags = CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue)
        let descriptor = socket(AF_UNIX, flags, 0)
        let mask = umask(0o177)
        defer { umask(mask) }
        unsafe unlink(path)
        guard descriptor >= 0, UnixAddress.bind(descriptor, to: path) else {
            close(descriptor)
            throw AgentError(
                .failed,
                "Cannot listen at \(path). Check the permissions of the folder; the path can have at most 107 bytes."
            )
        }
        return descriptor
    }

    /// Whether the path still leads to this file.
    var isReachable: Bool { identity != nil && FileIdentity(path: path) == identity }

    /// Returns when the path leads to no file or to another file: the folder was moved or removed, as at logout, or another
    /// program listens there.
    ///
    /// - Parameter sleep: How time passes: the path is checked once a second.
    func waitUntilUnreachable(_ sleep: @Sendable (Duration) async throws -> Void) async {
        while !Task.isCancelled, isReachable { try? await sleep(.seconds(1)) }
    }

    /// Removes the file, unless the path now leads to another one.
    func remove() {
        if isReachable { unsafe unlink(path) }
    }
}
