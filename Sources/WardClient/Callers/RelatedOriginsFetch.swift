public import WardWebAuthn

/// Where the list of a relying party's related origins comes from: `https://<RP ID>/.well-known/webauthn`.
///
/// What comes is checked by the client. ``http(timeout:)`` is the real one; tests and air-gapped machines pass their own.
///
/// WebAuthn Level 3, [§5.11](https://www.w3.org/TR/webauthn-3/#sctn-related-origins).
public struct RelatedOriginsFetch: Sendable {
    /// The most bytes that are read: 256 KiB.
    public static var maximumSize: Int { 262_144 }

    /// Fetches the document's bytes for an RP ID, without credentials and without a referrer.
    public var document: @Sendable (RelyingPartyID) async throws -> [UInt8]

    /// Wires it by hand.
    public init(document: @escaping @Sendable (RelyingPartyID) async throws -> [UInt8]) {
        self.document = document
    }
}
