import Hummingbird
import WardAccounts
import WardWebAuthn

/// The cookie of the service at an app's host.
///
/// Before a sign-in it has a secret that binds the sign-in to this browser, afterwards the token of the session there. It
/// is one cookie, so that a proxy has one to remove before the app sees the request. The session's cookie at the
/// service's own host is another one, and is never sent here.
struct AppCookie: Sendable {
    /// What a request brings.
    enum Content {
        /// The secret of a sign-in that has begun.
        case beginning(SessionToken)
        /// The token of a session.
        case session(SessionToken)
    }

    /// How long a sign-in may take, in seconds.
    private static let patience: Int64 = 3_600
    private static let mark = "begin."

    let name: String
    private let attributes: String

    /// - Parameter app: The app; over https the cookie is bound to its host by its name.
    init(of app: WebOrigin) {
        let isSecure = app.scheme == .https
        name = isSecure ? "__Host-ward-app" : "ward-app"
        attributes = "; Path=/; HttpOnly; SameSite=Lax" + (isSecure ? "; Secure" : "")
    }

    /// What a request brings, or `nil` for nothing that can be of this service.
    func content(of request: Request) -> Content? {
        guard let value = request.cookie(named: name) else { return nil }
        if value.hasPrefix(Self.mark) {
            return SessionToken(text: String(value.dropFirst(Self.mark.count))).map { .beginning($0) }
        }
        return SessionToken(text: value).map { .session($0) }
    }

    /// The `Set-Cookie` value that begins a sign-in.
    func beginning(_ secret: SessionToken) -> String {
        "\(name)=\(Self.mark)\(secret.text); Max-Age=\(Self.patience)\(attributes)"
    }

    /// The `Set-Cookie` value that begins a session.
    ///
    /// - Parameters:
    ///   - token: The session's token.
    ///   - lifetime: How long the browser keeps the cookie, in seconds.
    /// - Returns: The value.
    func session(_ token: SessionToken, lifetime: Int64) -> String {
        "\(name)=\(token.text); Max-Age=\(lifetime)\(attributes)"
    }

    /// The `Set-Cookie` value that deletes the cookie.
    var clearing: String { "\(name)=; Max-Age=0\(attributes)" }
}
