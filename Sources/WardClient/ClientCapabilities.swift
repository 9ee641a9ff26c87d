public import WardWebAuthn

/// What this client can do, as `PublicKeyCredential.getClientCapabilities()` tells a page: one answer per known key.
///
/// WebAuthn Level 3, [§5.1.7](https://www.w3.org/TR/webauthn-3/#sctn-getClientCapabilities).
public struct ClientCapabilities: Hashable, Sendable {
    /// The answers by key.
    public var values: [String: Bool]

    /// Takes any answers.
    public init(_ values: [String: Bool]) {
        self.values = values
    }

    /// One answer; `nil` means that nothing is said.
    public subscript(key: String) -> Bool? { values[key] }

    /// The record, its keys in ascending order as the standard wants them.
    public var value: JSONValue {
        .object(values.sorted { $0.key < $1.key }.map { .init($0.key, .bool($0.value)) })
    }

    /// The record as UTF-8 text.
    public var json: [UInt8] { value.serialized }
}
