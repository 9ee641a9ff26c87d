internal import Foundation

/// Prevents two programs from writing a vault's files at the same time; held while the value lives.
///
/// Creating and restoring a vault write several files that belong together. A `flock(2)` on a separate file excludes
/// other processes and other calls of this one.
final class PlacementLock: Sendable {
    private let descriptor: CInt

    /// How long a second program waits for the first.
    private static let patience = Duration.seconds(30)

    /// Takes the lock exclusively and waits for other holders.
    ///
    /// - Throws: ``VaultError`` with `unavailable` if the lock stays taken or the file system refuses it.
    @concurrent static func exclusive(_ location: VaultLocation) async throws(VaultError) -> PlacementLock {
        let deadline = ContinuousClock.now + patience
        while true {
            if let lock = try PlacementLock(location, LOCK_EX, flags: O_RDWR | O_CREAT) { return lock }
            guard ContinuousClock.now < deadline, !Task.isCancelled else { throw busy }
            try? await Task.sleep(for: .milliseconds(20))
        }
    }

    /// Takes the lock shared while a vault is opened; `nil` if the lock file does not exist.
    ///
    /// - Throws: ``VaultError`` with `unavailable` if a program holds the lock exclusively.
    static func shared(_ location: VaultLocation) throws(VaultError) -> PlacementLock? {
        guard unsafe access(location.lock, F_OK) == 0 else { return nil }
        guard let lock = try PlacementLock(location, LOCK_SH, flags: O_RDONLY) else { throw busy }
        return lock
    }

    private init?(_ location: VaultLocation, _ operation: CInt, flags: CInt) throws(VaultError) {
        let descriptor = unsafe Foundation.open(location.lock, flags | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw SmallFile.refusal("opening", location.lock) }
        guard flock(descriptor, operation | LOCK_NB) == 0 else {
            let reason = errno
            _ = close(descriptor)
            guard reason == EWOULDBLOCK || reason == EINTR else {
                errno = reason
                throw SmallFile.refusal("locking", location.lock)
            }
            return nil
        }
        self.descriptor = descriptor
    }

    deinit { _ = close(descriptor) }

    private static var busy: VaultError {
        VaultError(.unavailable, "a vault is being made or restored here; try again in a moment")
    }
}
