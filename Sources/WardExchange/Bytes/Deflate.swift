internal import CZlib

/// Compressed data, by zlib (RFC 1950 to 1952).
enum Deflate {
    /// What surrounds the compressed data.
    enum Wrapper: Int32 {
        /// Nothing, as in ZIP files.
        case none = -15
        /// The header and checksum of gzip.
        case gzip = 31
    }

    /// The size of a step, in bytes.
    private static let step = 1 << 18

    /// The content of compressed data.
    ///
    /// - Parameters:
    ///   - bytes: The compressed data. Bytes after its end are ignored.
    ///   - wrapper: What surrounds the data.
    ///   - limit: The maximum size of the content, in bytes.
    ///   - name: The name of the part, for errors.
    /// - Returns: The content.
    /// - Throws: ``ImportError`` with `malformed`, `truncated`, or `tooLarge` as soon as the content exceeds the limit.
    static func decompress(
        _ bytes: ArraySlice<UInt8>,
        _ wrapper: Wrapper,
        limit: Int,
        name: String
    ) throws(ImportError) -> [UInt8] {
        var stream = unsafe z_stream()
        guard unsafe inflateInit2_(&stream, wrapper.rawValue, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK
        else { throw ImportError(.tooLarge, "there is no memory to decompress \(name)") }
        defer { unsafe inflateEnd(&stream) }

        var content: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: step)
        var offset = bytes.startIndex
        while true {
            let input = bytes[offset..<min(bytes.endIndex, offset + step)]
            let (status, used, made) = unsafe run(&stream, input, &buffer) { unsafe inflate($0, Z_NO_FLUSH) }
            guard made <= limit - content.count else {
                throw ImportError(.tooLarge, "\(name) has more than \(limit >> 20) MiB when it is decompressed")
            }
            content.append(contentsOf: buffer[..<made])
            offset += used
            if status == Z_STREAM_END { return content }
            guard status == Z_OK || status == Z_BUF_ERROR else {
                throw ImportError(.malformed, "the compressed data of \(name) is damaged")
            }
            guard used > 0 || made > 0 else {
                throw ImportError(.truncated, "the compressed data of \(name) is cut off")
            }
        }
    }

    /// The compressed form of a content, or `nil` if there is no memory.
    static func compress(_ bytes: [UInt8], _ wrapper: Wrapper) -> [UInt8]? {
        var stream = unsafe z_stream()
        let size = unsafe Int32(MemoryLayout<z_stream>.size)
        guard
            unsafe deflateInit2_(
                &stream,
                Z_DEFAULT_COMPRESSION,
                Z_DEFLATED,
                wrapper.rawValue,
                8,
                Z_DEFAULT_STRATEGY,
                ZLIB_VERSION,
                size
            ) == Z_OK
        else { return nil }
        defer { unsafe deflateEnd(&stream) }

        var compressed: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: step)
        var offset = 0
        while true {
            let input = bytes[offset..<min(bytes.count, offset + step)]
            let flush = input.endIndex == bytes.count ? Z_FINISH : Z_NO_FLUSH
            let (status, used, made) = unsafe run(&stream, input, &buffer) { unsafe deflate($0, flush) }
            compressed.append(contentsOf: buffer[..<made])
            offset += used
            if status == Z_STREAM_END { return compressed }
            guard status == Z_OK || status == Z_BUF_ERROR, used > 0 || made > 0 else { return nil }
        }
    }

    /// Runs one step, and returns how many bytes it used and made.
    private static func run(
        _ stream: inout z_stream,
        _ input: ArraySlice<UInt8>,
        _ output: inout [UInt8],
        _ body: (UnsafeMutablePointer<z_stream>) -> Int32
    ) -> (status: Int32, used: Int, made: Int) {
        unsafe input.withUnsafeBufferPointer { source in
            unsafe output.withUnsafeMutableBufferPointer { target in
                // zlib declares its input as writable, but never writes to it.
                unsafe stream.next_in = UnsafeMutablePointer(mutating: source.baseAddress)
                unsafe stream.avail_in = UInt32(source.count)
                unsafe stream.next_out = target.baseAddress
                unsafe stream.avail_out = UInt32(target.count)
                let status = unsafe body(&stream)
                return unsafe (status, source.count - Int(stream.avail_in), target.count - Int(stream.avail_out))
            }
        }
    }
}
