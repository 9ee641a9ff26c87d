package import Hummingbird
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

    package var maxUploadSize: Int { ConnectionLimits.standard.bodyBytes }
}

/// The type of router that all routes are added to.
package typealias WardRouter = Router<WardRequestContext>
