package import NIOCore

/// Splits input at line feeds, with a maximum line length.
package struct LineFrames: ByteToMessageDecoder {
    package typealias InboundOut = ByteBuffer

    private let maximumLength: Int
    /// The number of bytes in the buffer that are known to contain no line feed.
    private var searched = 0

    package init(maximumLength: Int = Envelope.maximumLength) { self.maximumLength = maximumLength }

    package mutating func decode(context: ChannelHandlerContext, buffer: inout ByteBuffer) throws -> DecodingState {
        let view = buffer.readableBytesView
        guard let end = view.dropFirst(searched).firstIndex(of: 0x0a) else {
            searched = view.count
            guard searched <= maximumLength else {
                throw AgentError(.invalidRequest, "a message must have at most \(maximumLength) bytes")
            }
            return .needMoreData
        }
        searched = 0
        guard end - view.startIndex <= maximumLength, let line = buffer.readSlice(length: end - view.startIndex) else {
            throw AgentError(.invalidRequest, "a message must have at most \(maximumLength) bytes")
        }
        buffer.moveReaderIndex(forwardBy: 1)
        context.fireChannelRead(wrapInboundOut(line))
        return .continue
    }

    package mutating func decodeLast(
        context: ChannelHandlerContext,
        buffer: inout ByteBuffer,
        seenEOF: Bool
    ) throws -> DecodingState {
        // An incomplete line is not a message.
        while try decode(context: context, buffer: &buffer) == .continue {}
        buffer.clear()
        return .needMoreData
    }
}
