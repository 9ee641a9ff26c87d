package import Hummingbird
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

    /// Bodies are read by `Request.bytes(upTo:)`, which has limits of its own.
    package var maxUploadSize: Int { SyncLimits.uploadBytes }
}
