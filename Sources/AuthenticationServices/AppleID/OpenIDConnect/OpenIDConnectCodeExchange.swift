/// What the app's service sends to the issuer's token endpoint with an authorization code.
///
/// The service compares the subject of the identity token that it gets with
/// ``ASAuthorizationAppleIDCredential/user``.
public struct OpenIDConnectCodeExchange: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible {
    /// The `code_verifier` ([RFC 7636, section 4.5](https://www.rfc-editor.org/rfc/rfc7636#section-4.5)): 43
    /// characters.
    ///
    /// It is as secret as the code.
    public let codeVerifier: String
    /// The `redirect_uri` ([RFC 6749, section 4.1.3](https://www.rfc-editor.org/rfc/rfc6749#section-4.1.3)): the one that
    /// the code was requested with.
    public let redirectURI: String

    /// A description without the verifier.
    public var description: String { "…" }
    /// A description without the verifier.
    public var debugDescription: String { description }
}
