/// The format `none`: an empty map and nothing else.
///
/// WebAuthn Level 3, [§8.7](https://www.w3.org/TR/webauthn-3/#sctn-none-attestation).
public struct NoneAttestation: AttestationFormat {
    /// `none`.
    public var identifier: String { "none" }

    /// Takes part in ``AttestationFormats``.
    public init() {}

    /// Accepts the empty map only.
    ///
    /// - Parameter statement: The statement and what it speaks of.
    /// - Returns: ``AttestationEvidence/none``.
    /// - Throws: ``AttestationError`` when the statement holds anything.
    public func verify(_ statement: AttestationStatement) throws(AttestationError) -> AttestationEvidence {
        guard statement.statement == [0xa0] else {
            throw AttestationError("§8.7: the statement of none is an empty map")
        }
        return .none
    }
}
