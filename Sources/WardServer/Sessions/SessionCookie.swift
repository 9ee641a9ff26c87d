import HTTPTypes
package import Hummingbird
package import WardAccounts

/// The cookie that carries a session's token.
///
/// Over https it is `__Host-ward`: bound to the host, to the whole site and to secure connections by its prefix
/// (RFC 6265bis, [§4.1.3.2](https://datatracker.ietf.org/doc/html/draft-ietf-httpbis-rfc6265bis#section-4.1.3.2)), so
/// that a neighbouring host cannot plant one. `http://localhost`, where not every browser knows such cookies, gets `ward`.
package struct SessionCookie: Sendable {
    /// The cookie's name.
    package let name: String
    private let isSecure: Bool
    private let lifetime: Int64

    /// - Parameters:
    ///   - isSecure: Whether every page of the service is served over https.
    ///   - lifetime: How long the browser keeps it, in seconds; the session itself may end earlier.
    package init(isSecure: Bool, lifetime: Int64) {
        self.isSecure = isSecure
        self.lifetime = lifetime
        name = isSecure ? "__Host-ward" : "ward"
    }

    /// The `Set-Cookie` value that begins a session.
    package func setting(_ token: SessionToken) -> String {
        "\(name)=\(token.text); Max-Age=\(lifetime)\(attributes)"
    }

    /// The `Set-Cookie` value that makes the browser forget it.
    package var clearing: String { "\(name)=; Max-Age=0\(attributes)" }

    /// The token a request brought, or `nil` when there is none or it cannot be one.
    package func token(in request: Request) -> SessionToken? {
        request.cookie(named: name).flatMap { SessionToken(text: $0) }
    }

    private var attributes: String { "; Path=/; HttpOnly; SameSite=Lax" + (isSecure ? "; Secure" : "") }
}

extension Request {
    /// The first cookie of a name: the one the browser thinks most specific (RFC 6265, section 5.4).
    func cookie(named name: String) -> String? {
        for field in headers[values: .cookie] {
            for pair in field.split(separator: ";") {
                let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                if parts.count == 2, parts[0].trimmingSpace() == name { return String(parts[1].trimmingSpace()) }
            }
        }
        return nil
    }
}
