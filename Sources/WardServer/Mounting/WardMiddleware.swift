import Hummingbird
import Logging

/// Answers requests for the service's paths, and passes all others on.
struct WardMiddleware<Context: RemoteAddressRequestContext>: RouterMiddleware {
    let edge: Edge

    func handle(
        _ request: Request,
        context: Context,
        next: @concurrent (Request, Context) async throws -> Response
    ) async throws -> Response {
        guard edge.serves(request.uri.path) else { return try await next(request, context) }
        let own = WardRequestContext(peer: context.remoteAddress, logger: context.logger)
        return try await edge.respond(to: request, context: own)
    }
}
