/// The way in which a credential is requested.
///
/// Credential Management, [§2.3.2](https://www.w3.org/TR/credential-management-1/#mediation-requirements).
public enum Mediation: String, CaseIterable, Codable, Hashable, Sendable {
    /// No prompt appears. Ward refuses this value for passkeys.
    case silent
    /// A prompt appears if one is needed.
    case optional
    /// The credential is picked in a form's autofill, or a passkey is created without a prompt.
    case conditional
    /// With a prompt.
    case required
}
