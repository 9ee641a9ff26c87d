internal import Foundation

/// A file that is open; it is closed when this value is released.
final class OpenFile: Sendable {
    private let descriptor: CInt

    /// Takes a descriptor over.
    init(_ descriptor: CInt) { self.descriptor = descriptor }

    deinit { _ = close(descriptor) }

    func status() throws(SystemFailure) -> FileStatus {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw SystemFailure.last }
        return FileStatus(status)
    }

    /// The first bytes; fewer than `count` if the file ends before.
    func contents(_ count: Int) throws(SystemFailure) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var filled = 0
        while filled < count {
            let got = unsafe bytes.withUnsafeMutableBytes { buffer in
                unsafe pread(descriptor, buffer.baseAddress.map { unsafe $0 + filled }, count - filled, filled)
            }
            if got < 0, errno == EINTR { continue }
            guard got >= 0 else { throw SystemFailure.last }
            guard got > 0 else { break }
            filled += got
        }
        bytes.removeLast(count - filled)
        return bytes
    }

    /// Writes all bytes at the beginning.
    func write(_ bytes: [UInt8]) throws(SystemFailure) {
        var written = 0
        while written < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { buffer in
                unsafe pwrite(
                    descriptor,
                    buffer.baseAddress.map { unsafe $0 + written },
                    bytes.count - written,
                    written
                )
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw SystemFailure.last }
            written += count
        }
    }

    /// Waits until the contents are on the disk.
    func synchronize() throws(SystemFailure) {
        guard fsync(descriptor) == 0 else { throw SystemFailure.last }
    }
}
