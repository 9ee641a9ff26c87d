internal import Foundation

/// Reads a line from a descriptor, byte by byte, so that the next reader gets the bytes after it.
package enum LineInput {
    /// How a line ended.
    package enum End: Sendable {
        case lineFeed
        /// The end of the input.
        case input
        /// The line has more bytes than allowed.
        case tooLong
        /// The input cannot be read.
        case failure
        /// The caller no longer wants the line.
        case given
    }

    /// Reads up to the line feed, which is left out.
    ///
    /// - Parameters:
    ///   - descriptor: The input.
    ///   - limit: The maximum number of bytes.
    ///   - mayWait: Asked ten times a second whether to wait on; without it, the call waits for the input.
    /// - Returns: The bytes, and how the line ended.
    package static func read(
        _ descriptor: CInt,
        atMost limit: Int,
        while mayWait: (() -> Bool)? = nil
    ) -> (bytes: [UInt8], end: End) {
        var bytes: [UInt8] = []
        var byte: UInt8 = 0
        while true {
            if let mayWait {
                guard mayWait() else { return (bytes, .given) }
                var input = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                guard unsafe poll(&input, 1, 100) > 0 else { continue }
            }
            let count = unsafe Foundation.read(descriptor, &byte, 1)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { return (bytes, .failure) }
            if count == 0 { return (bytes, .input) }
            if byte == 0x0a { return (bytes, .lineFeed) }
            guard bytes.count < limit else { return (bytes, .tooLong) }
            bytes.append(byte)
        }
    }
}
