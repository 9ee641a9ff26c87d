import LocalServing
import NIOHTTP1
import Testing
import WardDownload
import WardMetadata

@Suite(.timeLimit(.minutes(15))) struct `The download of metadata` {
    @Test func `takes any content type, and keeps to the size`() async throws {
        let body = [UInt8](repeating: 0x61, count: 100)
        let answer = LocalServer.Answer(headers: [("content-type", "text/plain")], body: body)
        try await LocalServer.with({ _ in answer }) { server in
            let fetch = MetadataService.Fetch.http()
            let found = try await fetch.document(server.base, 100)
            #expect(found == body)
            #expect(server.seen.first?.headers["accept"]?.hasPrefix("application/octet-stream") == true)
            await #expect(throws: BoundedDownload.Failure.tooLarge) { try await fetch.document(server.base, 99) }
        } as Void
    }

    @Test func `follows redirects to https only, and refuses errors`() async throws {
        #expect(BoundedDownload.metadata(timeout: 60, maximumSize: 1).mayFollow("https://mds3.fidoalliance.org/"))
        let answer: @Sendable (String) -> LocalServer.Answer = { uri in
            uri == "/blob"
                ? .init(status: .found, headers: [("location", "http://mds3.fidoalliance.org/")])
                : .init(status: .notFound)
        }
        try await LocalServer.with(answer) { server in
            let fetch = MetadataService.Fetch.http()
            await #expect(throws: BoundedDownload.Failure.redirect) {
                try await fetch.document(server.base + "/blob", 100)
            }
            await #expect(throws: BoundedDownload.Failure.status(404)) { try await fetch.document(server.base, 100) }
        } as Void
    }
}
