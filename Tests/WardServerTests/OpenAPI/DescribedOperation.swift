import HTTPTypes
import Testing
import WardServer
import WardText

/// An operation of an OpenAPI document.
struct DescribedOperation: Sendable {
    /// The documents are our own files, and larger than what strangers may send.
    static let limits = JSONLimits(depth: 32, items: 65_536)

    let path: String
    let method: HTTPRequest.Method
    let value: JSONValue

    /// The operation in one text: `POST /api/v1/sign-out`.
    var call: String { "\(method.rawValue) \(path)" }
    /// The statuses that it lists.
    var statuses: Set<String> { Set((value["responses"]?.objectValue ?? []).map(\.name)) }
    /// The examples of its body; one `nil` if it has none.
    var examples: [JSONValue?] {
        let content = value["requestBody"]?["content"]?["application/json"]
        let examples = content?["examples"]?.objectValue ?? []
        return examples.isEmpty ? [nil] : examples.map { $0.value["value"] }
    }

    static func document(_ name: String) throws -> JSONValue {
        try JSONValue(OpenAPIDescription(name).json, limits: limits)
    }

    /// All operations of a document.
    static func all(of name: String) throws -> [Self] {
        let methods = ["get", "put", "post", "delete", "options", "head", "patch", "trace"]
        var found: [Self] = []
        for path in try document(name)["paths"]?.objectValue ?? [] {
            for entry in path.value.objectValue ?? [] where methods.contains(entry.name) {
                let method = try #require(HTTPRequest.Method(entry.name.uppercased()))
                found.append(Self(path: path.name, method: method, value: entry.value))
            }
        }
        return found
    }
}
