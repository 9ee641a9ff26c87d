import Foundation

/// Output to a file descriptor: a terminal that may have gone, a pipe whose reader may have ended, a file on a disk that may be full.
///
/// `FileHandle.write(_:)` ends the process in each of these cases. This never does.
package enum DescriptorOutput {
    /// Writes all bytes, without buffering.
    ///
    /// - Returns: 0, or the number of the error: `EPIPE` if the reader of a pipe has ended, which need not be a loss.
    @discardableResult package static func write(_ bytes: [UInt8], to descriptor: CInt) -> CInt {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { unsafe Foundation.write(descriptor, $0.baseAddress, $0.count) }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if count < 0, errno == EAGAIN {
                var wanted = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                unsafe poll(&wanted, 1, -1)
            } else if count == 0 || errno != EINTR {
                return count == 0 ? EIO : errno
            }
        }
        return 0
    }

    /// Writes a whole text as UTF-8.
    ///
    /// - Returns: As for bytes.
    @discardableResult package static func write(_ text: String, to descriptor: CInt) -> CInt {
        write(Array(text.utf8), to: descriptor)
    }
}
