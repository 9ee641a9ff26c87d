import HTTPTypes
package import Hummingbird
import NIOCore
import WardText

/// An error as a problem document ([RFC 9457](https://www.rfc-editor.org/rfc/rfc9457)).
///
/// `code` is the stable code, `detail` the sentence, and `pointer` the member of the body that is at fault, if it is one.
extension APIError {
    /// The media type of ``document``.
    static let mediaType = "application/problem+json"

    /// The problem document.
    package var document: [UInt8] {
        var members: [JSONValue.Member] = [
            .init("type", "about:blank"), .init("title", .string(code.status.reasonPhrase)),
            .init("status", .integer(Int64(code.status.code))),
            .init("detail", .string(message)), .init("code", .string(code.name)),
        ]
        if let pointer { members.append(.init("pointer", .string(pointer))) }
        return JSONValue.object(members).serialized
    }

    /// The response of the API.
    package var response: Response {
        var response = Response(
            status: code.status,
            headers: [.contentType: Self.mediaType],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: document))
        )
        // RFC 9110, section 10.2.3.
        if let retryAfter { response.headers[.retryAfter] = String(retryAfter) }
        response.headers[.wwwAuthenticate] = challenge
        return response
    }

    /// RFC 9110, section 11.6.1, and RFC 6750, section 3.
    ///
    /// Sessions and tokens are bearer tokens. Browsers show no prompt for them.
    private var challenge: String? {
        if code == .insufficientScope { return "Bearer error=\"insufficient_scope\"" }
        return code.status == .unauthorized ? "Bearer" : nil
    }
}
