import Hummingbird
import WardAccounts
import WardWebAuthn

/// The cookie of the service at an app's host.
///
/// Before a sign-in, the cookie has a secret that binds the sign-in to this browser; afterwards it has the token of the session
/// at the app. It is only one cookie, so that a proxy has to remove only one before the app gets the request. The session's
/// cookie at the service's own host is a different one, and browsers never send it here.
struct AppCookie: Sendable {
    /// What a request brings.
    enum Content {
        /// The secret of a sign-in that was started.
        case beginning(SessionToken)
        /// The token of a session.
        case session(SessionToken)
    }

    /// The time limit for a sign-in, in seconds.
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

    /// The value in a request, or `nil` if the service cannot have set it.
    func content(of request: Request) -> Content? {
        guard let value = request.cookie(named: name) else { return nil }
        if value.hasPrefix(Self.mark) {
            return SessionToken(text: String(value.dropFirst(Self.mark.count))).map { .beginning($0) }
        }
        return SessionToken(text: value).map { .session($0) }
    }

    /// The `Set-Cookie` value that starts a sign-in.
    func beginning(_ secret: SessionToken) -> String {
        "\(name)=\(Self.mark)\(secret.text); Max-Age=\(Self.patience)\(attributes)"
    }

    /// The `Set-Cookie` value that starts a session.
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
