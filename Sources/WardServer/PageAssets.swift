import Crypto
import Foundation
import NIOCore

/// The files the pages are made of: read once at the start, kept in memory.
///
/// What browsers fetch lies under one path that has a digest of all files in it, so that modules find each other by
/// relative addresses and a cache may keep them for ever: another version is another path.
struct PageAssets: Sendable {
    /// One file as it is sent.
    struct Asset: Sendable {
        let body: ByteBuffer
        let mediaType: String
        /// A strong entity tag (RFC 9110, section 8.8.3), quotes included.
        let entityTag: String
    }

    /// A digest of everything here; part of every address.
    let version: String
    private let assets: [String: Asset]
    private let folder: URL

    /// Reads the folders that are served.
    ///
    /// - Parameter folder: Where css, icons, js, locales and templates are.
    /// - Throws: ``ServerStartError`` if one has nothing in it; what the file system throws otherwise.
    init(_ folder: URL) throws {
        self.folder = folder
        var assets: [String: Asset] = [:]
        var whole = SHA256()
        for (name, suffix, mediaType) in Self.served {
            for file in try Self.files(in: folder.appending(path: name), suffix: suffix) {
                let bytes = try Data(contentsOf: file)
                let path = "\(name)/\(file.lastPathComponent)"
                let digest = SHA256.hash(data: bytes)
                whole.update(data: Data(path.utf8) + digest)
                assets[path] = Asset(
                    body: ByteBuffer(bytes: bytes),
                    mediaType: mediaType,
                    entityTag: "\"\(digest.prefix(16).hex)\""
                )
            }
        }
        self.assets = assets
        version = whole.finalize().prefix(8).hex
    }

    /// The file at a path such as `css/ward.css`, or `nil`: nothing but what was read at the start can be asked for.
    subscript(path: String) -> Asset? { assets[path] }

    /// The templates' texts by their names.
    func templates() throws -> [String: String] {
        let files = try Self.files(in: folder.appending(path: "templates"), suffix: "mustache")
        return try Dictionary(
            uniqueKeysWithValues: files.map { file in
                (file.deletingPathExtension().lastPathComponent, try String(contentsOf: file, encoding: .utf8))
            }
        )
    }

    /// The modules a script needs, itself not included: browsers then fetch them at once and not one after another.
    func modules(of script: String) -> [String] {
        var found: [String] = []
        var queue = [script]
        while let module = queue.popLast() {
            guard let asset = assets["js/\(module)"] else { continue }
            for match in String(buffer: asset.body).matches(of: /from '\.\/([a-z-]+\.js)'/) {
                let imported = String(match.output.1)
                guard imported != script, !found.contains(imported) else { continue }
                found.append(imported)
                queue.append(imported)
            }
        }
        return found.sorted()
    }

    private static let served = [
        ("css", "css", "text/css; charset=utf-8"), ("icons", "svg", "image/svg+xml"),
        ("js", "js", "text/javascript; charset=utf-8"), ("locales", "json", "application/json"),
    ]

    /// A folder's files in one order everywhere, or else versions would differ.
    private static func files(in folder: URL, suffix: String) throws -> [URL] {
        let all = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        let files = all.filter { $0.pathExtension == suffix }.sorted { $0.lastPathComponent < $1.lastPathComponent }
        guard !files.isEmpty else { throw ServerStartError(missing: "Pages/\(folder.lastPathComponent)") }
        return files
    }
}

extension Sequence where Element == UInt8 {
    fileprivate var hex: String {
        let digits = Array("0123456789abcdef")
        return String(flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
    }
}

extension ServerStartError {
    /// The program was installed without a part of its pages.
    init(missing path: String) {
        self.init("\(path) is missing from the program's resources")
    }
}
