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
