/// Why the answer of an identity provider is refused, for the log.
///
/// It has no text of the provider and no text of the browser.
package enum FederationRefusal: String, Error, Hashable, Sendable, CaseIterable {
    // The ID token.
    case tokenUnreadable = "the ID token cannot be read"
    case tokenAlgorithm = "the ID token is signed with an algorithm that is not accepted"
    case tokenExtension = "the ID token needs an unknown extension"
    case keyUnknown = "the provider has no key with the key ID of the ID token"
    case keyUnusable = "the provider's key cannot be used for the algorithm of the ID token"
    case tokenSignature = "the signature of the ID token is wrong"
    case tokenIssuer = "the ID token is from another issuer"
    case tokenAudience = "the ID token is for another client"
    case tokenExpired = "the ID token has expired"
    case tokenTime = "the ID token is too old, or its time is in the future"
    case tokenNonce = "the ID token is for another sign-in"
    case tokenSubject = "the ID token has no valid subject"
    case tokenAccessHash = "the ID token is for another access token"
    // The provider's documents.
    case metadataUnreadable = "the provider's configuration cannot be read"
    case metadataIssuer = "the provider's configuration is for another issuer"
    case metadataAddress = "the provider's configuration has an address that does not begin with https://"
    case metadataFlow = "the provider does not support the authorization code flow"
    case metadataChallenge = "the provider does not support code challenges with S256"
    case metadataAuthentication = "the provider does not support the configured way to send the client secret"
    case keysUnreadable = "the provider's keys cannot be read"
    case answerUnreadable = "the answer of the provider's token endpoint cannot be read"
    case codeRefused = "the provider's token endpoint refuses the code or the client secret"
    // The connection.
    case unreachable = "the provider cannot be reached"
    case tooSlow = "the provider answers too slowly"
    case tooLarge = "a document of the provider is too large"
    case redirect = "the provider redirects a request that must not be redirected"
    case status = "the provider answers with an error status"
    case contentType = "the provider answers with something that is not JSON"
    // The browser's answer.
    case answerIssuer = "the answer comes from another issuer"
    case answerError = "the provider answers with an error"
    case answerCode = "the answer has no code"
}
