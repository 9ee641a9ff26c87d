import Foundation

/// Reads the QR codes of a picture through `ward-qr`, the program beside this one: the decoders of pictures stay out of the
/// program that can hold keys.
enum QRReader {
    /// The most bytes that are taken from a picture: as many as `ward-qr` reads.
    private static let maximumFileSize = 33_554_432
    /// The most bytes of an answer; a QR code holds 3 KiB at most.
    private static let maximumAnswer = 1_048_576

    private struct Line: Decodable {
        var text: String?
        var error: String?
    }

    /// The texts of the QR codes in a picture.
    ///
    /// - Returns: At least one text. They come from a stranger.
    /// - Throws: ``Failure`` that says what to do.
    static func texts(at path: String) throws -> [String] {
        let picture = try read(path)
        let helper = try Child(try program(), [])
        // A helper that stops early says why on its output.
        _ = helper.write(picture)
        let answer = helper.read(limit: maximumAnswer, seconds: 60)
        let isDone = answer != nil && helper.succeeds(seconds: 5)
        if answer == nil { helper.kill() }
        let lines = (answer ?? []).split(separator: 0x0a).map { try? JSONDecoder().decode(Line.self, from: Data($0)) }
        if let error = lines.lazy.compactMap({ $0?.error }).first {
            throw Failure(.usage, "\(path): \(Table.clean(error))")
        }
        let texts = lines.compactMap { $0?.text }
        guard isDone, texts.count == lines.count, !texts.isEmpty else {
            throw Failure(.usage, "\(path): the picture could not be read. Cut out the QR code and save it as PNG")
        }
        return texts
    }

    // PATH is not searched: another program could stand there.
    private static func program() throws -> String {
        let own = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let folder = URL(fileURLWithPath: own ?? "/").deletingLastPathComponent()
        let path = folder.appendingPathComponent("ward-qr").path
        guard own != nil, FileManager.default.isExecutableFile(atPath: path) else {
            throw Failure(.unavailable, "\(path), which reads pictures, is missing. Install ward again: make ward")
        }
        return path
    }

    private static func read(_ path: String) throws -> [UInt8] {
        // Without waiting: a pipe that nobody writes to is refused and not waited for.
        let descriptor = unsafe open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw Failure(.usage, "\(path) cannot be read. Check the path and its permissions")
        }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw Failure(.usage, "\(path) is not a file. Name the picture itself")
        }
        // One byte more than allowed tells too much from just enough.
        guard let data = try? handle.read(upToCount: maximumFileSize + 1), data.count <= maximumFileSize else {
            throw Failure(.usage, "\(path) is larger than 32 MiB. Cut out the QR code and save it as PNG")
        }
        return Array(data)
    }
}
