package import Hummingbird

/// The framework's data for one request.
///
/// It does not contain the signed-in account. Each handler reads the session inside its own transaction, so a session
/// that ends meanwhile never counts.
package struct WardRequestContext: RequestContext {
    package var coreContext: CoreRequestContextStorage

    package init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
    }

    package var maxUploadSize: Int { ConnectionLimits.standard.bodyBytes }
}

/// The type of router that all routes are added to.
package typealias WardRouter = Router<WardRequestContext>
