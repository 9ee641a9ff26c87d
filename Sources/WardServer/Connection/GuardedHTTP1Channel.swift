import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1

/// Hummingbird's HTTP/1 channel with a ``ConnectionGuard`` behind its decoder.
struct GuardedHTTP1Channel: ServerChildChannel {
    private let base: HTTP1Channel
    private let limits: ConnectionLimits
    private let shares: ConnectionShares

    init(limits: ConnectionLimits, shares: ConnectionShares, responder: @escaping HTTPChannelHandler.Responder) {
        self.limits = limits
        self.shares = shares
        base = HTTP1Channel(
            responder: responder,
            configuration: HTTP1Channel.Configuration(
                httpDecoderConfiguration: .init(
                    maxHeaderFieldSize: limits.headBytes,
                    maxHeaderListSize: limits.headBytes,
                    maxHeaderFieldCount: limits.headerFields
                )
            )
        )
    }

    /// Serves one responder as a Hummingbird application does, with a `Date` in each answer.
    init<Responder: HTTPResponder>(
        serving responder: Responder,
        limits: ConnectionLimits,
        shares: ConnectionShares,
        logger: Logger
    ) where Responder.Context: InitializableFromSource<ApplicationRequestContextSource> {
        let date = HTTPDate()
        self.init(limits: limits, shares: shares) { request, writer, channel in
            var logger = logger
            logger[metadataKey: "hb.request.id"] = .stringConvertible(RequestID())
            let context = Responder.Context(source: ApplicationRequestContextSource(channel: channel, logger: logger))
            var response: Response
            do {
                response = try await responder.respond(to: request, context: context)
            } catch let error as HTTPParserError {
                throw error
            } catch {
                response = Response(status: .internalServerError)
            }
            response.headers[.date] = date.text(at: Int64(Date().timeIntervalSince1970))
            do {
                try await writer.write(response: response.head, body: response.body)
            } catch is HTTPParserError {
                // The parser's own error would be answered, and this request has an answer.
                throw ChannelError.ioOnClosedChannel
            }
        }
    }

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<HTTP1Channel.Value> {
        base.setup(channel: channel, logger: logger).flatMapThrowing { value in
            let pipeline = channel.pipeline.syncOperations
            let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
            try pipeline.addHandler(ConnectionGuard(limits: limits, shares: shares), position: .after(decoder))
            return value
        }
    }

    func handle(value: HTTP1Channel.Value, logger: Logger) async {
        await base.handle(value: value, logger: logger)
    }
}
