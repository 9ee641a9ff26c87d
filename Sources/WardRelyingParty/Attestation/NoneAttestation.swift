/// The format `none`: an empty map.
///
/// WebAuthn Level 3, [§8.7](https://www.w3.org/TR/webauthn-3/#sctn-none-attestation).
public struct NoneAttestation: AttestationFormat {
    /// `none`.
    public var identifier: String { "none" }

    /// Creates the format, for ``AttestationFormats``.
    public init() {}

    /// Accepts only the empty map.
    ///
    /// - Parameter statement: The statement and the data that it covers.
    /// - Returns: ``AttestationEvidence/none``.
    /// - Throws: ``AttestationError`` if the map is not empty.
    public func verify(_ statement: AttestationStatement) throws(AttestationError) -> AttestationEvidence {
        guard statement.statement == [0xa0] else {
            throw AttestationError("§8.7: a statement of the format none must be an empty map")
        }
        return .none
    }
}
