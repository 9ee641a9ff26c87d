/// The protection of a credential against use without user verification: extension `credProtect`.
///
/// CTAP 2.2, section 12.1; WebAuthn's registry of extensions.
public struct CredentialProtectionPolicy: OpenString {
    /// The value in client inputs.
    public let rawValue: String
    /// Creates a value from any string.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// Level 1: usable without user verification.
    public static let userVerificationOptional: Self = "userVerificationOptional"
    /// Level 2: usable without user verification only if the request lists the credential ID.
    public static let userVerificationOptionalWithCredentialIDList: Self =
        "userVerificationOptionalWithCredentialIDList"
    /// Level 3: usable only with user verification.
    public static let userVerificationRequired: Self = "userVerificationRequired"

    /// The policy of an authenticator's level, 1 to 3.
    public init?(level: UInt64) {
        switch level {
        case 1: self = .userVerificationOptional
        case 2: self = .userVerificationOptionalWithCredentialIDList
        case 3: self = .userVerificationRequired
        default: return nil
        }
    }

    /// The authenticator's level, or `nil` for an unknown policy.
    public var level: UInt64? {
        switch self {
        case .userVerificationOptional: 1
        case .userVerificationOptionalWithCredentialIDList: 2
        case .userVerificationRequired: 3
        default: nil
        }
    }
}
