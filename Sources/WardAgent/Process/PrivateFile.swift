internal import Foundation
internal import WardAgentClient

/// Reads settings that the person alone may have written.
enum PrivateFile {
    /// The contents of a file that belongs to this user, and to which no other user has access.
    ///
    /// - Returns: `nil` if there is no file.
    /// - Throws: `AgentError` with `failed` if the file cannot be read or is longer than the limit, or if another user has access to it.
    static func contents(_ path: String, limit: Int) throws(AgentError) -> [UInt8]? {
        guard let file = Descriptor.open(path, flags: O_NOFOLLOW) else {
            if errno == ENOENT { return nil }
            throw AgentError(.failed, "\(path) cannot be read")
        }
        guard let status = file.status, status.st_mode & S_IFMT == S_IFREG, status.st_uid == getuid(),
            status.st_mode & 0o077 == 0
        else {
            throw AgentError(
                .failed,
                "\(path) must belong to you, and no other user may have access to it: chmod 600 it"
            )
        }
        guard let bytes = file.contents(limit: limit) else {
            throw AgentError(.failed, "\(path) cannot be read, or has more than \(limit) bytes")
        }
        return bytes
    }
}
