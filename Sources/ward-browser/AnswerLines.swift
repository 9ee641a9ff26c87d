import Foundation

/// Reads lines from a socket.
struct AnswerLines {
    /// The maximum length of a line: 64 MiB.
    private static let maximumLength = 64 << 20

    private let socket: CInt
    private var buffer: [UInt8] = []
    private var piece = [UInt8](repeating: 0, count: 65_536)

    init(_ socket: CInt) { self.socket = socket }

    /// The next line, without its line feed; `nil` at the end, and for a line that is too long.
    mutating func next() -> [UInt8]? {
        var searched = 0
        while true {
            if let end = buffer[searched...].firstIndex(of: 0x0a) {
                defer { buffer.removeFirst(end + 1) }
                return Array(buffer[..<end])
            }
            searched = buffer.count
            guard searched <= Self.maximumLength else { return nil }
            let count = unsafe read(socket, &piece, piece.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return nil }
            buffer += piece[..<count]
        }
    }
}
