/// Reads messages of a browser's extension from bytes.
///
/// A message is a length of four bytes in the machine's byte order, followed by that many bytes of JSON:
/// [native messaging](https://developer.chrome.com/docs/extensions/develop/concepts/native-messaging).
package struct NativeMessageReader: Sendable {
    /// What was read.
    package enum Event: Hashable, Sendable {
        /// The bytes of a message, which nobody has checked.
        case message([UInt8])
        /// A message was longer than ``maximumLength``, and was skipped.
        case tooLong
    }

    /// The maximum length of a message: 1 MiB.
    package static let maximumLength = 1 << 20

    private var head: [UInt8] = []
    private var body: [UInt8] = []
    /// The number of bytes that the current message still lacks.
    private var missing = 0
    private var isSkipped = false

    /// Creates a reader at the start of a message.
    package init() {}

    /// Takes the next bytes, and returns the messages that are complete.
    package mutating func read(_ bytes: some Collection<UInt8>) -> [Event] {
        var events: [Event] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            if head.count < 4 {
                head.append(rest.removeFirst())
                guard head.count == 4 else { continue }
                missing = Self.length(head)
                isSkipped = missing > Self.maximumLength
            } else {
                let piece = rest.prefix(missing)
                if !isSkipped { body += piece }
                missing -= piece.count
                rest = rest.dropFirst(piece.count)
            }
            guard missing == 0 else { continue }
            events.append(isSkipped ? .tooLong : .message(body))
            (head, body) = ([], [])
        }
        return events
    }

    private static func length(_ head: [UInt8]) -> Int {
        let bytes = UInt32(1).littleEndian == 1 ? head.reversed() : head
        return Int(bytes.reduce(UInt32(0)) { $0 << 8 | UInt32($1) })
    }
}

/// Messages to a browser's extension.
package enum NativeMessages {
    /// A longer answer is sent in pieces, because a browser closes the connection at a message of more than 1 MB.
    package static let maximumAnswer = 512 << 10
    /// The maximum length of a piece.
    ///
    /// As text in JSON it can have twice the length.
    package static let maximumPiece = 256 << 10

    private struct Chunk: Encodable {
        struct Piece: Encodable {
            let id: Envelope.ID?
            let index: Int
            let count: Int
            let text: String
        }
        let chunk: Piece
    }

    /// The bytes of one answer: the answer itself, or its pieces if it is long.
    ///
    /// - Parameters:
    ///   - answer: The JSON text.
    ///   - id: The ID of the request, which every piece repeats.
    /// - Returns: All messages, each with its length.
    package static func frames(_ answer: [UInt8], id: Envelope.ID?) -> [UInt8] {
        guard answer.count > maximumAnswer else { return frame(answer) }
        let pieces = pieces(answer)
        return pieces.enumerated().flatMap { index, text -> [UInt8] in
            let chunk = Chunk(chunk: .init(id: id, index: index, count: pieces.count, text: text))
            // The values are numbers and text, so encoding cannot fail.
            return frame((try? Envelope.encode(chunk)) ?? [])
        }
    }

    private static func frame(_ message: [UInt8]) -> [UInt8] {
        let length = UInt32(clamping: message.count)
        let bytes = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: length >> $0) }
        return (UInt32(1).littleEndian == 1 ? bytes.reversed() : bytes) + message
    }

    /// Cuts a text between characters.
    private static func pieces(_ text: [UInt8]) -> [String] {
        var pieces: [String] = []
        var start = 0
        while start < text.count {
            var end = min(start + maximumPiece, text.count)
            // A byte 10xxxxxx continues a character.
            while end < text.count, end > start + 4, text[end] & 0xc0 == 0x80 { end -= 1 }
            pieces.append(String(decoding: text[start..<end], as: UTF8.self))
            start = end
        }
        return pieces
    }
}
