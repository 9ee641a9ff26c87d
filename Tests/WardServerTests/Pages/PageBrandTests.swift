import Foundation
import HTTPTypes
import Synchronization
import Testing
import WardServer

@Suite struct `The brand of a service` {
    /// A setting that must not start, and a word of the reason.
    struct Refused: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let reason: String
        let change: @Sendable (inout ServerConfiguration) -> Void

        init(_ reason: String, _ change: @escaping @Sendable (inout ServerConfiguration) -> Void) {
            testDescription = reason
            self.reason = reason
            self.change = change
        }
    }

    @Test(arguments: [
        Refused("six hexadecimal digits") { $0.accentColor = "green" },
        Refused("six hexadecimal digits") { $0.accentColor = "#17614" },
        Refused("six hexadecimal digits") { $0.accentColor = "#17614a;} body{display:none" },
        Refused("a contrast of 1.0:1") { $0.accentColor = "#ffffff" },
        Refused("choose a darker color") { $0.accentColor = "#83d6b6" },
        Refused("cannot be read") { $0.logo = "/nowhere/logo.svg" },
        Refused("such as https://example.com/") { $0.homeURL = "javascript:alert(1)" },
        Refused("such as https://example.com/") { $0.homeURL = "/home" },
        Refused("such as https://example.com/") { $0.homeURL = "https://ada:secret@example.com/" },
    ])
    func `is checked at the start`(refused: Refused) throws {
        var configuration = ServerConfiguration()
        refused.change(&configuration)
        let error = #expect(throws: ServerConfigurationError.self) { try configuration.validate() }
        #expect(error?.description.contains(refused.reason) == true, "\(error?.description ?? "")")
    }

    @Test(arguments: ["#17614a", "#000000", "#0000ff", "#b3261e", "#6a1b9a", "#00695c"])
    func `takes every color that is dark enough`(color: String) throws {
        var configuration = ServerConfiguration()
        configuration.accentColor = color
        try configuration.validate()
    }

    private static let svg = "<?xml version=\"1.0\"?>\n<!-- drawn -->\n<svg xmlns=\"http://www.w3.org/2000/svg\"/>"

    /// A file of a logo, and its media type; none for a file that is refused.
    struct File: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let bytes: [UInt8]
        let mediaType: String?

        static let all = [
            Self(testDescription: "SVG", bytes: Array(svg.utf8), mediaType: "image/svg+xml"),
            Self(
                testDescription: "PNG",
                bytes: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0],
                mediaType: "image/png"
            ),
            Self(testDescription: "JPEG", bytes: [0xff, 0xd8, 0xff, 0xe0], mediaType: "image/jpeg"),
            Self(testDescription: "WebP", bytes: Array("RIFF....WEBPVP8 ".utf8), mediaType: "image/webp"),
            Self(testDescription: "nothing", bytes: [], mediaType: nil),
            Self(testDescription: "HTML", bytes: Array("<html><svg></svg></html>".utf8), mediaType: nil),
            Self(testDescription: "another picture", bytes: Array("GIF89a".utf8), mediaType: nil),
            Self(
                testDescription: "too large",
                bytes: Array(svg.utf8) + [UInt8](repeating: 0x20, count: 256 * 1024),
                mediaType: nil
            ),
        ]
    }

    @Test(arguments: File.all)
    func `has a logo of a type that browsers show, by its content`(file: File) async throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "ward-logo-\(UUID().uuidString)")
        try Data(file.bytes).write(to: path)
        defer { try? FileManager.default.removeItem(at: path) }
        var configuration = ServerConfiguration()
        configuration.logo = path.path
        guard let mediaType = file.mediaType else {
            #expect(throws: ServerConfigurationError.self) { try configuration.validate() }
            return
        }
        try await withService(configuration) { world in
            let page = try await world.visitor().get("/").text
            let address = try #require(page.firstMatch(of: /<img src="([^"]+)"/)).output.1
            #expect(address.contains("/icons/logo."))
            let logo = try await world.visitor().get(String(address))
            #expect(logo.body == file.bytes)
            #expect(logo.headers[.contentType] == mediaType)
            let policy = try #require(logo.headers[.contentSecurityPolicy])
            #expect(policy.contains("default-src 'none'") && policy.contains("sandbox"))
            #expect(!policy.contains("script-src"))
            #expect(logo.headers[.xContentTypeOptions] == "nosniff")
        }
    }

    /// A PNG's beginning that says its size.
    private static func png(_ width: UInt8, _ height: UInt8? = nil) -> [UInt8] {
        [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52, 0, 0, 0, width, 0, 0, 0]
            + [height ?? width]
    }

    private static func write(_ bytes: [UInt8]) throws -> URL {
        let path = FileManager.default.temporaryDirectory.appending(path: "ward-icon-\(UUID().uuidString)")
        try Data(bytes).write(to: path)
        return path
    }

    /// The pictures that a page names: `rel type sizes`, and the last part of the address.
    private static func icons(_ configuration: ServerConfiguration) async throws -> [String] {
        let found = Mutex<[String]>([])
        try await withService(configuration) { world in
            let page = try await world.visitor().get("/").text
            #expect(page.contains("<meta property=\"og:site_name\" content=\"Shop &amp; Co\">"))
            #expect(page.contains("<meta name=\"application-name\" content=\"Shop &amp; Co\">"))
            let title = try #require(page.firstMatch(of: /<title>([^<]+)<\/title>/)).output.1
            #expect(page.contains("<meta property=\"og:title\" content=\"\(title)\">"))
            for link in page.matches(
                of: /<link rel="([a-z-]*icon)" href="([^"]+)" type="([^"]+)"(?: sizes="([^"]+)")?>/
            ) {
                let (_, rel, address, type, sizes) = link.output
                let picture = try await world.visitor().get(String(address))
                #expect(picture.status == .ok)
                #expect(picture.headers[.contentType] == String(type))
                let name = address.split(separator: "/").last ?? ""
                found.withLock { $0.append("\(rel) \(type) \(sizes ?? "-") \(name)") }
            }
        }
        return found.withLock { $0 }
    }

    @Test func `has pictures for browsers, home screens and credential managers on every page`() async throws {
        var configuration = ServerConfiguration(rpName: "Shop & Co")
        #expect(
            try await Self.icons(configuration) == [
                "icon image/svg+xml any ward.svg", "icon image/png 192x192 ward-192.png",
                "icon image/png 512x512 ward-512.png", "apple-touch-icon image/png 180x180 ward-180.png",
            ]
        )
        // Each picture is as large as its link says.
        for edge in [180, 192, 512] {
            let file = `The files of the pages`.folder.appending(path: "icons/ward-\(edge).png")
            let head = try Data(contentsOf: file).prefix(24)
            #expect(
                head.suffix(8)
                    == Data([0, 0, UInt8(edge >> 8), UInt8(edge & 255), 0, 0, UInt8(edge >> 8), UInt8(edge & 255)])
            )
        }
        // A service with pictures of its own never shows Ward's.
        let drawing = try Self.write(Array(Self.svg.utf8))
        let small = try Self.write(Self.png(100))
        let large = try Self.write(Self.png(200))
        defer { for file in [drawing, small, large] { try? FileManager.default.removeItem(at: file) } }
        configuration.logo = drawing.path
        #expect(try await Self.icons(configuration) == ["icon image/svg+xml any logo.svg"])
        configuration.icon = large.path
        #expect(
            try await Self.icons(configuration) == [
                "icon image/svg+xml any logo.svg", "icon image/png 200x200 icon.png",
                "apple-touch-icon image/png 200x200 icon.png",
            ]
        )
        configuration.icon = nil
        configuration.logo = small.path
        #expect(try await Self.icons(configuration) == ["icon image/png - logo.png"])
        configuration.logo = large.path
        #expect(
            try await Self.icons(configuration) == [
                "icon image/png 200x200 logo.png", "apple-touch-icon image/png 200x200 logo.png",
            ]
        )
    }

    @Test(arguments: [
        png(179), png(200, 201), Array(svg.utf8), Array(png(200).dropLast()), [], png(200).map { $0 == 0x48 ? 0 : $0 },
    ])
    func `takes only a square PNG of a useful size as its icon`(bytes: [UInt8]) throws {
        let file = try Self.write(bytes)
        defer { try? FileManager.default.removeItem(at: file) }
        var configuration = ServerConfiguration()
        configuration.icon = file.path
        let error = #expect(throws: ServerConfigurationError.self) { try configuration.validate() }
        #expect(error?.description.contains("must be a square image in PNG, 180 to 1024 pixels wide") == true)
        for edge in [UInt8(180), 255] {
            try Data(Self.png(edge)).write(to: file)
            try configuration.validate()
        }
        try Data(Self.png(200) + [UInt8](repeating: 0, count: 256 * 1024)).write(to: file)
        #expect(throws: ServerConfigurationError.self) { try configuration.validate() }
    }

    @Test func `colors every page by a style sheet of the service, and leads back`() async throws {
        var configuration = ServerConfiguration()
        configuration.accentColor = "#1A237E"
        configuration.homeURL = "https://shop.example/?a=1&b=\"2\""
        try await withService(configuration) { world in
            let page = try await world.visitor().get("/").text
            let address = try #require(page.firstMatch(of: /href="([^"]+\/css\/colors\.css)"/)).output.1
            let sheet = try await world.visitor().get(String(address)).text
            #expect(sheet.contains("--accent: #1a237e;") && sheet.contains("prefers-color-scheme: dark"))
            #expect(page.contains("shop.example</bdi>"))
            #expect(!page.contains("b=\"2\""))
            #expect(!page.contains("style="))
        }
        try await withService { world in
            let page = try await world.visitor().get("/").text
            #expect(!page.contains("colors.css"))
        }
    }
}
