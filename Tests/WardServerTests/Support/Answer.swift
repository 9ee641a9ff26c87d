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
    /// The stable code of a refusal.
    var code: String? { json["error"]?["code"]?.stringValue }
    /// Status and code in one, for short expectations: `403 origin_not_allowed`.
    var refusal: String { "\(status.code) \(code ?? "")" }

    /// A member by its path.
    subscript(_ path: String...) -> JSONValue? {
        path.reduce(json as JSONValue?) { $0?[$1] }
    }
}
