public import WardText

/// The client's capabilities for `PublicKeyCredential.getClientCapabilities()`: one value per known key.
///
/// WebAuthn Level 3, [§5.1.7](https://www.w3.org/TR/webauthn-3/#sctn-getClientCapabilities).
public struct ClientCapabilities: Hashable, Sendable {
    /// The values by key.
    public var values: [String: Bool]

    /// Creates capabilities from values.
    public init(_ values: [String: Bool]) {
        self.values = values
    }

    /// One value; `nil` if the key is unknown.
    public subscript(key: String) -> Bool? { values[key] }

    /// The record with its keys in ascending order, as the standard requires.
    public var value: JSONValue {
        .object(values.sorted { $0.key < $1.key }.map { .init($0.key, .bool($0.value)) })
    }

    /// The record as UTF-8 text.
    public var json: [UInt8] { value.serialized }
}
