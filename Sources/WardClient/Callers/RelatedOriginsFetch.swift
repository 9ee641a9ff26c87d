public import WardWebAuthn

/// Downloads a relying party's list of related origins from `https://<RP ID>/.well-known/webauthn`.
///
/// The client checks the result. ``http(timeout:)`` uses the network; tests and machines without a network pass their
/// own.
///
/// WebAuthn Level 3, [§5.11](https://www.w3.org/TR/webauthn-3/#sctn-related-origins).
public struct RelatedOriginsFetch: Sendable {
    /// The maximum size: 256 KiB.
    public static var maximumSize: Int { 262_144 }

    /// Downloads the document's bytes for an RP ID, without credentials and without a referrer.
    public var document: @Sendable (RelyingPartyID) async throws -> [UInt8]

    /// Creates a fetch from a closure.
    public init(document: @escaping @Sendable (RelyingPartyID) async throws -> [UInt8]) {
        self.document = document
    }
}
