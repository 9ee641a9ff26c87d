internal import WardAgentClient

/// Text in the Assuan protocol of GnuPG's programs.
///
/// One line per message, at most 1,000 bytes; `%`, carriage return and line feed are written as `%XX`.
enum AssuanText {
    /// The maximum length of a line, without its end.
    static let maximumLength = 1000

    /// A text as an argument of a command, cut at a character if it is too long.
    static func escape(_ text: String, room: Int = maximumLength) -> String {
        var out = ""
        var used = 0
        for character in text {
            var piece = ""
            for byte in String(character).utf8 {
                switch byte {
                case 0x25: piece += "%25"
                case 0x0a: piece += "%0A"
                case 0..<0x20, 0x7f: piece += "%20"
                default: piece.unicodeScalars.append(Unicode.Scalar(byte))
                }
            }
            // Bytes above 0x7f are counted one by one; then the whole character is written.
            let isPlain = character.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x25 && $0 != 0x7f }
            let width = isPlain ? character.utf8.count : piece.utf8.count
            guard used + width <= room else { return out + (room - used >= 3 ? "…" : "") }
            out += isPlain ? String(character) : piece
            used += width
        }
        return out
    }

    /// The bytes of a data line; `nil` if an escape is malformed.
    static func unescape(_ bytes: ArraySlice<UInt8>) -> [UInt8]? {
        var out: [UInt8] = []
        out.reserveCapacity(bytes.count)
        var index = bytes.startIndex
        while index < bytes.endIndex {
            guard bytes[index] == 0x25 else {
                out.append(bytes[index])
                index += 1
                continue
            }
            guard index + 2 < bytes.endIndex, let high = nibble(bytes[index + 1]), let low = nibble(bytes[index + 2])
            else { return nil }
            out.append(high << 4 | low)
            index += 3
        }
        return out
    }

    private static func nibble(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46: byte - 0x41 + 10
        case 0x61...0x66: byte - 0x61 + 10
        default: nil
        }
    }
}

/// An answer of pinentry.
enum AssuanReply: Equatable {
    /// Success, with the data that came before.
    case ok([UInt8])
    /// The command failed. The value is the error number of libgpg-error, without the error source.
    case error(UInt32)

    /// The person closed the prompt.
    static let cancelled: UInt32 = 99
    /// The person did not answer in time.
    static let timedOut: UInt32 = 62
    /// The person declined.
    static let notConfirmed: UInt32 = 114
    /// The prompt does not fit on the terminal.
    static let tooSmall: UInt32 = 301
}

/// Parses answers line by line, without any process.
struct AssuanParser {
    private var data: [UInt8] = []

    /// Processes one line.
    ///
    /// The line has no line end.
    ///
    /// It returns a reply if the line ends one, otherwise `nil`.
    ///
    /// - Throws: `AgentError` with `promptFailed` for a line that is not Assuan.
    mutating func take(_ line: [UInt8]) throws(AgentError) -> AssuanReply? {
        if line.starts(with: Array("OK".utf8)) {
            defer { data = [] }
            return .ok(data)
        }
        if line.starts(with: Array("D ".utf8)) {
            guard let bytes = AssuanText.unescape(line.dropFirst(2)), data.count + bytes.count <= 8192 else {
                throw AgentError(.promptFailed, "pinentry answered with something that cannot be read")
            }
            data += bytes
            return nil
        }
        if line.starts(with: Array("ERR ".utf8)) {
            data = []
            let digits = line.dropFirst(4).prefix { (0x30...0x39).contains($0) }
            guard let number = UInt32(String(decoding: digits, as: UTF8.self)) else {
                throw AgentError(.promptFailed, "pinentry answered with something that cannot be read")
            }
            return .error(number & 0xffff)
        }
        // Status lines and comments are not needed.
        if line.starts(with: Array("S ".utf8)) || line.first == 0x23 || line.isEmpty { return nil }
        throw AgentError(.promptFailed, "pinentry answered with something that cannot be read")
    }
}
