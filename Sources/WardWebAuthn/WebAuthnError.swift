public import WardText

/// Why a value is not the expected WebAuthn structure.
///
/// Errors are equal if their codes are.
public struct WebAuthnError: CodedError {
    /// The rule that is broken.
    ///
    /// Minor releases may add codes.
    public struct Code: ErrorCode {
        /// A stable name for logs and JSON.
        public let name: String

        /// The text is not JSON, exceeds a limit, or has a duplicate member.
        public static let malformedJSON = Self(name: "malformed_json")
        /// A required member is absent.
        public static let missingMember = Self(name: "missing_member")
        /// A member has the wrong type.
        public static let wrongType = Self(name: "wrong_type")
        /// A member with bytes is not canonical base64url.
        public static let notBase64URL = Self(name: "not_base64url")
        /// A member's length or value is outside what the standard allows.
        public static let valueOutOfRange = Self(name: "value_out_of_range")
        /// `id`, `rawId` and the attested credential ID are not all equal.
        public static let identifierMismatch = Self(name: "identifier_mismatch")
        /// The client data is not a JSON object with its required members.
        public static let malformedClientData = Self(name: "malformed_client_data")
        /// The authenticator data is truncated, too long, or contradicts its flags.
        public static let malformedAuthenticatorData = Self(name: "malformed_authenticator_data")
        /// The attestation object is not the standard's CBOR map.
        public static let malformedAttestationObject = Self(name: "malformed_attestation_object")
        /// The credential's public key is not a valid COSE key.
        public static let malformedPublicKey = Self(name: "malformed_public_key")
        /// The key's algorithm is not supported for credentials.
        public static let unsupportedAlgorithm = Self(name: "unsupported_algorithm")
        /// The bytes are not a stored ceremony.
        public static let malformedCeremony = Self(name: "malformed_ceremony")
    }

    /// The rule that is broken.
    public let code: Code
    /// Where the problem is, what was expected and what was found, without secrets.
    public let detail: String

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
}
