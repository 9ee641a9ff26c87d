internal import Foundation

/// An open file.
///
/// It is closed when this value is released.
struct Descriptor: ~Copyable, Sendable {
    let number: CInt

    /// Takes the result of `open`.
    ///
    /// It is `nil` for an error.
    init?(taking number: CInt) {
        guard number >= 0 else { return nil }
        self.number = number
    }

    deinit { close(number) }

    /// Opens a file for reading, without waiting for the other end of a pipe, and closed in child processes.
    ///
    /// - Parameters:
    ///   - path: Its path.
    ///   - directory: The base of a relative path.
    ///   - flags: Further flags for `open(2)`.
    /// - Returns: `nil` if it cannot be opened; `errno` says why.
    static func open(_ path: String, in directory: CInt = AT_FDCWD, flags: CInt = 0) -> Descriptor? {
        Descriptor(taking: unsafe openat(directory, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | flags))
    }

    /// The status of the file.
    var status: stat? {
        var status = stat()
        return unsafe fstat(number, &status) == 0 ? status : nil
    }

    /// The whole content; `nil` if it exceeds a limit, or if reading fails.
    ///
    /// Files of `/proc` report a size of zero, so the bytes are counted while reading.
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

    /// The first bytes, independent of the read position; fewer if the file is shorter.
    func beginning(_ count: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let read = unsafe pread(number, &bytes, count, 0)
        return Array(bytes.prefix(max(0, read)))
    }
}
