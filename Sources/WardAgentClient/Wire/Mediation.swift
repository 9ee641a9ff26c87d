/// How a credential is asked for.
///
/// Credential Management, [§2.3.2](https://www.w3.org/TR/credential-management-1/#mediation-requirements).
public enum Mediation: String, CaseIterable, Codable, Hashable, Sendable {
    /// Without the person. Ward refuses it for passkeys.
    case silent
    /// With a prompt where one is needed.
    case optional
    /// From a form's autofill, or a new passkey without a prompt.
    case conditional
    /// With a prompt.
    case required
}
