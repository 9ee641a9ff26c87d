import HTTPTypes
import Hummingbird
import WardWebAuthn

/// Which pages of other origins may read answers of the API
/// (Fetch, [CORS protocol](https://fetch.spec.whatwg.org/#http-cors-protocol)).
///
/// They get no cookies: `Access-Control-Allow-Credentials` is never sent, so they keep a bearer token.
struct CORSPolicy: Sendable {
    /// The origins as browsers write them.
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

    /// The answer to a browser that asks what a page may do; `nil` for any other request.
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
        // The answer depends on who asks, also for those who are not allowed.
        headers[.vary] = headers[.vary].map { "\($0), Origin" } ?? "Origin"
        guard isAllowed(request), let origin = request.headers.only(.origin) else { return }
        headers[.accessControlAllowOrigin] = origin
        headers[.accessControlExposeHeaders] = "Retry-After, X-Request-ID"
    }

    private func isAllowed(_ request: Request) -> Bool {
        request.uri.path.hasPrefix("/api/") && request.headers.only(.origin).map(origins.contains) == true
    }
}
