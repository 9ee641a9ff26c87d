internal import Foundation

/// The message format: JSON-RPC 2.0, one message per line, UTF-8.
///
/// [JSON-RPC 2.0](https://www.jsonrpc.org/specification). Batches of requests are refused. The first request on a connection is
/// ``Hello``.
package enum Envelope {
    /// The maximum length of a line, in bytes: enough for the largest item in base64 and the rest of its message.
    package static let maximumLength = 4 << 20
    /// The maximum length of a line that a client accepts: enough for a list of a million items.
    package static let maximumAnswerLength = 512 << 20

    /// The ID of a request: a number or a string.
    ///
    /// The answer repeats it.
    package enum ID: Codable, Hashable, Sendable {
        case number(Int)
        case text(String)

        package init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let number = try? container.decode(Int.self) {
                self = .number(number)
            } else {
                self = .text(try container.decode(String.self))
            }
        }

        package func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            switch self {
            case .number(let number): try container.encode(number)
            case .text(let text): try container.encode(text)
            }
        }
    }

    /// A request whose method is not known yet.
    package struct Head: Decodable {
        package let jsonrpc: String
        package let id: ID?
        package let method: String
    }

    package struct Request<Parameters: Encodable>: Encodable {
        let jsonrpc = "2.0"
        let id: Int
        let method: String
        let params: Parameters

        package init(id: Int, method: String, params: Parameters) {
            self.id = id
            self.method = method
            self.params = params
        }
    }

    package struct Parameters<Value: Decodable>: Decodable {
        package let params: Value
    }

    package struct Answer<Value: Encodable>: Encodable {
        let jsonrpc = "2.0"
        let id: ID?
        let result: Value

        package init(id: ID?, result: Value) {
            self.id = id
            self.result = result
        }
    }

    package struct Refusal: Codable {
        package struct Body: Codable {
            package struct Detail: Codable {
                package let code: String
                /// The name of the exception for a page, if a ceremony failed.
                package var name: String?
            }
            package let code: Int
            package let message: String
            package let data: Detail?
        }
        let jsonrpc: String
        let id: ID?
        let error: Body

        package init(id: ID?, _ error: AgentError) {
            jsonrpc = "2.0"
            self.id = id
            self.error = Body(
                code: Self.number(error.code),
                message: error.message,
                data: Body.Detail(code: error.code.rawValue, name: error.exceptionName)
            )
        }

        /// The error numbers: JSON-RPC's own if there is one, and one number for all of Ward's codes.
        private static func number(_ code: AgentError.Code) -> Int {
            switch code {
            case .invalidRequest: -32600
            case .unknownMethod: -32601
            case .invalidValue: -32602
            default: -32000
            }
        }
    }

    /// The result or the error of an answer.
    package struct Outcome<Value: Decodable>: Decodable {
        package let id: Int?
        package let result: Value?
        package let error: Refusal.Body?
    }

    /// Encodes an answer, without the line feed.
    package static func encode(answer id: ID?, _ result: some Encodable) throws -> [UInt8] {
        guard case .number(let id)? = id, let bulk = result as? any BulkResult else {
            return try encode(Answer(id: id, result: result))
        }
        var writer = BulkWriter()
        writer.write(literal: "{\"id\":")
        writer.write(Int64(id))
        writer.write(literal: Self.beforeResult)
        bulk.write(to: &writer)
        writer.write(literal: "}")
        return writer.bytes
    }

    /// Decodes an answer.
    package static func outcome<Value: Decodable>(_ type: Value.Type, from line: [UInt8]) throws -> Outcome<Value> {
        if let bulk = Value.self as? any BulkResult.Type, let answer = read(bulk, line), let value = answer.1 as? Value
        {
            return Outcome(id: answer.id, result: value, error: nil)
        }
        return try decode(Outcome<Value>.self, from: line)
    }

    private static let beforeResult: String = ",\"jsonrpc\":\"2.0\",\"result\":"

    private static func read(_ type: any BulkResult.Type, _ line: [UInt8]) -> (id: Int, any BulkResult)? {
        let input = line.span
        var reader = BulkReader()
        guard reader.skip("{\"id\":", input), let id = reader.integer(input), reader.skip(beforeResult, input),
            let result = type.init(&reader, input), reader.skip("}", input), reader.offset == input.count
        else { return nil }
        return (Int(id), result)
    }

    package static func encode(_ value: some Encodable) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return Array(try encoder.encode(value))
    }

    package static func decode<Value: Decodable>(_ type: Value.Type, from line: [UInt8]) throws -> Value {
        try JSONDecoder().decode(type, from: Data(line))
    }
}
