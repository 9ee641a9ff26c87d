internal import Foundation

/// QR codes in picture files: what a person saved instead of holding a phone in front of it.
///
/// ```swift
/// let texts = try QRImage.texts(at: "/home/ada/Pictures/two-factor.png")
/// ```
public enum QRImage {
    /// The most bytes that are read of one file: 32 MiB.
    public static var maximumFileSize: Int { 33_554_432 }

    /// The texts of the QR codes in a picture, from its top to its bottom and from left to right, each once.
    ///
    /// - Parameter path: A PNG, JPEG, WebP or GIF file of at most 32 MiB and 67,108,864 pixels.
    /// - Returns: At least one text. They come from a stranger: check them before use.
    /// - Throws: ``QRError`` saying what to do.
    public static func texts(at path: String) throws(QRError) -> [String] {
        try texts(in: try read(path))
    }

    /// The texts of the QR codes in a picture that was read already.
    ///
    /// - Parameter bytes: The file's bytes, within the same bounds.
    /// - Returns: At least one text.
    /// - Throws: ``QRError`` saying what to do.
    public static func texts(in bytes: [UInt8]) throws(QRError) -> [String] {
        guard bytes.count <= maximumFileSize else { throw tooLarge }
        let header = try ImageHeader(bytes)
        let picture = try GrayPicture(decoding: bytes, header)
        let found = try picture.codes()
        var texts: [String] = []
        for code in found {
            guard let text = String(validating: code, as: UTF8.self) else { continue }
            if !texts.contains(text) { texts.append(text) }
        }
        guard !texts.isEmpty else {
            throw found.isEmpty
                ? QRError(
                    .noCode,
                    "no QR code was found; use a picture that shows the whole code with its white border, sharp and upright"
                )
                : QRError(.notText, "the QR code holds bytes that are no text, so it is none for signing in")
        }
        return texts
    }

    private static var tooLarge: QRError {
        QRError(.fileTooLarge, "the file is larger than 32 MiB; cut the QR code out and save it as PNG")
    }

    private static func read(_ path: String) throws(QRError) -> [UInt8] {
        let url = URL(fileURLWithPath: path).resolvingSymlinksInPath()
        let values: [FileAttributeKey: Any]
        do {
            values = try FileManager.default.attributesOfItem(atPath: url.path)
        } catch {
            throw QRError(.unreadable, "\(path) is not there or may not be read; check the path and its permissions")
        }
        // A pipe would wait for ever.
        guard values[.type] as? FileAttributeType == .typeRegular else {
            throw QRError(.notAFile, "\(path) is no file; name the picture itself")
        }
        do {
            let handle = try FileHandle(forReadingFrom: url)
            defer { try? handle.close() }
            // One byte more than allowed tells too much from just enough, whatever the file's size was a moment ago.
            guard let data = try handle.read(upToCount: maximumFileSize + 1) else { return [] }
            guard data.count <= maximumFileSize else { throw tooLarge }
            return Array(data)
        } catch let error as QRError {
            throw error
        } catch {
            throw QRError(.unreadable, "\(path) may not be read; check its permissions")
        }
    }
}
