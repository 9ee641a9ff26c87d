public import WardText

/// The members of one JSON object, read by name; errors say which member is wrong.
package struct JSONMembers: Sendable {
    private let members: [JSONValue.Member]
    private let path: String

    package init(_ value: JSONValue, in path: String) throws(WebAuthnError) {
        guard case .object(let members) = value else { throw WebAuthnError(.wrongType, "\(path) is not an object") }
        self.members = members
        self.path = path
    }

    /// The member, or `nil` if it is absent or `null`.
    package func value(_ name: String) -> JSONValue? {
        guard let value = members[name], value != .null else { return nil }
        return value
    }

    package func required(_ name: String) throws(WebAuthnError) -> JSONValue {
        guard let value = value(name) else { throw WebAuthnError(.missingMember, "\(path).\(name)") }
        return value
    }

    package func string(_ name: String) throws(WebAuthnError) -> String {
        try string(try required(name), name)
    }

    package func optionalString(_ name: String) throws(WebAuthnError) -> String? {
        guard let value = value(name) else { return nil }
        return try string(value, name)
    }

    package func bytes(_ name: String) throws(WebAuthnError) -> [UInt8] {
        let text = try string(name)
        guard let bytes = Base64URL.decode(text) else { throw WebAuthnError(.notBase64URL, "\(path).\(name)") }
        return bytes
    }

    package func optionalBytes(_ name: String) throws(WebAuthnError) -> [UInt8]? {
        value(name) == nil ? nil : try bytes(name)
    }

    package func bool(_ name: String) throws(WebAuthnError) -> Bool {
        guard let bool = try optionalBool(name) else { throw WebAuthnError(.missingMember, "\(path).\(name)") }
        return bool
    }

    package func optionalBool(_ name: String) throws(WebAuthnError) -> Bool? {
        guard let value = value(name) else { return nil }
        guard let bool = value.boolValue else { throw WebAuthnError(.wrongType, "\(path).\(name) is not a boolean") }
        return bool
    }

    package func optionalInteger(_ name: String) throws(WebAuthnError) -> Int64? {
        guard let value = value(name) else { return nil }
        guard let integer = value.integerValue else {
            throw WebAuthnError(.wrongType, "\(path).\(name) is not a whole number")
        }
        return integer
    }

    package func strings<Value: OpenString>(_ name: String) throws(WebAuthnError) -> [Value] {
        var values: [Value] = []
        for element in try array(name) { values.append(Value(rawValue: try string(element, name))) }
        return values
    }

    /// The elements of an array; empty if it is absent.
    package func array(_ name: String) throws(WebAuthnError) -> [JSONValue] {
        guard let value = value(name) else { return [] }
        guard let elements = value.arrayValue else {
            throw WebAuthnError(.wrongType, "\(path).\(name) is not an array")
        }
        return elements
    }

    private func string(_ value: JSONValue, _ name: String) throws(WebAuthnError) -> String {
        guard let string = value.stringValue else { throw WebAuthnError(.wrongType, "\(path).\(name) is not a string") }
        return string
    }
}

/// A type with a JSON form of WebAuthn Level 3, which any coder can read and write.
public protocol WebAuthnJSON: Codable, Sendable {
    /// Reads the JSON form.
    ///
    /// - Parameter value: The object.
    /// - Throws: ``WebAuthnError`` that names the missing or wrong member.
    init(_ value: JSONValue) throws(WebAuthnError)
    /// The JSON form.
    var value: JSONValue { get }
}

extension WebAuthnJSON {
    /// Reads the JSON form from text.
    ///
    /// - Parameter json: UTF-8 text.
    /// - Throws: ``WebAuthnError`` that names the missing or wrong member.
    public init(json: [UInt8]) throws(WebAuthnError) {
        let value: JSONValue
        do { value = try JSONValue(json) } catch { throw WebAuthnError(error, in: "\(Self.self)") }
        try self.init(value)
    }

    /// The JSON form as UTF-8 text.
    public var json: [UInt8] { value.serialized }

    /// Reads the JSON form through a decoder.
    ///
    /// - Parameter decoder: A decoder of any format with JSON's shapes.
    /// - Throws: The decoder's errors, or ``WebAuthnError``.
    public init(from decoder: any Decoder) throws {
        try self.init(try JSONValue(from: decoder))
    }

    /// Writes the JSON form through an encoder.
    ///
    /// - Parameter encoder: An encoder of any format with JSON's shapes.
    /// - Throws: The encoder's errors.
    public func encode(to encoder: any Encoder) throws {
        try value.encode(to: encoder)
    }
}
