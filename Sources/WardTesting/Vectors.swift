public import Foundation
internal import WardText

/// Published test vectors.
///
/// They are read from their folder and are not part of the package.
///
/// The folder is in `WARD_VECTORS`, or `../shared/vectors` beside the package's root. Without the folder, tests that
/// need it are reported as skipped:
///
/// ```swift
/// @Test(.enabled(if: TestVectors.areAvailable, "needs the vectors' folder"))
/// func `every published case is decided as published`() throws { … }
/// ```
public enum TestVectors {
    /// Whether the folder exists.
    public static var areAvailable: Bool { FileManager.default.fileExists(atPath: folder.path) }

    /// The URL of a vector file, for example `cbor/appendix_a.json`, or `nil` if it does not exist.
    public static func url(_ path: String) -> URL? {
        let url = folder.appendingPathComponent(path)
        return FileManager.default.fileExists(atPath: url.path) ? url : nil
    }

    /// The contents of a vector file, or `nil` if it does not exist.
    public static func bytes(_ path: String) -> [UInt8]? {
        url(path).flatMap { try? Data(contentsOf: $0) }.map { [UInt8]($0) }
    }

    /// The bytes of a text in hexadecimal, or `nil` if it is malformed; spaces are ignored.
    public static func bytes(hex text: String) -> [UInt8]? {
        Hex.decode(text.filter { !$0.isWhitespace })
    }

    /// The sources can be behind symbolic links, so the real path of this file is used.
    private static let folder: URL = {
        if let path = ProcessInfo.processInfo.environment["WARD_VECTORS"] {
            return URL(fileURLWithPath: path, isDirectory: true)
        }
        let source = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
        let root = source.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        return root.appendingPathComponent("../shared/vectors", isDirectory: true).standardizedFileURL
    }()
}
