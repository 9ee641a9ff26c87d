package import Hummingbird
import Logging
package import NIOCore

/// The framework's data for one request.
///
/// It does not contain the signed-in account. Each handler reads the session inside its own transaction, so a session that ends
/// in the meantime is not used.
package struct WardRequestContext: RequestContext {
    package var coreContext: CoreRequestContextStorage
    /// The address at the other end of the connection.
    package let peer: SocketAddress?

    package init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        peer = source.channel.remoteAddress
    }

    /// The context of a request that an application of somebody else received.
    init(peer: SocketAddress?, logger: Logger) {
        coreContext = CoreRequestContextStorage(source: Received(logger: logger))
        self.peer = peer
    }

    private struct Received: RequestContextSource {
        let logger: Logger
    }

    package var maxUploadSize: Int { ConnectionLimits.standard.bodyBytes }
}

/// The type of router that all routes are added to.
package typealias WardRouter = Router<WardRequestContext>
