public import WardWebAuthn

/// The model of an authenticator that an attestation statement proved when the passkey was created.
///
/// The statement's certificates led to a root that is listed for this model. Only a service that verified this makes such a
/// value; stores give back what they were given. It says nothing about the model's status, which can change every day.
///
/// WebAuthn Level 3, [§6.5](https://www.w3.org/TR/webauthn-3/#sctn-attestation).
public struct VerifiedModel: Hashable, Sendable {
    /// The model.
    public let aaguid: AAGUID
    /// The format of the statement, such as `packed`.
    public let format: String
    /// The time of the verification, in seconds since 1970.
    public let verifiedAt: Int64

    /// Creates a value after a verification, or from a store's columns.
    public init(aaguid: AAGUID, format: String, verifiedAt: Int64) {
        self.aaguid = aaguid
        self.format = format
        self.verifiedAt = verifiedAt
    }
}
