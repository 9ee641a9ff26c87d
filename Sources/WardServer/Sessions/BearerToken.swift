import HTTPTypes
import Hummingbird
import WardAccounts
import WardText

/// Clients that are not pages of the service. They store the session's token themselves and send it as a bearer token ([RFC
/// 6750](https://www.rfc-editor.org/rfc/rfc6750#section-2.1)).
///
/// Such a client sends `Authorization: Bearer`, or `Ward-Session: token` while it has no token. Then cookies are ignored, and
/// answers set none. Browsers do not add these fields by themselves, and a page of another origin may add them only if CORS
/// allows it. So no page can make a browser send such a request in a person's name, and the request needs no `Origin`.
extension Request {
    /// Whether the client stores the token itself.
    var usesBearerToken: Bool {
        bearerText != nil || headers[.wardSession]?.lowercased() == "token"
    }

    /// The token that the client sent, or `nil` if it is missing or malformed.
    var bearerToken: SessionToken? { bearerText.flatMap { SessionToken(text: $0) } }

    /// The text of the bearer token, or `nil` if there is none.
    var bearerText: String? {
        guard let value = headers.only(.authorization) else { return nil }
        let parts = value.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].lowercased() == "bearer" else { return nil }
        return String(parts[1])
    }
}

extension Deployment {
    /// The token of a request: the bearer token of a client that stores it itself, or the token in the cookie.
    func sessionToken(in request: Request) -> SessionToken? {
        request.usesBearerToken ? request.bearerToken : cookie.token(in: request)
    }

    /// The answer that starts a session: with a cookie, or with `token` in the body.
    func signedIn(
        _ body: JSONValue,
        to account: AccountID,
        _ session: NewSession,
        _ request: Request,
        status: HTTPResponse.Status = .ok
    ) -> Response {
        guard request.usesBearerToken else {
            return signedIn(.json(body.serialized, status: status), to: account, session, request)
        }
        let token = JSONValue.Member("token", .string(session.token.text))
        return .json(JSONValue.object((body.objectValue ?? []) + [token]).serialized, status: status)
    }

    /// The answer after the session has ended.
    ///
    /// A browser also deletes its cookies. If the session was bound, the browser asks once more for a cookie, and is told to forget
    /// the key.
    func signedOut(_ request: Request) -> Response {
        let response = Response(status: .noContent)
        guard !request.usesBearerToken else { return response }
        let isBound = request.cookie(named: devices.cookieName) != nil
        let cleared = response.setting(cookie.clearing)
        return isBound ? cleared.setting(devices.clearing) : cleared
    }
}

extension HTTPField.Name {
    /// `Ward-Session`.
    ///
    /// The name is valid, so the fallback is never used.
    fileprivate static let wardSession = known("Ward-Session")
}
