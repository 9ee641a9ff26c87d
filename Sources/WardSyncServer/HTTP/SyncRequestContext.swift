package import Hummingbird
package import Logging
package import NIOCore

/// The framework's data for one request.
package struct SyncRequestContext: RequestContext {
    package var coreContext: CoreRequestContextStorage
    /// The address at the other end of the connection.
    package let peer: SocketAddress?

    package init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        peer = source.channel.remoteAddress
    }

    /// The context of a request that came over no connection.
    package init(peer: SocketAddress?, logger: Logger) {
        coreContext = CoreRequestContextStorage(source: Received(logger: logger))
        self.peer = peer
    }

    private struct Received: RequestContextSource {
        let logger: Logger
    }

    /// Bodies are read by `Request.bytes(upTo:)`, which has limits of its own.
    package var maxUploadSize: Int { SyncLimits.uploadBytes }
}
