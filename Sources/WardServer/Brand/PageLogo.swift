import Foundation

/// The service's logo: an image of a type that every browser shows.
struct PageLogo: Sendable {
    let bytes: Data
    let mediaType: String
    /// The name in the address, such as `logo.svg`.
    let name: String

    /// The maximum size, because every page loads the logo.
    static let limit = 256 * 1024

    /// Reads the file.
    ///
    /// The content decides the type, not the file's name.
    ///
    /// - Throws: ``ServerConfigurationError`` for a file that cannot be read, is too large, or is no such image.
    init(file path: String) throws(ServerConfigurationError) {
        let bytes = try Self.bytes(of: path, "logo")
        guard let type = Self.type(of: bytes) else {
            throw ServerConfigurationError("the logo \(path) must be an image in SVG, PNG, WebP or JPEG")
        }
        self.bytes = bytes
        mediaType = type.mediaType
        name = "logo.\(type.suffix)"
    }

    /// The content of a picture's file.
    ///
    /// - Throws: ``ServerConfigurationError`` for a file that cannot be read or is too large.
    static func bytes(of path: String, _ what: String) throws(ServerConfigurationError) -> Data {
        let bytes: Data
        do {
            let handle = try FileHandle(forReadingFrom: URL(filePath: path))
            defer { try? handle.close() }
            bytes = try handle.read(upToCount: limit + 1) ?? Data()
        } catch {
            throw ServerConfigurationError("the \(what) \(path) cannot be read")
        }
        guard bytes.count <= limit else {
            throw ServerConfigurationError(
                "the \(what) \(path) has more than \(limit / 1024) KiB: choose a smaller file"
            )
        }
        return bytes
    }

    static func isPNG(_ bytes: Data) -> Bool {
        bytes.starts(with: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
    }

    private static func type(of bytes: Data) -> (mediaType: String, suffix: String)? {
        if isPNG(bytes) { return ("image/png", "png") }
        if bytes.starts(with: [0xff, 0xd8, 0xff]) { return ("image/jpeg", "jpg") }
        if bytes.starts(with: Array("RIFF".utf8)), bytes.dropFirst(8).starts(with: Array("WEBP".utf8)) {
            return ("image/webp", "webp")
        }
        guard let text = String(data: bytes, encoding: .utf8),
            text.firstMatch(of: /^\s*(<\?xml[^>]*>|<!--[\s\S]*?-->|<!DOCTYPE[^>\[]*>|\s)*<svg[\s>]/.ignoresCase())
                != nil
        else { return nil }
        return ("image/svg+xml", "svg")
    }
}
