import Foundation
import Hummingbird
import HummingbirdTesting
import Testing
import WardAttestation
import WardServer
import WardText

@Suite struct `Pictures of authenticators` {
    private static let signature: [UInt8] = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]

    private static func entry(_ aaguid: String, _ icon: String) throws -> MetadataEntry {
        let text = #"{"aaguid":"\#(aaguid)","metadataStatement":{"icon":"\#(icon)"}}"#
        return try JSONDecoder().decode(MetadataEntry.self, from: Data(text.utf8))
    }

    private static func png(_ count: Int, type: String = "data:image/png;base64,") -> String {
        type + Base64.encode(signature + Array(repeating: 0, count: count - signature.count))
    }

    private static let aaguid = "ee882879-721c-4913-9775-3dfcce97072a"

    @Test(arguments: [
        "", "data:image/svg+xml;base64,PHN2Zy8+", "https://evil.example/a.png", "data:image/png;base64,PHN2Zy8+",
        "data:image/png;base64,!", "data:image/png;base64,", png(ProviderIcons.limit + 1),
        png(100, type: "data:image/svg+xml;base64,"), png(100, type: "data:image/png,"),
    ])
    func `anything but a small PNG is left out`(icon: String) throws {
        #expect(try ProviderIcons([Self.entry(Self.aaguid, icon)]).aaguids == [])
    }

    @Test func `are served by the service itself, and named on the account page`() async throws {
        let icons = ProviderIcons([
            try Self.entry(Self.aaguid, Self.png(ProviderIcons.limit)),
            try Self.entry("00000000-0000-0000-0000-000000000001", "data:image/gif;base64,R0lG"),
        ])
        #expect(icons.aaguids == [Self.aaguid])
        let pages = try PageRoutes(
            rpName: "Ward",
            rpID: "localhost",
            icons: icons,
            account: { _ in PageAccount(username: "ada", displayName: "Ada") },
            continuation: { _, _ in .leave(to: "/") }
        )
        let router = WardRouter(context: WardRequestContext.self)
        pages.add(to: router)
        try await Application(router: router).test(.router) { client in
            let html = try await client.execute(uri: "/account", method: .get) { String(buffer: $0.body) }
            #expect(html.contains("data-pictured=\"\(Self.aaguid)\""))
            let found = try #require(html.firstMatch(of: /\/assets\/[0-9a-f]+/))
            try await client.execute(uri: "\(found.output)/icons/\(Self.aaguid).png", method: .get) { response in
                #expect(response.status == .ok && response.headers[.contentType] == "image/png")
                #expect(response.body.readableBytes == ProviderIcons.limit)
            }
        }
    }

    @Test func `a file that the FIDO Metadata Service did not sign is refused`() throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "blob-\(UUID())")
        defer { try? FileManager.default.removeItem(at: file) }
        var configuration = ServerConfiguration()
        configuration.metadata = file.path
        #expect(configuration.metadataProblem(at: 0)?.contains("cannot be read") == true)
        try Data("e30.e30.AAAA".utf8).write(to: file)
        #expect(configuration.metadataProblem(at: 0)?.contains("mds3.fidoalliance.org") == true)
    }
}
