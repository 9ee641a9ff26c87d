import LocalServing
import NIOCore
import NIOHTTP1
import NIOPosix
import Testing
import WardDownload

@Suite(.timeLimit(.minutes(15))) struct `A bounded download` {
    private static let good = Array("{}".utf8)
    private static let json = [("content-type", "application/json")]

    private static func redirect(_ location: String) -> LocalServer.Answer {
        .init(status: .found, headers: [("location", location)])
    }

    private func download(timeout: Duration = .seconds(600), redirects: Int = 0) -> BoundedDownload {
        var download = BoundedDownload(maximumSize: 1000, timeout: timeout)
        download.maximumRedirects = redirects
        download.mayFollow = { $0.hasPrefix("http://127.0.0.1:") }
        return download
    }

    /// The failure of a download of this answer.
    private func failure(
        _ answer: LocalServer.Answer,
        _ download: BoundedDownload
    ) async throws -> BoundedDownload.Failure? {
        try await LocalServer.with({ _ in answer }) { server in
            await #expect(throws: BoundedDownload.Failure.self) { try await download.document(at: server.base + "/x") }
        }
    }

    @Test func `brings the document, and does not tell who asks`() async throws {
        let answer = LocalServer.Answer(
            headers: [("Content-Type", " application/JSON ; charset=utf-8")],
            body: Self.good
        )
        try await LocalServer.with({ _ in answer }) { server in
            #expect(try await download().document(at: server.base + "/list") == Self.good)
            let request = try #require(server.seen.first)
            #expect(request.uri == "/list")
            #expect(request.headers["accept"] == "application/json")
            #expect(Set(request.headers.keys).isSubset(of: ["host", "accept", "connection", "accept-encoding"]))
        } as Void
    }

    private struct Refusal: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let answer: LocalServer.Answer
        let failure: BoundedDownload.Failure
    }

    private static let large = [UInt8](repeating: 0x20, count: 1001)

    private static let refusals: [Refusal] = [
        Refusal(testDescription: "404", answer: .init(status: .notFound, body: good), failure: .status(404)),
        Refusal(testDescription: "204", answer: .init(status: .noContent), failure: .status(204)),
        Refusal(testDescription: "a large error", answer: .init(status: .gone, body: large), failure: .status(410)),
        Refusal(
            testDescription: "text/html",
            answer: .init(headers: [("content-type", "text/html")], body: good),
            failure: .contentType
        ),
        Refusal(
            testDescription: "text/json",
            answer: .init(headers: [("content-type", "text/json")], body: good),
            failure: .contentType
        ),
        Refusal(testDescription: "no type", answer: .init(headers: [], body: good), failure: .contentType),
        Refusal(
            testDescription: "too large by its header",
            answer: .init(headers: json + [("content-length", "1001")], body: good, piece: 1, pause: .hours(1)),
            failure: .tooLarge
        ),
        Refusal(testDescription: "too large without saying so", answer: .init(body: large), failure: .tooLarge),
        Refusal(
            testDescription: "without end",
            answer: .init(body: [UInt8](repeating: 0x20, count: 4 << 20), piece: 64, pause: .milliseconds(1)),
            failure: .tooLarge
        ),
        Refusal(testDescription: "a redirect to itself", answer: redirect("/x"), failure: .redirect),
        Refusal(testDescription: "a redirect elsewhere", answer: redirect("http://localhost/x"), failure: .redirect),
        Refusal(
            testDescription: "a redirect to another host",
            answer: redirect("//evil.example/x"),
            failure: .redirect
        ),
        Refusal(
            testDescription: "a redirect without a target",
            answer: .init(status: .found, headers: []),
            failure: .redirect
        ),
    ]

    @Test(arguments: refusals)
    private func `refuses`(refusal: Refusal) async throws {
        #expect(try await failure(refusal.answer, download(redirects: 3)) == refusal.failure)
    }

    @Test func `takes a document of just the size, and not one byte more`() async throws {
        for size in [1000, 1001] {
            let body = [UInt8](repeating: 0x20, count: size)
            try await LocalServer.with({ _ in .init(body: body, piece: 300, pause: .zero) }) { server in
                #expect((try? await download().document(at: server.base)) == (size == 1000 ? body : nil))
            } as Void
        }
    }

    @Test func `follows as many redirects as it may`() async throws {
        for (count, isAllowed) in [(1, true), (3, true), (4, false)] {
            let answer: @Sendable (String) -> LocalServer.Answer = { uri in
                let step = Int(uri.split(separator: "/").last ?? "") ?? 0
                return step < count ? Self.redirect("/\(step + 1)") : .init(body: Self.good)
            }
            try await LocalServer.with(answer) { server in
                let found = try? await download(redirects: 3).document(at: server.base)
                #expect((found != nil) == isAllowed)
                #expect(server.seen.count == min(count, 3) + 1)
            } as Void
        }
    }

    @Test func `does not follow a redirect where it may not, even to a server that has the document`() async throws {
        try await LocalServer.with({ _ in .init(body: Self.good) }) { other in
            let elsewhere = other.base + "/list"
            try await LocalServer.with({ _ in Self.redirect(elsewhere) }) { server in
                var download = download(redirects: 3)
                let base = server.base
                download.mayFollow = { $0.hasPrefix(base) }
                await #expect(throws: BoundedDownload.Failure.redirect) { try await download.document(at: base) }
                #expect(other.seen.isEmpty)
            } as Void
        } as Void
    }

    /// What comes would do, if only somebody waited for it: nothing at all, one byte and then nothing, a byte now and then.
    @Test(arguments: [
        LocalServer.Answer(body: good, isSilent: true), .init(body: good, piece: 1, pause: .hours(1)),
        .init(body: [UInt8](repeating: 0x20, count: 900), piece: 1, pause: .milliseconds(100)),
    ])
    func `leaves a server that dawdles`(answer: LocalServer.Answer) async throws {
        #expect(try await failure(answer, download(timeout: .milliseconds(400))) == .tooSlow)
    }

    @Test(arguments: [Duration.zero, .seconds(-1)])
    func `is too slow without any time`(timeout: Duration) async throws {
        #expect(try await failure(.init(body: Self.good), download(timeout: timeout)) == .tooSlow)
    }

    @Test func `says at once that nobody is there`() async throws {
        let base = try await LocalServer.with({ _ in .init() }) { $0.base }
        await #expect(throws: BoundedDownload.Failure.unreachable) { try await download().document(at: base) }
    }

    @Test func `gives up a server with which no connection comes about, long before its time is over`() async throws {
        // It takes connections, and says nothing of TLS.
        let server = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .bind(host: "127.0.0.1", port: 0).get()
        let port = try #require(server.localAddress?.port)
        await #expect(throws: BoundedDownload.Failure.tooSlow) {
            try await download().document(at: "https://127.0.0.1:\(port)/")
        }
        try await server.close()
    }

    @Test func `ends when its task is cancelled`() async throws {
        try await LocalServer.with({ _ in .init(isSilent: true) }) { server in
            let (download, base) = (download(), server.base)
            let task = Task { try await download.document(at: base) }
            while server.seen.isEmpty { await Task.yield() }
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
        } as Void
    }

    @Test func `an answer may be an error, whose type does not count`() async throws {
        let refusal = LocalServer.Answer(status: .badRequest, headers: [("content-type", "text/html")], body: Self.good)
        try await LocalServer.with({ _ in refusal }) { server in
            let answer = try await download().answer(at: server.base)
            #expect(answer.status == 400)
            #expect(answer.body == Self.good)
        } as Void
    }

    @Test func `a form goes to the address that the caller named, and nowhere else`() async throws {
        let answer: @Sendable (String) -> LocalServer.Answer = {
            $0 == "/token" ? .init(body: Self.good) : Self.redirect("/token")
        }
        try await LocalServer.with(answer) { server in
            let form = BoundedDownload.Payload(body: "code=1", authorization: "Basic eA==")
            let download = download(redirects: 3)
            #expect(try await download.answer(at: server.base + "/token", sending: form).body == Self.good)
            let request = try #require(server.seen.first)
            #expect(request.headers["authorization"] == "Basic eA==")
            #expect(request.headers["content-type"] == "application/x-www-form-urlencoded")
            #expect(request.headers["content-length"] == "6")
            await #expect(throws: BoundedDownload.Failure.redirect) {
                try await download.answer(at: server.base + "/elsewhere", sending: form)
            }
            #expect(server.seen.map(\.uri) == ["/token", "/elsewhere"])
        } as Void
    }
}
