internal import Crypto
public import WardRelyingParty
internal import WardWebAuthn

/// The format `apple`: a certificate that Apple issued for this credential.
///
/// WebAuthn Level 3, [§8.8](https://www.w3.org/TR/webauthn-3/#sctn-apple-anonymous-attestation).
public struct AppleAttestation: AttestationFormat {
    /// `apple`.
    public var identifier: String { "apple" }

    /// Creates the format, for `AttestationFormats`.
    public init() {}

    /// Runs the verification procedure.
    ///
    /// Devices of 2020 also send `alg`, which the syntax does not have; it is read and ignored.
    ///
    /// - Parameter statement: The statement and the data that it covers.
    /// - Returns: The certificates.
    /// - Throws: `AttestationError` with the section and the rule that is broken.
    public func verify(_ statement: AttestationStatement) throws(AttestationError) -> AttestationEvidence {
        // L3 #sctn-apple-anonymous-attestation, step 1: "Verify that attStmt is valid CBOR conforming to the syntax".
        let members = try StatementMembers(
            statement.statement,
            required: .certificates,
            optional: .algorithm,
            section: "§8.8"
        )
        guard let chain = members.certificates else { throw AttestationError("§8.8: x5c is missing") }
        let certificate = try AttestationCertificate(first: chain, section: "§8.8")
        // Steps 2 and 3: nonce is the SHA-256 hash of authenticatorData and clientDataHash.
        let nonce = Array(SHA256.hash(data: statement.signedBytes))
        // Step 4: "Verify that nonce equals the value of the extension with OID 1.2.840.113635.100.8.2 in credCert."
        guard let found = certificate.appleNonce else {
            throw AttestationError("§8.8: the certificate has no nonce")
        }
        guard found == nonce else { throw AttestationError("§8.8: the certificate was issued for another ceremony") }
        // Step 5: "Verify that the credential public key equals the Subject Public Key of credCert."
        guard certificate.hasKey(statement.credential.publicKey) else {
            throw AttestationError("§8.8: the certificate is for another key")
        }
        // Step 6: the trust path.
        return .certificates(chain)
    }
}

extension AttestationCertificate {
    /// The nonce that Apple signs: `SEQUENCE { [1] { OCTET STRING } }`.
    public var appleNonce: [UInt8]? {
        let input = encoded.span
        guard let found = layout.find(KnownExtension.appleNonce, in: input) else { return nil }
        var reader = DERReader(found.value, of: input)
        guard let outer = try? reader.enter(.sequence, input), let inner = try? reader.enter(.explicit(1), input),
            let nonce = try? reader.read(.octetString, input), (try? reader.leave(inner)) != nil,
            (try? reader.leave(outer)) != nil, reader.isAtEnd
        else { return nil }
        return input.copy(nonce)
    }
}
