import Foundation

/// Reads the QR codes of a picture through `ward-reader`, a program in the same folder.
///
/// So the decoders of pictures are not in the process that can have keys.
enum QRReader {
    /// The maximum size of a picture.
    ///
    /// `ward-reader` has the same limit.
    private static let maximumFileSize = 33_554_432
    /// The maximum size of an answer.
    ///
    /// A QR code has at most 3 KiB.
    private static let maximumAnswer = 1_048_576

    private struct Line: Decodable {
        var text: String?
        var error: String?
    }

    /// Whether a file begins as a picture does: PNG, JPEG, GIF or WebP.
    static func isPicture(_ content: [UInt8]) -> Bool {
        let starts: [[UInt8]] = [[0x89, 0x50, 0x4e, 0x47], [0xff, 0xd8, 0xff], Array("GIF8".utf8)]
        let isWebP = content.starts(with: "RIFF".utf8) && content.dropFirst(8).starts(with: "WEBP".utf8)
        return isWebP || starts.contains { content.starts(with: $0) }
    }

    /// The texts of the QR codes in a picture.
    ///
    /// - Returns: At least one text. They come from a stranger.
    /// - Throws: ``Failure`` that says what to do.
    static func texts(at path: String) throws -> [String] {
        let picture = try read(path)
        let (answer, isDone) = try ReaderProgram.answer([], picture, limit: maximumAnswer, seconds: 60)
        let lines = answer.split(separator: 0x0a).map { try? JSONDecoder().decode(Line.self, from: Data($0)) }
        if let error = lines.lazy.compactMap({ $0?.error }).first {
            throw Failure(.usage, "\(path): \(Table.clean(error))")
        }
        let texts = lines.compactMap { $0?.text }
        guard isDone, texts.count == lines.count, !texts.isEmpty else {
            throw Failure(.usage, "\(path): the picture could not be read. Cut out the QR code and save it as PNG")
        }
        return texts
    }

    private static func read(_ path: String) throws -> [UInt8] {
        // The file is opened without waiting. So a pipe that no program writes to is refused.
        let descriptor = unsafe open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw Failure(.usage, "\(path) cannot be read. Check the path and its permissions")
        }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw Failure(.usage, "\(path) is not a file. Name the picture itself")
        }
        // One byte more than allowed is read, to detect that the picture is too large.
        guard let data = try? handle.read(upToCount: maximumFileSize + 1), data.count <= maximumFileSize else {
            throw Failure(.usage, "\(path) is larger than 32 MiB. Cut out the QR code and save it as PNG")
        }
        return Array(data)
    }
}
