internal import Foundation

/// Which file it is, whatever it is called: two names that lead to the same file are equal here.
package struct FileIdentity: Hashable, Sendable {
    package let device: UInt64
    package let inode: UInt64

    init(_ status: stat) {
        device = UInt64(truncatingIfNeeded: status.st_dev)
        inode = UInt64(truncatingIfNeeded: status.st_ino)
    }

    /// The file that a path leads to; `nil` where there is none.
    package init?(path: String) {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return nil }
        self.init(status)
    }
}

/// An open file, closed with its owner.
struct Descriptor: ~Copyable, Sendable {
    let number: CInt

    /// Takes what `open` answered; `nil` when that was an error.
    init?(taking number: CInt) {
        guard number >= 0 else { return nil }
        self.number = number
    }

    deinit { close(number) }

    /// Opens a file for reading; never waits for the other end of a pipe, and never runs over into a child.
    ///
    /// - Parameters:
    ///   - path: Its path.
    ///   - directory: What a relative path begins at.
    ///   - flags: What else `open(2)` is told.
    /// - Returns: `nil` when it cannot be opened; `errno` says why.
    static func open(_ path: String, in directory: CInt = AT_FDCWD, flags: CInt = 0) -> Descriptor? {
        Descriptor(taking: unsafe openat(directory, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | flags))
    }

    /// What the file is.
    var status: stat? {
        var status = stat()
        return unsafe fstat(number, &status) == 0 ? status : nil
    }

    /// All of it; `nil` for more than a limit, and where reading fails.
    ///
    /// Files of `/proc` say that they have no bytes, so the size is counted while they come.
    func contents(limit: Int) -> [UInt8]? {
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = unsafe read(number, &piece, piece.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0, bytes.count + count <= limit else { return nil }
            guard count > 0 else { return bytes }
            bytes += piece[..<count]
        }
    }

    /// The first bytes, wherever reading has got to; fewer where the file has fewer.
    func beginning(_ count: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let read = unsafe pread(number, &bytes, count, 0)
        return Array(bytes.prefix(max(0, read)))
    }
}
