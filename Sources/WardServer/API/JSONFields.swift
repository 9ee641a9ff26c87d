import WardText

/// The members of a small JSON request body, with their types.
///
/// Unknown members are ignored. `null` is a value like any other, and differs from an absent member.
struct JSONFields {
    let value: JSONValue

    /// - Parameter body: The bytes as received.
    /// - Throws: ``APIError`` with `malformed_request` unless the body is one JSON object.
    init(_ body: [UInt8]) throws(APIError) {
        do {
            value = try JSONValue(body)
        } catch {
            throw APIError(.malformedRequest, "The body is not valid JSON: \(error.code.name).")
        }
        guard value.objectValue != nil else { throw APIError(.malformedRequest, "The body must be a JSON object.") }
    }

    /// An optional member.
    ///
    /// - Throws: ``APIError`` with `malformed_request` if it is not a string.
    func optionalString(_ name: String) throws(APIError) -> String? {
        switch value[name] {
        case nil: return nil
        case .string(let string): return string
        default: throw APIError(.malformedRequest, "\"\(name)\" must be a string.").at(name)
        }
    }

    /// A required member.
    func string(_ name: String) throws(APIError) -> String {
        guard let string = try optionalString(name) else {
            throw APIError(.malformedRequest, "\"\(name)\" is missing.").at(name)
        }
        return string
    }

    /// A member of any type.
    subscript(name: String) -> JSONValue? { value[name] }
}
