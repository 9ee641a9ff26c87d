import HTTPTypes
import Hummingbird
import WardWebAuthn

/// The pages of other origins that may read answers of the API (Fetch, [CORS
/// protocol](https://fetch.spec.whatwg.org/#http-cors-protocol)).
///
/// These pages get no cookies: `Access-Control-Allow-Credentials` is never sent. They use a bearer token.
struct CORSPolicy: Sendable {
    /// The origins in the form that browsers write.
    let origins: Set<String>

    /// Checks the setting.
    ///
    /// - Throws: ``ServerConfigurationError`` that says which origin cannot be used.
    init(_ texts: [String]) throws(ServerConfigurationError) {
        var origins: Set<String> = []
        for text in texts {
            do { origins.insert(try WebOrigin(text).description) } catch {
                throw ServerConfigurationError("\"\(text)\" is not the origin of a page: \(error)")
            }
        }
        self.origins = origins
    }

    /// The answer to a browser's preflight request; `nil` for any other request.
    func preflight(_ request: Request) -> Response? {
        guard request.method == .options, isAllowed(request) else { return nil }
        return Response(
            status: .noContent,
            headers: [
                .accessControlAllowMethods: "GET, POST, PUT, PATCH, DELETE",
                .accessControlAllowHeaders: "Authorization, Content-Type, Ward-Session", .accessControlMaxAge: "600",
            ]
        )
    }

    /// Lets an allowed page read the answer.
    func apply(to headers: inout HTTPFields, of request: Request) {
        guard !origins.isEmpty, request.uri.path.hasPrefix("/api/") else { return }
        // The answer depends on the origin of the request, also for origins that are not allowed.
        headers[.vary] = headers[.vary].map { "\($0), Origin" } ?? "Origin"
        guard isAllowed(request), let origin = request.headers.only(.origin) else { return }
        headers[.accessControlAllowOrigin] = origin
        headers[.accessControlExposeHeaders] = "Retry-After, X-Request-ID"
    }

    private func isAllowed(_ request: Request) -> Bool {
        request.uri.path.hasPrefix("/api/") && request.headers.only(.origin).map(origins.contains) == true
    }
}
