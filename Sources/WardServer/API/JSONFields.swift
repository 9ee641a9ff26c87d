import WardWebAuthn

/// The members of a small request body, read with their types.
///
/// Members nobody knows are ignored; `null` is a value like any other, and not the same as an absent member.
struct JSONFields {
    private let value: JSONValue

    /// - Parameter body: The bytes as received.
    /// - Throws: ``APIError`` with `malformed_request` unless it is one JSON object.
    init(_ body: [UInt8]) throws(APIError) {
        do {
            value = try JSONValue(body)
        } catch {
            throw APIError(.malformedRequest, "The body is no JSON: \(error.code.name).")
        }
        guard value.objectValue != nil else { throw APIError(.malformedRequest, "The body has to be an object.") }
    }

    /// A member that may be absent.
    ///
    /// - Throws: ``APIError`` with `malformed_request` when it is no string.
    func optionalString(_ name: String) throws(APIError) -> String? {
        switch value[name] {
        case nil: return nil
        case .string(let string): return string
        default: throw APIError(.malformedRequest, "\"\(name)\" has to be a string.")
        }
    }

    /// A member that has to be there.
    func string(_ name: String) throws(APIError) -> String {
        guard let string = try optionalString(name) else {
            throw APIError(.malformedRequest, "\"\(name)\" is missing.")
        }
        return string
    }

    /// A member of any shape.
    subscript(name: String) -> JSONValue? { value[name] }
}
