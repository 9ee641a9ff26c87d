internal import Foundation

/// Files of a few bytes or a few megabytes.
///
/// They are always read and written as a whole.
package enum SmallFile {
    /// The contents, or `nil` if there is no such file.
    ///
    /// - Throws: ``VaultError`` with `unavailable`, or `damaged` for a file longer than anything that belongs there.
    package static func read(_ path: String, limit: Int) throws(VaultError) -> [UInt8]? {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw refusal("reading", path)
        }
        defer { _ = close(descriptor) }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw refusal("reading", path) }
        guard status.st_mode & S_IFMT == S_IFREG, status.st_size <= limit else {
            throw VaultError(.damaged, "\(name(path)) is not a file that Ward wrote")
        }
        let size = Int(status.st_size)
        var filled = 0
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
            while filled < size, let start = buffer.baseAddress {
                let got = unsafe Foundation.read(descriptor, start + filled, size - filled)
                guard got > 0 else { break }
                filled += got
            }
            count = filled
        }
        guard filled == size else { throw refusal("reading", path) }
        return bytes
    }

    /// Writes a file, or replaces it.
    ///
    /// After a power cut, and for other readers, the file has either the old or the new contents.
    ///
    /// Only the owner can read the file.
    package static func replace(
        _ path: String,
        with bytes: [UInt8],
        _ environment: VaultEnvironment = VaultEnvironment()
    ) throws(VaultError) {
        let temporary = path + temporaryEnding
        try environment.willWrite(.fileContents(name(path)))
        _ = unsafe unlink(temporary)
        let descriptor = unsafe open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw refusal("writing", path) }
        var isOpen = true
        defer { if isOpen { _ = close(descriptor) } }
        guard write(bytes, to: descriptor, at: 0), fsync(descriptor) == 0 else { throw refusal("writing", path) }
        isOpen = false
        guard close(descriptor) == 0 else { throw refusal("writing", path) }
        try environment.willWrite(.fileRename(name(path)))
        try move(temporary, to: path)
    }

    /// The ending of a file until it has all of its contents.
    static let temporaryEnding = ".new"

    /// Removes a file, so that it is gone after a power cut too.
    ///
    /// That there is none is no error.
    ///
    /// - Throws: ``VaultError`` with `diskFull` or `unavailable`.
    static func remove(_ path: String) throws(VaultError) {
        guard unsafe unlink(path) == 0 || errno == ENOENT else { throw refusal("removing", path) }
        try synchronize(directory: folder(path))
    }

    /// Overwrites the contents with zeros on the disk, and removes the file.
    ///
    /// That is not a proof: an SSD writes to other cells, and a journal, a snapshot or a backup can have copies.
    ///
    /// - Returns: Whether both succeeded.
    @discardableResult
    package static func erase(_ path: String) -> Bool {
        var isOverwritten = false
        let descriptor = unsafe open(path, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        if descriptor >= 0 {
            let size = lseek(descriptor, 0, SEEK_END)
            let zeros = [UInt8](repeating: 0, count: 1 << 20)
            var offset: off_t = 0
            while offset < size {
                let written = unsafe pwrite(descriptor, zeros, min(zeros.count, Int(size - offset)), offset)
                guard written > 0 else { break }
                offset += off_t(written)
            }
            isOverwritten = offset >= size && fsync(descriptor) == 0
            _ = close(descriptor)
        }
        return (unsafe unlink(path)) == 0 && isOverwritten
    }

    /// Copies a file byte for byte.
    ///
    /// Only the owner can read the copy.
    static func copy(_ source: String, to target: String) throws(VaultError) {
        let input = unsafe open(source, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard input >= 0 else { throw refusal("reading", source) }
        defer { _ = close(input) }
        var status = stat()
        guard unsafe fstat(input, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw VaultError(.damaged, "\(name(source)) is not a file")
        }
        let output = unsafe open(target, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard output >= 0 else { throw refusal("writing", target) }
        defer { _ = close(output) }
        var piece = [UInt8](repeating: 0, count: 65_536)
        var offset = 0
        while true {
            let count = unsafe Foundation.read(input, &piece, piece.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw refusal("reading", source) }
            guard count > 0 else { break }
            guard write(Array(piece[..<count]), to: output, at: offset) else {
                throw refusal("writing", target)
            }
            offset += count
        }
        guard fsync(output) == 0 else { throw refusal("writing", target) }
    }

    /// Renames a file, and waits until the change of the folder is on the disk.
    static func move(_ source: String, to target: String) throws(VaultError) {
        guard unsafe rename(source, target) == 0 else { throw refusal("renaming", target) }
        try synchronize(directory: folder(target))
    }

    /// Creates a folder and the folders above it, with access only for the owner.
    ///
    /// Existing folders are not changed.
    package static func makeDirectory(_ path: String) throws(VaultError) {
        do {
            try FileManager.default.createDirectory(
                atPath: path,
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700]
            )
        } catch {
            throw VaultError(.unavailable, "the folder \(name(path)) cannot be created")
        }
    }

    static func synchronize(directory path: String) throws(VaultError) {
        let descriptor = unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw refusal("reading", path) }
        defer { _ = close(descriptor) }
        guard fsync(descriptor) == 0 else { throw refusal("writing", path) }
    }

    /// Writes all bytes at an offset.
    static func write(_ bytes: [UInt8], to descriptor: CInt, at offset: Int) -> Bool {
        var written = 0
        while written < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { buffer in
                unsafe pwrite(
                    descriptor,
                    buffer.baseAddress.map { unsafe $0 + written },
                    bytes.count - written,
                    offset + written
                )
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            written += count
        }
        return true
    }

    /// The system's error as words.
    static func refusal(_ action: String, _ path: String) -> VaultError {
        let reason = errno
        let words = unsafe String(cString: strerror(reason))
        let isFull = reason == ENOSPC || reason == EDQUOT
        return VaultError(isFull ? .diskFull : .unavailable, "\(action) \(name(path)): \(words)")
    }

    static func name(_ path: String) -> String { path.split(separator: "/").last.map(String.init) ?? path }

    package static func folder(_ path: String) -> String {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false).dropLast()
        let folder = parts.joined(separator: "/")
        return folder.isEmpty ? (path.hasPrefix("/") ? "/" : ".") : folder
    }
}
