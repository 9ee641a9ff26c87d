import Crypto
import Foundation
import NIOCore
import WardText

/// The files of the pages.
///
/// They are read once at the start and stay in memory.
///
/// All files for browsers are below one path with a digest of all files. So modules can import each other by relative paths,
/// and caches may store the files without a limit: another version has another path.
struct PageAssets: Sendable {
    /// One file in the form in which it is sent.
    struct Asset: Sendable {
        let body: ByteBuffer
        let mediaType: String
        /// A strong entity tag (RFC 9110, section 8.8.3), quotes included.
        let entityTag: String
    }

    /// A digest of all files.
    ///
    /// It is part of every path.
    let version: String
    /// The path of the logo.
    let logo: String
    /// The pictures that the head of every page names.
    let icons: [PageIconLink]
    /// The AAGUIDs of the authenticators that have a picture, separated by spaces.
    let pictured: String
    private let assets: [String: Asset]
    /// What each module imports.
    private let imports: [String: [String]]
    private let folder: URL

    /// Reads the folders that are served.
    ///
    /// - Parameters:
    ///   - folder: The folder with css, icons, js, locales and templates.
    ///   - brand: The service's own logo, icon and colours, which are served beside these files.
    ///   - icons: Pictures of authenticators, which are served beside these files too.
    /// - Throws: ``ServerStartError`` if one of them is empty; otherwise the file system's errors.
    init(_ folder: URL, _ brand: PageBrand, _ icons: ProviderIcons) throws {
        self.folder = folder
        var assets: [String: Asset] = [:]
        var whole = SHA256()
        func add(_ path: String, _ bytes: Data, _ mediaType: String) {
            let digest = SHA256.hash(data: bytes)
            whole.update(data: Data(path.utf8) + digest)
            assets[path] = Asset(
                body: ByteBuffer(bytes: bytes),
                mediaType: mediaType,
                entityTag: "\"\(Hex.encode(digest.prefix(16)))\""
            )
        }
        for (name, suffix, mediaType) in Self.served {
            for file in try Self.files(in: folder.appending(path: name), suffix: suffix) {
                add("\(name)/\(file.lastPathComponent)", try Data(contentsOf: file), mediaType)
            }
        }
        if let colors = brand.colors { add(Self.colors, Data(colors.styleSheet.utf8), "text/css; charset=utf-8") }
        if let own = brand.logo { add("icons/\(own.name)", own.bytes, own.mediaType) }
        if let own = brand.icon { add("icons/\(PageIcon.name)", own.bytes, "image/png") }
        let pictures = icons.pictures.sorted { $0.key < $1.key }
        for (aaguid, bytes) in pictures { add("icons/\(aaguid).png", bytes, "image/png") }
        pictured = pictures.map(\.key).joined(separator: " ")
        logo = "icons/\(brand.logo?.name ?? "ward.svg")"
        self.icons = PageIconLink.links(of: brand)
        self.assets = assets
        imports = assets.reduce(into: [:]) { imports, file in
            guard file.key.hasPrefix("js/") else { return }
            imports[String(file.key.dropFirst(3))] = Self.imports(of: file.value)
        }
        version = Hex.encode(whole.finalize().prefix(8))
    }

    /// The file at a path such as `css/ward.css`, or `nil`.
    ///
    /// Only files that were read at the start can be found.
    subscript(path: String) -> Asset? { assets[path] }

    /// The templates' texts, by name.
    func templates() throws -> [String: String] {
        let files = try Self.files(in: folder.appending(path: "templates"), suffix: "mustache")
        return try Dictionary(
            uniqueKeysWithValues: files.map { file in
                (file.deletingPathExtension().lastPathComponent, try String(contentsOf: file, encoding: .utf8))
            }
        )
    }

    /// The modules that a script imports, without the script itself, so that browsers fetch them in parallel.
    func modules(of script: String) -> [String] {
        var found: Set<String> = []
        var queue = [script]
        while let module = queue.popLast() {
            for imported in imports[module] ?? [] where imported != script && found.insert(imported).inserted {
                queue.append(imported)
            }
        }
        return found.sorted()
    }

    /// The modules that one module names: each import ends a line, as in `from './api.js';`.
    private static func imports(of module: Asset) -> [String] {
        String(buffer: module.body).split(separator: "\n").compactMap { line in
            guard line.hasSuffix(".js';"), let slash = line.lastIndex(of: "/"), line[..<slash].hasSuffix("from '.")
            else {
                return nil
            }
            return String(line[line.index(after: slash)...].dropLast(2))
        }
    }

    /// The path of the style sheet with the service's own colours.
    private static let colors = "css/colors.css"

    private static let served = [
        ("css", "css", "text/css; charset=utf-8"), ("icons", "svg", "image/svg+xml"),
        ("icons", "png", "image/png"),
        ("js", "js", "text/javascript; charset=utf-8"), ("locales", "json", "application/json"),
    ]

    /// The files of a folder in a fixed order, because the version depends on the order.
    private static func files(in folder: URL, suffix: String) throws -> [URL] {
        let all = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        let files = all.filter { $0.pathExtension == suffix }.sorted { $0.lastPathComponent < $1.lastPathComponent }
        guard !files.isEmpty else { throw ServerStartError(missing: "Pages/\(folder.lastPathComponent)") }
        return files
    }
}

extension ServerStartError {
    /// The error for a program that was installed without some of its pages.
    init(missing path: String) {
        self.init("\(path) is missing from the program's resources")
    }
}
