import HTTPTypes
import Hummingbird
import WardText

/// A refusal in the words of OAuth 2.0: `error` and `error_description`.
struct OAuthError: Error, Hashable, Sendable {
    /// The `error`.
    let code: String
    /// One sentence for the developer of the client, without secrets and without anything that the client sent.
    let description: String
    /// The status where the client itself gets the answer.
    let status: HTTPResponse.Status
    /// When the client may try again, in seconds.
    var retryAfter: Int64?

    init(_ code: String, _ description: String, status: HTTPResponse.Status = .badRequest, retryAfter: Int64? = nil) {
        self.code = code
        self.description = description
        self.status = status
        self.retryAfter = retryAfter
    }

    /// The client sent something that does not have the form that the endpoint expects.
    static func invalidRequest(_ description: String) -> Self { Self("invalid_request", description) }
    /// The code or refresh token is not valid; all reasons look the same to a stranger.
    static func invalidGrant(_ description: String) -> Self { Self("invalid_grant", description) }

    /// The answer to a client: RFC 6749, [section 5.2](https://www.rfc-editor.org/rfc/rfc6749#section-5.2).
    var response: Response {
        let body: JSONValue = ["error": .string(code), "error_description": .string(description)]
        var response = Response.json(body.serialized, status: status)
        if status == .unauthorized { response.headers[.wwwAuthenticate] = "Basic realm=\"clients\", charset=\"UTF-8\"" }
        if let retryAfter { response.headers[.retryAfter] = String(retryAfter) }
        return response
    }
}

extension OAuthError {
    /// The same refusal in these words.
    init(_ error: APIError) {
        let code = error.code.status.code < 500 ? "invalid_request" : "temporarily_unavailable"
        self.init(code, error.message, status: error.code.status, retryAfter: error.retryAfter)
    }
}
