internal import Foundation
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import Synchronization

/// Waits on this machine's loopback address for the browser to come back from the issuer.
///
/// [RFC 8252, section 7.3](https://www.rfc-editor.org/rfc/rfc8252#section-7.3): a port of the system's choosing on 127.0.0.1, open for one
/// sign-in. The browser is first sent to a page of this listener, which leads on to the issuer: what the issuer is asked, the
/// state among it, is then in no argument of a program, which everybody on the machine can read.
final class LoopbackListener: Sendable {
    /// The most requests that are answered at all.
    static var maximumRequests: Int { 64 }
    /// Where the issuer sends the browser back to.
    static var path: String { "/ward/signed-in" }

    private let channel: any Channel
    private let port: Int
    private let desk: Desk

    /// What the browser brought back.
    typealias Members = [String: String]

    private init(channel: any Channel, port: Int, desk: Desk) {
        self.channel = channel
        self.port = port
        self.desk = desk
    }

    /// The address that the issuer redirects to.
    var redirectURI: String { "http://127.0.0.1:\(port)\(Self.path)" }
    /// The address that the browser is to open: it leads to the issuer, once.
    var startURL: String { "http://127.0.0.1:\(port)/\(desk.ticket)" }

    /// Listens.
    ///
    /// - Parameters:
    ///   - ticket: The name of the first page, which nobody can guess.
    ///   - state: What an answer must name; others are turned away and change nothing.
    /// - Returns: The listener, which has its port.
    /// - Throws: ``ASAuthorizationError`` with `failed` when no port is to be had.
    static func open(ticket: String, state: String) async throws(ASAuthorizationError) -> LoopbackListener {
        let desk = Desk(ticket: ticket, state: state)
        do {
            let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .serverChannelOption(.backlog, value: 8)
                .childChannelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.configureHTTPServerPipeline(withPipeliningAssistance: false)
                        try channel.pipeline.syncOperations.addHandler(LoopbackHandler(desk))
                    }
                }
                .bind(host: "127.0.0.1", port: 0)
                .get()
            // Read now: a closed channel has no address any more.
            let port = channel.localAddress?.port ?? 0
            desk.listens(at: port)
            return LoopbackListener(channel: channel, port: port, desk: desk)
        } catch {
            throw .unreachable("no port of this machine could be opened for the answer of the issuer")
        }
    }

    /// Says where the first page leads; before this is called, nothing is found there.
    func leads(to location: String) { desk.leads(to: location) }

    /// Waits for the browser.
    ///
    /// - Returns: The members of the answer's query, its state compared.
    /// - Throws: `CancellationError` once the task is cancelled.
    func answer() async throws -> Members {
        for await members in desk.answers { return members }
        throw CancellationError()
    }

    /// Stops listening; answers that are being sent are sent.
    func close() async { try? await channel.close() }

    /// What the connections share.
    final class Desk: Sendable {
        let ticket: String
        private let state: String
        let answers: AsyncStream<Members>
        private let inbox: AsyncStream<Members>.Continuation
        private let open = Mutex(Open())

        private struct Open {
            var host = ""
            var location: String?
            var isAnswered = false
            var requests = 0
        }

        init(ticket: String, state: String) {
            self.ticket = ticket
            self.state = state
            (answers, inbox) = AsyncStream.makeStream(of: Members.self, bufferingPolicy: .bufferingOldest(1))
        }

        func listens(at port: Int) { open.withLock { $0.host = "127.0.0.1:\(port)" } }
        func leads(to location: String) { open.withLock { $0.location = location } }

        /// What a request is answered.
        func reply(to head: HTTPRequestHead) -> LoopbackPage {
            open.withLock { open in
                open.requests += 1
                guard open.requests <= LoopbackListener.maximumRequests else { return .notHere }
                // Nobody else's name leads here (DNS rebinding), and nothing but a browser's navigation is meant.
                guard head.method == .GET, head.headers["host"] == [open.host] else { return .notHere }
                let parts = head.uri.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
                if OpenIDConnectIdentityToken.isSame(head.uri, "/" + ticket) {
                    defer { open.location = nil }
                    return open.location.map { .onward($0) } ?? .notHere
                }
                guard parts[0] == LoopbackListener.path, parts.count == 2 else { return .notHere }
                guard let members = OpenIDConnectAddress.members(ofQuery: parts[1]), let said = members["state"],
                    OpenIDConnectIdentityToken.isSame(said, state), !open.isAnswered
                else { return .notHere }
                open.isAnswered = true
                inbox.yield(members)
                inbox.finish()
                return members["error"] == nil ? .done : .failed
            }
        }
    }
}
