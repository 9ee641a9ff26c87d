internal import WardCOSE
public import WardRelyingParty
internal import WardWebAuthn

/// The format `fido-u2f`: security keys from before CTAP2.
///
/// WebAuthn Level 3, [§8.6](https://www.w3.org/TR/webauthn-3/#sctn-fido-u2f-attestation).
public struct FIDOU2FAttestation: AttestationFormat {
    /// `fido-u2f`.
    public var identifier: String { "fido-u2f" }

    /// Creates the format, for `AttestationFormats`.
    public init() {}

    /// Runs the verification procedure.
    ///
    /// An AAGUID other than zero is not an error: the procedure does not check it, and the specification's own example
    /// has one. The AAGUID is not trusted, because the signature does not cover it.
    ///
    /// - Parameter statement: The statement and the data that it covers.
    /// - Returns: The certificate.
    /// - Throws: `AttestationError` with the section and the rule that is broken.
    public func verify(_ statement: AttestationStatement) throws(AttestationError) -> AttestationEvidence {
        // L3 #sctn-fido-u2f-attestation, step 1: "Verify that attStmt is valid CBOR conforming to the syntax".
        let members = try StatementMembers(
            statement.statement,
            required: [.signature, .certificates],
            section: "§8.6"
        )
        // Step 2: "Check that x5c has exactly one element".
        guard let chain = members.certificates, chain.count == 1 else {
            throw AttestationError("§8.6: x5c has more than one certificate")
        }
        // "If certificate public key is not an Elliptic Curve (EC) public key over the P-256 curve, terminate".
        let certificate = try AttestationCertificate(first: chain, section: "§8.6")
        guard case .ec(.p256, _) = certificate.layout.key else {
            throw AttestationError("§8.6: the certificate's key is \(certificate.keyDescription), not P-256")
        }
        // Step 3: rpIdHash, credentialId and credentialPublicKey are in the statement, parsed from the authenticator
        // data. Step 4: the key as 0x04 || x || y; "confirm its size to be of 32 bytes": COSEKey has no other size on
        // P-256.
        guard statement.credential.publicKey.algorithm == .es256,
            case .ec2(.p256, let x, let y) = statement.credential.publicKey.material
        else { throw AttestationError("§8.6: the credential's key is not for ES256") }
        // Step 5: "verificationData be the concatenation of (0x00 || rpIdHash || clientDataHash || credentialId ||
        // publicKeyU2F)".
        var verificationData: [UInt8] = [0]
        verificationData.reserveCapacity(130 + statement.credential.credentialID.count)
        verificationData += statement.authenticatorData.rpIDHash
        verificationData += statement.clientDataHash
        verificationData += statement.credential.credentialID
        verificationData += [4] + x + y
        // Step 6: "Verify the sig using verificationData and the certificate public key … with SHA-256".
        try certificate.check(members.signature, of: verificationData, .es256, section: "§8.6")
        // Step 7 is optional: only a verifier that knows the vendor can distinguish Basic and AttCA. Step 8: the trust
        // path.
        return .certificates(chain)
    }
}
