internal import Foundation

/// A folder that is open; it is closed when this value is released.
///
/// Everything in it is reached by its name alone, relative to the descriptor. So no link is followed, and a folder that
/// somebody moves or replaces meanwhile leads nowhere else.
final class OpenFolder: Sendable {
    private let descriptor: CInt

    private init(_ descriptor: CInt) { self.descriptor = descriptor }

    deinit { _ = close(descriptor) }

    /// Opens the folder that a person named, which may be a link.
    static func at(_ path: String) throws(SystemFailure) -> OpenFolder {
        let opened = unsafe open(path, O_RDONLY | O_DIRECTORY | O_NONBLOCK | O_CLOEXEC)
        guard opened >= 0 else { throw SystemFailure.last }
        return OpenFolder(opened)
    }

    // MARK: Reading

    /// Opens a folder in this one.
    ///
    /// - Throws: ``SystemFailure``; for a link it is `ELOOP`.
    func folder(_ name: FileName) throws(SystemFailure) -> OpenFolder {
        let opened = unsafe openat(
            descriptor,
            name.cString,
            O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
        )
        guard opened >= 0 else {
            let failure = SystemFailure.last
            // Linux has the same number for a link as for a file.
            let isLink = failure.number == ENOTDIR && (try? status(of: name))?.kind == .link
            throw isLink ? SystemFailure(number: ELOOP) : failure
        }
        return OpenFolder(opened)
    }

    /// Opens a file in this folder for reading, and waits for no other end of a pipe.
    func file(_ name: FileName) throws(SystemFailure) -> OpenFile {
        let opened = unsafe openat(
            descriptor,
            name.cString,
            O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC
        )
        guard opened >= 0 else { throw SystemFailure.last }
        return OpenFile(opened)
    }

    /// The status of what has this name; of a link it is the status of the link itself.
    func status(of name: FileName) throws(SystemFailure) -> FileStatus { FileStatus(try systemStatus(of: name)) }

    /// When what has this name was last changed, or came here, in seconds since 1970.
    ///
    /// Programs that copy a folder keep the time of the other machine for the contents, and the system has its own time beside it.
    func arrival(of name: FileName) throws(SystemFailure) -> Int {
        let status = try systemStatus(of: name)
        return Int(max(status.st_mtim.tv_sec, status.st_ctim.tv_sec))
    }

    private func systemStatus(of name: FileName) throws(SystemFailure) -> stat {
        var status = stat()
        guard unsafe fstatat(descriptor, name.cString, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
            throw SystemFailure.last
        }
        return status
    }

    /// The names in the folder, sorted, without those of the folder itself and the one above.
    ///
    /// - Parameter limit: How many names to take at most.
    /// - Returns: The names, and whether there are more.
    /// - Throws: ``SystemFailure``.
    func names(limit: Int) throws(SystemFailure) -> (names: [FileName], hasMore: Bool) {
        // Opened once more, because a stream takes its descriptor over and moves its position.
        let copy = unsafe openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard copy >= 0 else { throw SystemFailure.last }
        guard let stream = unsafe fdopendir(copy) else {
            let failure = SystemFailure.last
            _ = close(copy)
            throw failure
        }
        defer { _ = unsafe closedir(stream) }
        var names: [FileName] = []
        while true {
            errno = 0
            guard let entry = unsafe readdir(stream) else {
                let failure = SystemFailure.last
                guard failure.number == 0 else { throw failure }
                return (names.sorted(), false)
            }
            let name = FileName(unsafe Self.name(of: entry))
            if name == FileName(".") || name == FileName("..") { continue }
            guard names.count < limit else { return (names.sorted(), true) }
            names.append(name)
        }
    }

    /// The bytes of a name.
    ///
    /// The system's record can be shorter than its type, so it is never copied as a whole.
    private static func name(of entry: UnsafeMutablePointer<dirent>) -> [UInt8] {
        guard let offset = MemoryLayout<dirent>.offset(of: \.d_name) else { return [] }
        let start = unsafe UnsafeRawPointer(entry) + offset
        var bytes: [UInt8] = []
        while bytes.count < 256 {
            let byte = unsafe start.load(fromByteOffset: bytes.count, as: UInt8.self)
            guard byte != 0 else { break }
            bytes.append(byte)
        }
        return bytes
    }

    // MARK: Writing

    /// Creates a folder in this one that only its owner can enter.
    ///
    /// - Returns: Whether the folder is new.
    func makeFolder(_ name: FileName) throws(SystemFailure) -> Bool {
        guard unsafe mkdirat(descriptor, name.cString, 0o700) != 0 else { return true }
        let failure = SystemFailure.last
        guard failure.number == EEXIST else { throw failure }
        return false
    }

    /// Creates a file that only its owner can read, and opens it for writing.
    func newFile(_ name: FileName) throws(SystemFailure) -> OpenFile {
        let opened = unsafe openat(
            descriptor,
            name.cString,
            O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
            0o600
        )
        guard opened >= 0 else { throw SystemFailure.last }
        return OpenFile(opened)
    }

    /// Renames a file in this folder, and replaces what has the new name.
    func rename(_ name: FileName, to other: FileName) throws(SystemFailure) {
        guard unsafe renameat(descriptor, name.cString, descriptor, other.cString) == 0 else {
            throw SystemFailure.last
        }
    }

    /// Deletes a file in this folder.
    func remove(_ name: FileName) throws(SystemFailure) {
        guard unsafe unlinkat(descriptor, name.cString, 0) == 0 else { throw SystemFailure.last }
    }

    /// Waits until names that were added, changed and removed are on the disk.
    func synchronize() throws(SystemFailure) {
        guard fsync(descriptor) != 0 else { return }
        let failure = SystemFailure.last
        // Some file systems have no such call for folders.
        guard failure.number == EINVAL else { throw failure }
    }
}
