import Foundation

/// A file that a command writes.
///
/// Only its owner can read it.
enum NewFile {
    /// Writes a file with mode 0600.
    ///
    /// - Parameters:
    ///   - bytes: The content.
    ///   - path: Where.
    ///   - replaces: Whether a file that is there is replaced; a reader sees either the old or the new one.
    /// - Throws: ``Failure`` with `conflict` if there is a file and it is not replaced, else with `unavailable`.
    static func write(_ bytes: [UInt8], to path: String, replacing replaces: Bool) throws(Failure) {
        let target = replaces ? "\(path).ward-\(UUID().uuidString.prefix(8).lowercased())" : path
        let descriptor = unsafe open(target, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            if errno == EEXIST {
                throw Failure(.conflict, "\(path) exists. Replace it with --force, or name another path")
            }
            throw Failure(.unavailable, "Cannot write \(path). Check the folder and its permissions")
        }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        do {
            try handle.write(contentsOf: Data(bytes))
            try handle.synchronize()
        } catch {
            _ = unsafe unlink(target)
            throw Failure(.unavailable, "Cannot write \(path): the disk is full or fails")
        }
        guard replaces, unsafe rename(target, path) != 0 else { return }
        _ = unsafe unlink(target)
        throw Failure(.unavailable, "Cannot replace \(path). Check that it is a file, and its permissions")
    }
}
