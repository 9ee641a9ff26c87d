internal import NIOCore
internal import NIOHTTP1

/// Answers one request of a browser, and closes the connection.
final class LoopbackHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let exchange: LoopbackListener.Exchange
    private var limit: Scheduled<Void>?
    private var hasAsked = false

    init(_ exchange: LoopbackListener.Exchange) { self.exchange = exchange }

    func channelActive(context: ChannelHandlerContext) {
        // A browser sends its request at once. Connections without a request are closed.
        limit = Self.close(context.channel)
        context.fireChannelActive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .head(let request) = unwrapInboundIn(data), !hasAsked else { return }
        hasAsked = true
        let channel = context.channel
        switch exchange.reply(to: request, on: context.eventLoop) {
        case .now(let page): Self.send(page, to: channel, context.eventLoop.makePromise())
        case .later(let waiting):
            // The listener completes each answer before it closes.
            limit?.cancel()
            waiting.page.futureResult.whenSuccess { page in
                _ = Self.close(channel)
                Self.send(page, to: channel, waiting.sent)
            }
        }
    }

    private static func close(_ channel: any Channel) -> Scheduled<Void> {
        channel.eventLoop.scheduleTask(in: .seconds(30)) { channel.close(promise: nil) }
    }

    private static func send(_ page: LoopbackPage, to channel: any Channel, _ sent: EventLoopPromise<Void>) {
        var head = HTTPResponseHead(version: .http1_1, status: page.status)
        let body = ByteBuffer(string: page.html)
        for (name, value) in page.headers { head.headers.add(name: name, value: value) }
        head.headers.add(name: "content-length", value: String(body.readableBytes))
        channel.write(HTTPServerResponsePart.head(head), promise: nil)
        channel.write(HTTPServerResponsePart.body(.byteBuffer(body)), promise: nil)
        sent.futureResult.whenComplete { _ in channel.close(promise: nil) }
        channel.writeAndFlush(HTTPServerResponsePart.end(nil), promise: sent)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}

/// A page for the browser.
///
/// It contains nothing from the request.
enum LoopbackPage {
    case onward(String)
    case done
    case failed
    case notHere

    var status: HTTPResponseStatus {
        switch self {
        case .onward: .seeOther
        case .done, .failed: .ok
        case .notHere: .notFound
        }
    }

    var headers: [(String, String)] {
        var headers = [
            ("content-type", "text/html; charset=utf-8"), ("cache-control", "no-store"), ("connection", "close"),
            ("referrer-policy", "no-referrer"), ("x-content-type-options", "nosniff"),
            ("content-security-policy", "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"),
        ]
        if case .onward(let location) = self { headers.append(("location", location)) }
        return headers
    }

    var html: String {
        let (title, text) =
            switch self {
            case .onward: ("One moment", "On to the sign-in.")
            case .done: ("Signed in", "You can close this page and go back to the app.")
            case .failed: ("Not signed in", "You can close this page; the app says what to do.")
            case .notHere: ("Nothing here", "This page was meant for one sign-in, which is over.")
            }
        return """
            <!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">\
            <meta name="color-scheme" content="light dark"><title>\(title)</title>\
            <style>body{font:1.1rem/1.5 system-ui,sans-serif;max-width:32rem;margin:20vh auto;padding:0 1rem}</style>\
            <h1>\(title)</h1><p>\(text)</p></html>
            """
    }
}
