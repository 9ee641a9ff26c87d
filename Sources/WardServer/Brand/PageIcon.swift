import Foundation

/// The service's own picture for home screens and credential managers: a square PNG.
///
/// Credential managers show no SVG, so an SVG logo alone gives them no picture.
struct PageIcon: Sendable {
    let bytes: Data
    /// Width and height, in pixels.
    let edge: Int

    /// The name in the address.
    static let name = "icon.png"

    private static let edges = 180...1_024

    /// Reads the file.
    ///
    /// - Throws: ``ServerConfigurationError`` for a file that cannot be read, is too large, or is no such image.
    init(file path: String) throws(ServerConfigurationError) {
        let bytes = try PageLogo.bytes(of: path, "icon")
        guard let (width, height) = Self.size(ofPNG: bytes), width == height, Self.edges.contains(width) else {
            throw ServerConfigurationError(
                "the icon \(path) must be a square image in PNG, \(Self.edges.lowerBound) to \(Self.edges.upperBound) pixels wide"
            )
        }
        (self.bytes, edge) = (bytes, width)
    }

    /// The size of a PNG, or `nil` if its first chunk does not say it.
    ///
    /// [PNG, section 11.2.1](https://www.w3.org/TR/png-3/#11IHDR).
    static func size(ofPNG bytes: Data) -> (width: Int, height: Int)? {
        let head = [UInt8](bytes.prefix(24))
        guard head.count == 24, PageLogo.isPNG(bytes), head[8..<16].elementsEqual([0, 0, 0, 13] + Array("IHDR".utf8))
        else { return nil }
        func number(at index: Int) -> Int { head[index..<index + 4].reduce(0) { $0 << 8 | Int($1) } }
        return (number(at: 16), number(at: 20))
    }

    /// Whether home screens can use a logo: a PNG that could be an icon.
    static func edge(of logo: PageLogo) -> Int? {
        guard let (width, height) = size(ofPNG: logo.bytes), width == height, edges.contains(width) else { return nil }
        return width
    }
}
