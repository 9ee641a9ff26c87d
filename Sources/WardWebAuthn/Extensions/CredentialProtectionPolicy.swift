/// How well an authenticator guards a credential against being found without a verified person: extension `credProtect`.
///
/// CTAP 2.2, section 12.1; WebAuthn's registry of extensions.
public struct CredentialProtectionPolicy: OpenString {
    /// The wire value of client inputs.
    public let rawValue: String
    /// Takes any string.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// Level 1: anybody may find it.
    public static let userVerificationOptional: Self = "userVerificationOptional"
    /// Level 2: found by a verified person, or by who knows its identifier.
    public static let userVerificationOptionalWithCredentialIDList: Self =
        "userVerificationOptionalWithCredentialIDList"
    /// Level 3: found by a verified person only.
    public static let userVerificationRequired: Self = "userVerificationRequired"

    /// The policy of a level, as authenticators write it: 1 to 3.
    public init?(level: UInt64) {
        switch level {
        case 1: self = .userVerificationOptional
        case 2: self = .userVerificationOptionalWithCredentialIDList
        case 3: self = .userVerificationRequired
        default: return nil
        }
    }

    /// The level, as authenticators write it, or `nil` for a policy that is unknown here.
    public var level: UInt64? {
        switch self {
        case .userVerificationOptional: 1
        case .userVerificationOptionalWithCredentialIDList: 2
        case .userVerificationRequired: 3
        default: nil
        }
    }
}
