/// Why something is not the WebAuthn structure that was expected.
///
/// Errors are equal when their codes are.
public struct WebAuthnError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Which rule it breaks; minor releases may add codes.
    public struct Code: Hashable, Sendable {
        private enum Base: String {
            case malformedJSON = "malformed_json"
            case missingMember = "missing_member"
            case wrongType = "wrong_type"
            case notBase64URL = "not_base64url"
            case valueOutOfRange = "value_out_of_range"
            case identifierMismatch = "identifier_mismatch"
            case malformedClientData = "malformed_client_data"
            case malformedAuthenticatorData = "malformed_authenticator_data"
            case malformedAttestationObject = "malformed_attestation_object"
            case malformedPublicKey = "malformed_public_key"
            case unsupportedAlgorithm = "unsupported_algorithm"
            case malformedCeremony = "malformed_ceremony"
        }
        private let base: Base

        /// The text is not JSON, or passes a bound, or repeats a member.
        public static var malformedJSON: Self { .init(base: .malformedJSON) }
        /// A required member is absent.
        public static var missingMember: Self { .init(base: .missingMember) }
        /// A member is of another type.
        public static var wrongType: Self { .init(base: .wrongType) }
        /// A member that carries bytes is not canonical base64url.
        public static var notBase64URL: Self { .init(base: .notBase64URL) }
        /// A member's length or value is outside what the standard allows.
        public static var valueOutOfRange: Self { .init(base: .valueOutOfRange) }
        /// `id`, `rawId` and the attested credential id do not all agree.
        public static var identifierMismatch: Self { .init(base: .identifierMismatch) }
        /// The client data is not a JSON object with its required members.
        public static var malformedClientData: Self { .init(base: .malformedClientData) }
        /// The authenticator data is cut, too long, or contradicts its flags.
        public static var malformedAuthenticatorData: Self { .init(base: .malformedAuthenticatorData) }
        /// The attestation object is not the CBOR map of the standard.
        public static var malformedAttestationObject: Self { .init(base: .malformedAttestationObject) }
        /// The credential's public key is not a sound COSE key.
        public static var malformedPublicKey: Self { .init(base: .malformedPublicKey) }
        /// The key's algorithm is not one that credentials are verified with here.
        public static var unsupportedAlgorithm: Self { .init(base: .unsupportedAlgorithm) }
        /// The bytes are not those of a ceremony that was kept.
        public static var malformedCeremony: Self { .init(base: .malformedCeremony) }

        /// A stable word for logs and JSON.
        public var name: String { base.rawValue }
    }

    /// Which rule it breaks.
    public let code: Code
    /// Where, and what was expected and found, without secrets.
    public let detail: String
    /// One line for a log.
    public var description: String { "\(code.name): \(detail)" }

    package init(_ code: Code, _ detail: String) {
        self.code = code
        self.detail = detail
    }

    package init(_ error: JSONError, in member: String) {
        switch error.code {
        case .wrongType: self.init(.wrongType, "\(member), byte \(error.offset)")
        case .notBase64URL: self.init(.notBase64URL, "\(member), byte \(error.offset)")
        default: self.init(.malformedJSON, "\(member), \(error)")
        }
    }

    /// Errors are equal when their codes are.
    public static func == (lhs: Self, rhs: Self) -> Bool { lhs.code == rhs.code }
    /// Hashes the code.
    public func hash(into hasher: inout Hasher) { hasher.combine(code) }
}
