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
        for field in request.headers[values: .cookie] {
            for pair in field.split(separator: ";") {
                let pair = pair.trimmingSpace()
                guard pair.utf8.count > name.utf8.count, pair.hasPrefix(name) else { continue }
                let rest = pair.dropFirst(name.count)
                guard rest.first == "=" else { continue }
                return SessionToken(text: String(rest.dropFirst()))
            }
        }
        return nil
    }

    private var attributes: String { "; Path=/; HttpOnly; SameSite=Lax" + (isSecure ? "; Secure" : "") }
}
