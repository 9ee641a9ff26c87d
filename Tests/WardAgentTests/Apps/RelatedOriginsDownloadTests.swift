import LocalServing
import NIOHTTP1
import Testing
import WardAgent
import WardDownload

@Suite(.timeLimit(.minutes(15))) struct `The download of related origins` {
    /// Without the agent's time limit: a busy machine takes its time.
    private static var patient: BoundedDownload {
        var download = BoundedDownload.relatedOrigins
        download.timeout = .seconds(600)
        return download
    }

    @Test(arguments: [
        ("https://example.com/list", true), ("https://example.com", true), ("https://example.com:8443/x", true),
        ("http://example.com/", false), ("https://localhost/", false), ("https://127.0.0.1/", false),
        ("https://192.168.0.1/list", false), ("https://[::1]/", false), ("https://user@example.com/", false),
        ("HTTPS://example.com", false), ("", false), ("https://example.com\\@localhost/", false),
        ("https://example.com/\\list", false), ("https://example.com/a b", false), ("https://example.com/ä", false),
        ("https://example.com/\n", false), ("data:application/json,{}", false), ("file:///etc/passwd", false),
    ])
    func `follows redirects to public HTTPS servers only`(url: String, isAllowed: Bool) async throws {
        #expect(BoundedDownload.isPublicHTTPS(url) == isAllowed)
        #expect(BoundedDownload.relatedOrigins.mayFollow(url) == isAllowed)
    }

    @Test func `leaves a redirect to this machine`() async throws {
        let answer = LocalServer.Answer(status: .found, headers: [("location", "https://localhost/list")])
        try await LocalServer.with({ _ in answer }) { server in
            await #expect(throws: BoundedDownload.Failure.redirect) {
                try await Self.patient.document(at: server.base)
            }
        } as Void
    }

    @Test func `reads 256 KiB of JSON, and not more`() async throws {
        for (size, isAllowed) in [(262_144, true), (262_145, false)] {
            let body = [UInt8](repeating: 0x20, count: size)
            try await LocalServer.with({ _ in .init(body: body) }) { server in
                let found = try? await Self.patient.document(at: server.base)
                #expect((found != nil) == isAllowed)
            } as Void
        }
    }
}
