import Foundation

/// A file that a command writes.
///
/// Only its owner can read it.
enum NewFile {
    /// Writes a file with mode 0600.
    ///
    /// The file gets its name when its content is complete and on the disk. So a full disk or a power cut leaves the old file,
    /// or none.
    ///
    /// - Parameters:
    ///   - bytes: The content.
    ///   - path: Where.
    ///   - replaces: Whether a file that is there is replaced; a reader sees either the old or the new one.
    ///   - option: The option that replaces a file, for the error.
    /// - Throws: ``Failure`` with `conflict` if there is a file and it is not replaced, else with `unavailable`.
    static func write(
        _ bytes: [UInt8],
        to path: String,
        replacing replaces: Bool,
        option: String = "--force"
    ) throws(Failure) {
        try check(path, replacing: replaces, option: option)
        let temporary = "\(path).ward-\(UUID().uuidString.prefix(8).lowercased())"
        let descriptor = unsafe open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw Failure(.unavailable, "Cannot write \(path). Check the folder and its permissions")
        }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        do {
            try handle.write(contentsOf: Data(bytes))
            try handle.synchronize()
        } catch {
            _ = unsafe unlink(temporary)
            throw Failure(.unavailable, "Cannot write \(path): the disk is full or fails")
        }
        if place(temporary, at: path, replacing: replaces) { return synchronizeFolder(of: path) }
        let isTaken = errno == EEXIST
        _ = unsafe unlink(temporary)
        guard !isTaken else { throw taken(path, option) }
        throw Failure(.unavailable, "Cannot replace \(path). Check that it is a file, and its permissions")
    }

    /// Checks whether a file can be written, without writing it.
    ///
    /// - Throws: ``Failure`` as ``write(_:to:replacing:option:)``.
    static func check(_ path: String, replacing replaces: Bool, option: String = "--force") throws(Failure) {
        var status = stat()
        if unsafe lstat(path, &status) == 0 {
            guard replaces else { throw taken(path, option) }
            guard status.st_mode & S_IFMT != S_IFDIR else { throw Failure(.unavailable, "\(path) is a folder") }
        }
        guard unsafe access(folder(of: path), W_OK | X_OK) == 0 else {
            throw Failure(.unavailable, "Cannot write \(path). Check the folder and its permissions")
        }
    }

    private static func taken(_ path: String, _ option: String) -> Failure {
        Failure(.conflict, "\(path) exists. Replace it with \(option), or name another path")
    }

    private static func place(_ temporary: String, at path: String, replacing replaces: Bool) -> Bool {
        if replaces { return unsafe rename(temporary, path) == 0 }
        // A link never replaces a file. Some file systems, such as those of USB sticks, have no links.
        if unsafe link(temporary, path) == 0 {
            _ = unsafe unlink(temporary)
            return true
        }
        guard errno != EEXIST else { return false }
        // There, an empty file keeps the name until the content takes its place.
        let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return false }
        close(descriptor)
        return unsafe rename(temporary, path) == 0
    }

    /// The name of a new file lasts only when its folder is on the disk too.
    private static func synchronizeFolder(of path: String) {
        let descriptor = unsafe open(folder(of: path), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        _ = fsync(descriptor)
        close(descriptor)
    }

    private static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }
}
