public import WardDomains

/// Downloads a relying party's list of related origins from `https://<RP ID>/.well-known/webauthn`.
///
/// The client checks the result; it does not use the network itself. Fetch over HTTPS without cookies, referrer or user agent,
/// within a few seconds. Accept only status 200 and the type `application/json`, and follow redirects only to public HTTPS
/// servers. Every error becomes a `SecurityError` for the caller.
///
/// WebAuthn Level 3, [§5.11](https://www.w3.org/TR/webauthn-3/#sctn-related-origins).
public struct RelatedOriginsFetch: Sendable {
    /// The maximum size of the document: 256 KiB.
    public static var maximumSize: Int { 262_144 }

    /// Downloads the document's bytes for an RP ID, without credentials and without a referrer.
    public var document: @Sendable (RelyingPartyID) async throws -> [UInt8]

    /// Creates a fetch from a closure.
    public init(document: @escaping @Sendable (RelyingPartyID) async throws -> [UInt8]) {
        self.document = document
    }
}
