public import Foundation

/// Test vectors that others published, which are read where they lie and never copied into a package.
///
/// The folder is the one that `WARD_VECTORS` names, else `../shared/vectors` seen from the package's root. Where it is
/// absent, tests that need it say that they were skipped:
///
/// ```swift
/// @Test(.enabled(if: TestVectors.areAvailable, "needs the vectors' folder"))
/// func `every published case is decided as published`() throws { … }
/// ```
public enum TestVectors {
    /// Whether the folder is there.
    public static var areAvailable: Bool { FileManager.default.fileExists(atPath: folder.path) }

    /// Where a vector file lies, for example `cbor/appendix_a.json`, or `nil` when it is absent.
    public static func url(_ path: String) -> URL? {
        let url = folder.appendingPathComponent(path)
        return FileManager.default.fileExists(atPath: url.path) ? url : nil
    }

    /// The contents of a vector file, or `nil` when it is absent.
    public static func bytes(_ path: String) -> [UInt8]? {
        url(path).flatMap { try? Data(contentsOf: $0) }.map { [UInt8]($0) }
    }

    /// The bytes that vectors write as hexadecimal digits, or `nil` when the text is none; blanks count for nothing.
    public static func bytes(hex text: String) -> [UInt8]? {
        let digits = text.compactMap { $0.isWhitespace ? nil : $0 }
        guard digits.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.count / 2)
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let high = digits[index].hexDigitValue, let low = digits[index + 1].hexDigitValue else { return nil }
            bytes.append(UInt8(high << 4 | low))
        }
        return bytes
    }

    /// Sources may be reached through links, so the package is where the real file lies.
    private static let folder: URL = {
        if let path = ProcessInfo.processInfo.environment["WARD_VECTORS"] {
            return URL(fileURLWithPath: path, isDirectory: true)
        }
        let source = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
        let root = source.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        return root.appendingPathComponent("../shared/vectors", isDirectory: true).standardizedFileURL
    }()
}
