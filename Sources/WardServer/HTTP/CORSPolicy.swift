import HTTPTypes
import Hummingbird
import WardWebAuthn

/// The pages of other origins that may read answers (Fetch, [CORS
/// protocol](https://fetch.spec.whatwg.org/#http-cors-protocol)).
///
/// These pages get no cookies: `Access-Control-Allow-Credentials` is never sent. They use a bearer token.
struct CORSPolicy: Sendable {
    /// The origins whose pages may call the API, in the form that browsers write.
    let origins: Set<String>
    /// Whether pages of an origin may call the endpoints of OpenID Connect that clients use.
    var isClient: @Sendable (_ origin: String) async throws -> Bool = { _ in false }

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

    /// What pages of other origins may do at an address.
    struct Access: Sendable {
        /// The value of `Access-Control-Allow-Origin`; `nil` if the page may do nothing.
        let origin: String?
        let methods: String
        let requestHeaders: String
        let exposed: String

        fileprivate init(_ origin: String?, _ methods: String, _ requestHeaders: String, exposed: String = "") {
            self.origin = origin
            self.methods = methods
            self.requestHeaders = requestHeaders
            self.exposed = exposed.isEmpty ? Self.exposed : "\(Self.exposed), \(exposed)"
        }

        private static let exposed = "Retry-After, X-Request-ID"

        /// The answer to a browser's preflight request; `nil` for any other request.
        func preflight(_ request: Request) -> Response? {
            guard request.method == .options, origin != nil, request.headers.only(.origin) != nil else { return nil }
            return Response(
                status: .noContent,
                headers: [
                    .accessControlAllowMethods: methods, .accessControlAllowHeaders: requestHeaders,
                    .accessControlMaxAge: "600",
                ]
            )
        }

        /// Lets an allowed page read the answer.
        func apply(to headers: inout HTTPFields) {
            if origin != "*" {
                // The answer depends on the origin of the request, also for origins that are not allowed.
                headers[.vary] = headers[.vary].map { "\($0), Origin" } ?? "Origin"
            }
            guard let origin else { return }
            headers[.accessControlAllowOrigin] = origin
            headers[.accessControlExposeHeaders] = exposed
        }
    }

    /// What the page that sent a request may do; `nil` at an address that is for no other origin.
    func access(_ request: Request) async -> Access? {
        let path = request.uri.path
        let origin = request.headers.only(.origin)
        if path.hasPrefix("/api/"), !origins.isEmpty {
            return Access(
                origin.flatMap { origins.contains($0) ? $0 : nil },
                "GET, POST, PUT, PATCH, DELETE",
                "Authorization, Content-Type, Ward-Session"
            )
        }
        // Everybody may read these.
        if Self.documents.contains(path) { return Access("*", "GET", "Content-Type") }
        guard Self.endpoints.contains(path) else { return nil }
        var known: String?
        // If the store fails, the request fails for the same reason.
        if let origin, (try? await isClient(origin)) == true { known = origin }
        return Access(known, "GET, POST", "Authorization, Content-Type", exposed: "WWW-Authenticate")
    }

    private static let documents: Set = [
        "/.well-known/openid-configuration", "/.well-known/oauth-authorization-server", "/oidc/jwks",
    ]
    /// What a client calls itself.
    ///
    /// People go to the other endpoints, and only services introspect tokens.
    private static let endpoints: Set = [
        "/oidc/token", "/oidc/userinfo", "/oidc/revoke", "/oidc/device_authorization",
    ]
}
