import HTTPTypes
package import Hummingbird
package import WardAccounts

/// The cookie with a session's token.
///
/// Over https its name is `__Host-ward`: the prefix binds the cookie to the host, to the whole site and to secure
/// connections (RFC 6265bis,
/// [§4.1.3.2](https://datatracker.ietf.org/doc/html/draft-ietf-httpbis-rfc6265bis#section-4.1.3.2)), so another host of
/// the domain cannot set it. On `http://localhost`, where not every browser accepts such cookies, the name is `ward`.
package struct SessionCookie: Sendable {
    /// The cookie's name.
    package let name: String
    let isSecure: Bool
    private let lifetime: Int64

    /// - Parameters:
    ///   - isSecure: Whether every page of the service is served over https.
    ///   - lifetime: How long the browser keeps the cookie, in seconds; the session can end earlier.
    package init(isSecure: Bool, lifetime: Int64) {
        self.isSecure = isSecure
        self.lifetime = lifetime
        name = isSecure ? "__Host-ward" : "ward"
    }

    /// The `Set-Cookie` value that begins a session.
    package func setting(_ token: SessionToken) -> String {
        "\(name)=\(token.text); Max-Age=\(lifetime)\(attributes)"
    }

    /// The `Set-Cookie` value that deletes the cookie.
    package var clearing: String { "\(name)=; Max-Age=0\(attributes)" }

    /// The token of a request, or `nil` if it is missing or malformed.
    package func token(in request: Request) -> SessionToken? {
        request.cookie(named: name).flatMap { SessionToken(text: $0) }
    }

    /// The attributes that both cookies have in common.
    var attributes: String { "; Path=/; HttpOnly; SameSite=Lax" + (isSecure ? "; Secure" : "") }
}

extension Request {
    /// The first cookie with a name, which the browser considers the most specific (RFC 6265, section 5.4).
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
