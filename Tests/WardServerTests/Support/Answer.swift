import HTTPTypes
import HummingbirdTesting
import NIOCore
import WardText

/// What the service answered.
struct Answer: Sendable {
    let status: HTTPResponse.Status
    let headers: HTTPFields
    let body: [UInt8]

    init(_ response: TestResponse) {
        status = response.status
        headers = response.headers
        body = Array(response.body.readableBytesView)
    }

    var text: String { String(decoding: body, as: UTF8.self) }
    /// The body as JSON; `null` if it is not JSON.
    var json: JSONValue { (try? JSONValue(body)) ?? .null }
    /// The stable code of a refusal; `nil` unless it is a problem document with every member that is promised.
    var code: String? {
        guard headers[.contentType] == "application/problem+json", json["type"] == "about:blank",
            json["title"]?.stringValue == status.reasonPhrase, json["status"] == .integer(Int64(status.code)),
            json["detail"]?.stringValue?.isEmpty == false,
            (status == .unauthorized) == (headers[.wwwAuthenticate] == "Bearer")
        else { return nil }
        return json["code"]?.stringValue
    }
    /// Status and code in one, for short expectations: `403 origin_not_allowed`.
    var refusal: String { "\(status.code) \(code ?? "")" }

    /// A member by its path.
    subscript(_ path: String...) -> JSONValue? {
        path.reduce(json as JSONValue?) { $0?[$1] }
    }
}
