internal import WardText
public import WardWebAuthn

/// In messages a credential ID is base64url text.
extension CredentialID: Codable {
    /// Reads base64url.
    ///
    /// - Throws: `DecodingError` if the text is not the base64url of 1 to 1,023 bytes.
    public init(from decoder: any Decoder) throws {
        self = try decoder.identifier("not a credential ID in base64url") { CredentialID($0) }
    }

    /// Writes base64url.
    public func encode(to encoder: any Encoder) throws { try base64URL.encode(to: encoder) }
}

/// In messages a user handle is base64url text.
extension UserHandle: Codable {
    /// Reads base64url.
    ///
    /// - Throws: `DecodingError` if the text is not the base64url of 1 to 64 bytes.
    public init(from decoder: any Decoder) throws {
        self = try decoder.identifier("not a user handle in base64url") { UserHandle($0) }
    }

    /// Writes base64url.
    public func encode(to encoder: any Encoder) throws { try base64URL.encode(to: encoder) }
}

extension Decoder {
    fileprivate func identifier<ID>(_ fault: String, _ make: ([UInt8]) -> ID?) throws -> ID {
        guard let id = Base64URL.decode(try String(from: self)).flatMap(make) else {
            throw DecodingError.dataCorrupted(.init(codingPath: codingPath, debugDescription: fault))
        }
        return id
    }
}
