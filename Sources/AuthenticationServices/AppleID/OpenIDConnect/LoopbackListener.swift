internal import Foundation
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import Synchronization

/// Listens on the loopback address for the browser's return from the issuer.
///
/// [RFC 8252, section 7.3](https://www.rfc-editor.org/rfc/rfc8252#section-7.3): a port on 127.0.0.1 that the system
/// chooses, open for one sign-in. The browser first opens a page of this listener, which redirects to the issuer. So
/// the request to the issuer, with its state, is never a program argument, which every user of the machine could read.
final class LoopbackListener: Sendable {
    /// The maximum number of requests that get an answer.
    static var maximumRequests: Int { 64 }
    /// The path that the issuer redirects the browser to.
    static var path: String { "/ward/signed-in" }

    private let channel: any Channel
    private let port: Int
    private let exchange: Exchange

    /// The members of the answer's query.
    typealias Members = [String: String]

    private init(channel: any Channel, port: Int, exchange: Exchange) {
        self.channel = channel
        self.port = port
        self.exchange = exchange
    }

    /// The redirect URI for the issuer.
    var redirectURI: String { "http://127.0.0.1:\(port)\(Self.path)" }
    /// The address that the browser opens first.
    ///
    /// It redirects to the issuer, once.
    var startURL: String { "http://127.0.0.1:\(port)/\(exchange.ticket)" }

    /// Starts to listen.
    ///
    /// - Parameters:
    ///   - ticket: The path of the first page, which nobody can guess.
    ///   - state: The state that an answer must have. Other answers are refused and change nothing.
    /// - Returns: The listener, with its port.
    /// - Throws: ``ASAuthorizationError`` with `failed` if no port is available.
    static func open(ticket: String, state: String) async throws(ASAuthorizationError) -> LoopbackListener {
        let exchange = Exchange(ticket: ticket, state: state)
        do {
            let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .serverChannelOption(.backlog, value: 8)
                .childChannelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.configureHTTPServerPipeline(withPipeliningAssistance: false)
                        try channel.pipeline.syncOperations.addHandler(LoopbackHandler(exchange))
                    }
                }
                .bind(host: "127.0.0.1", port: 0)
                .get()
            // Read the address now: a closed channel has no address.
            let port = channel.localAddress?.port ?? 0
            exchange.listens(at: port)
            return LoopbackListener(channel: channel, port: port, exchange: exchange)
        } catch {
            throw .unreachable("cannot open a local port for the issuer's answer: try again")
        }
    }

    /// Sets the address that the first page redirects to.
    ///
    /// Before this call, the first page answers 404.
    func leads(to location: String) { exchange.leads(to: location) }

    /// Waits for the browser, which then waits for its page: see ``leads(on:state:)`` and ``finish(_:)``.
    ///
    /// - Parameter limit: How long to wait.
    /// - Returns: The members of the answer's query, whose state is already compared; `nil` if none came in time.
    /// - Throws: `CancellationError` if the task is cancelled.
    func answer(within limit: Duration) async throws -> Members? {
        try await withThrowingTaskGroup(of: Members?.self) { group in
            group.addTask { [exchange] in
                for await members in exchange.answers { return members }
                throw CancellationError()
            }
            group.addTask {
                try await Task.sleep(for: limit)
                return nil
            }
            defer { group.cancelAll() }
            return try await group.next() ?? nil
        }
    }

    /// Sends the browser that waits to the issuer once more.
    ///
    /// - Parameters:
    ///   - location: The address at the issuer.
    ///   - state: The state that the next answer must have.
    func leads(on location: String, state: String) async {
        await exchange.release(.onward(location), expecting: state)
    }

    /// Shows the last page to the browser, if one waits.
    ///
    /// Later answers are refused.
    func finish(_ page: LoopbackPage) async { await exchange.release(page, expecting: nil) }

    /// Stops listening.
    ///
    /// Answers that are being sent are completed first.
    func close() async {
        await finish(.failed)
        try? await channel.close()
    }

    /// The state that all connections share.
    final class Exchange: Sendable {
        /// A browser that waits for its page.
        struct Waiting: Sendable {
            let page: EventLoopPromise<LoopbackPage>
            /// Completed when the page is sent, or cannot be.
            let sent: EventLoopPromise<Void>
        }

        /// What a request gets.
        enum Reply: Sendable {
            case now(LoopbackPage)
            case later(Waiting)
        }

        let ticket: String
        let answers: AsyncStream<Members>
        private let inbox: AsyncStream<Members>.Continuation
        private let open: Mutex<Open>

        private struct Open {
            var host = ""
            var location: String?
            /// The state of the answer that may come; `nil` if none may.
            var expected: String?
            var waiting: Waiting?
            var requests = 0
        }

        init(ticket: String, state: String) {
            self.ticket = ticket
            open = Mutex(Open(expected: state))
            (answers, inbox) = AsyncStream.makeStream(of: Members.self, bufferingPolicy: .bufferingOldest(2))
        }

        func listens(at port: Int) { open.withLock { $0.host = "127.0.0.1:\(port)" } }
        func leads(to location: String) { open.withLock { $0.location = location } }

        /// The page that answers a request.
        ///
        /// A browser that brings the expected answer waits for its page.
        func reply(to head: HTTPRequestHead, on eventLoop: any EventLoop) -> Reply {
            open.withLock { open in
                open.requests += 1
                guard open.requests <= LoopbackListener.maximumRequests else { return .now(.notHere) }
                // As a protection against DNS rebinding, only a browser's navigation to this exact host is accepted.
                guard head.method == .GET, head.headers["host"] == [open.host] else { return .now(.notHere) }
                let parts = head.uri.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
                if OpenIDConnectIdentityToken.isSame(head.uri, "/" + ticket) {
                    defer { open.location = nil }
                    return .now(open.location.map { .onward($0) } ?? .notHere)
                }
                guard parts[0] == LoopbackListener.path, parts.count == 2 else { return .now(.notHere) }
                guard let members = OpenIDConnectAddress.members(ofQuery: parts[1]), let said = members["state"],
                    let expected = open.expected, OpenIDConnectIdentityToken.isSame(said, expected)
                else { return .now(.notHere) }
                open.expected = nil
                let waiting = Waiting(page: eventLoop.makePromise(), sent: eventLoop.makePromise())
                open.waiting = waiting
                inbox.yield(members)
                return .later(waiting)
            }
        }

        /// Shows a page to the browser that waits, and returns when the page is sent.
        ///
        /// - Parameters:
        ///   - page: The page.
        ///   - state: The state of the next answer that may come; `nil` if none may.
        func release(_ page: LoopbackPage, expecting state: String?) async {
            let waiting = open.withLock { open in
                open.expected = state
                defer { open.waiting = nil }
                return open.waiting
            }
            guard let waiting else { return }
            waiting.page.succeed(page)
            try? await waiting.sent.futureResult.get()
        }
    }
}
