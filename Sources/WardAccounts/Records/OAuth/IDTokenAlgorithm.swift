/// How ID tokens are signed: RFC 7518, section 3.1.
///
/// Stores and clients use the raw value.
public enum IDTokenAlgorithm: String, Hashable, Sendable, CaseIterable {
    /// ECDSA on P-256 with SHA-256.
    case es256 = "ES256"
    /// RSASSA-PKCS1-v1_5 with SHA-256, which each client of OpenID Connect knows.
    case rs256 = "RS256"
}
