internal import CLinux
internal import Foundation

/// A file that this process has locked exclusively.
///
/// The lock lasts as long as this value.
///
/// The kernel releases the lock with the process.
///
/// Whether a file is locked can be tested without taking the lock (`F_OFD_GETLK`, see fcntl(2)).
package final class LockedFile: Sendable {
    private let descriptor: CInt

    /// Creates the file if it does not exist, and locks it.
    ///
    /// The result is `nil` if another process has locked it.
    ///
    /// - Throws: ``AgentError`` with `failed` when the file cannot be written, or when its file system has no locks.
    package init?(_ path: String) throws(AgentError) {
        let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
        guard descriptor >= 0 else { throw AgentError(.failed, "Cannot write \(path). Check its permissions.") }
        guard ward_lock_file(descriptor) == 0 else {
            let isTaken = errno == EAGAIN || errno == EACCES
            close(descriptor)
            guard isTaken else {
                throw AgentError(.failed, "Cannot lock \(path), because its file system does not support locks.")
            }
            return nil
        }
        self.descriptor = descriptor
    }

    /// Whether a process has locked the file.
    package static func isLocked(_ path: String) -> Bool {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return ward_is_file_locked(descriptor) == 1
    }

    /// Replaces the content of the file.
    func replaceContents(_ data: Data) {
        guard ftruncate(descriptor, 0) == 0 else { return }
        _ = unsafe data.withUnsafeBytes { unsafe pwrite(descriptor, $0.baseAddress, $0.count, 0) }
    }

    deinit { close(descriptor) }
}
