package import Hummingbird

/// What a request carries from the edge to its handler: nothing but what the framework needs.
///
/// Who is signed in is no part of it on purpose: a handler resolves the session inside the transaction it works in,
/// so that a session that ends meanwhile is never believed.
package struct WardRequestContext: RequestContext {
    package var coreContext: CoreRequestContextStorage

    package init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
    }

    package var maxUploadSize: Int { ConnectionLimits.standard.bodyBytes }
}

/// The router all routes are added to.
package typealias WardRouter = Router<WardRequestContext>
