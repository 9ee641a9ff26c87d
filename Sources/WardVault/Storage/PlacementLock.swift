internal import Foundation

/// A lock that prevents two programs from writing a vault's files at the same time.
///
/// It lasts as long as this value.
///
/// Creating and restoring a vault write several files that belong together. A `flock(2)` lock on a separate file excludes other
/// processes and other calls in this process.
final class PlacementLock: Sendable {
    private let descriptor: CInt

    /// Takes the lock exclusively, after other programs have released it.
    ///
    /// - Parameters:
    ///   - location: The vault's files.
    ///   - patience: How long to wait for the lock.
    /// - Returns: The lock.
    /// - Throws: ``VaultError`` with `unavailable` if the lock stays taken or the file system refuses it.
    @concurrent static func exclusive(
        _ location: VaultLocation,
        patience: Duration = .seconds(30)
    ) async throws(VaultError) -> PlacementLock {
        let deadline = ContinuousClock.now + patience
        while true {
            if let lock = try PlacementLock(location, LOCK_EX, flags: O_RDWR | O_CREAT) { return lock }
            guard ContinuousClock.now < deadline, !Task.isCancelled else { throw busy }
            try? await Task.sleep(for: .milliseconds(20))
        }
    }

    /// Takes the lock together with others while a vault is opened.
    ///
    /// It is `nil` if the lock file does not exist.
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
        VaultError(.unavailable, "another program is creating or restoring a vault here; try again in a moment")
    }
}
