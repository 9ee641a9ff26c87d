public import WardRelyingParty
internal import WardWebAuthn

/// The format `android-key`: Android's key store attests the credential's own key.
///
/// WebAuthn Level 3, [§8.4](https://www.w3.org/TR/webauthn-3/#sctn-android-key-attestation).
public struct AndroidKeyAttestation: AttestationFormat {
    /// The statements that count for the key's origin and purpose.
    public enum Authority: Hashable, Sendable {
        /// Android or the secure hardware must state it: both lists count together.
        ///
        /// If neither states it, the key is refused.
        case software
        /// The secure hardware must state it: only `teeEnforced` counts.
        case trustedEnvironment
    }

    /// `android-key`.
    public var identifier: String { "android-key" }

    /// Whose statement counts.
    public var authority: Authority

    /// Creates the format, for `AttestationFormats`.
    public init(authority: Authority = .software) {
        self.authority = authority
    }

    /// Runs the verification procedure.
    ///
    /// - Parameter statement: The statement and the data that it covers.
    /// - Returns: The certificates.
    /// - Throws: `AttestationError` with the section and the rule that is broken.
    public func verify(_ statement: AttestationStatement) throws(AttestationError) -> AttestationEvidence {
        // L3 #sctn-android-key-attestation: "Verify that attStmt is valid CBOR conforming to the syntax".
        let members = try StatementMembers(
            statement.statement,
            required: [.algorithm, .signature, .certificates],
            section: "§8.4"
        )
        guard let algorithm = members.algorithm, let chain = members.certificates else {
            throw AttestationError("§8.4: alg or x5c is missing")
        }
        // "Verify that sig is a valid signature over the concatenation of authenticatorData and clientDataHash using the
        // public key in the first certificate in x5c with the algorithm specified in alg."
        let certificate = try AttestationCertificate(first: chain, section: "§8.4")
        try certificate.check(members.signature, of: statement.signedBytes, algorithm, section: "§8.4")
        // "Verify that the public key in the first certificate in x5c matches the credentialPublicKey".
        guard certificate.hasKey(statement.credential.publicKey) else {
            throw AttestationError("§8.4: the certificate is for another key")
        }
        // "Verify that the attestationChallenge field in the … extension data is identical to clientDataHash."
        guard let description = certificate.androidKeyDescription else {
            throw AttestationError("§8.4.1: the certificate has no readable key description")
        }
        guard description.attestationChallenge == statement.clientDataHash else {
            throw AttestationError("§8.4: the key was created for another ceremony")
        }
        // "The AuthorizationList.allApplications field is not present on either authorization list".
        let (software, hardware) = (description.softwareEnforced, description.teeEnforced)
        guard !software.allApplications, !hardware.allApplications else {
            throw AttestationError("§8.4: every app may use the key")
        }
        // "For the following, use only the teeEnforced authorization list if the RP wants to accept only keys from a
        // trusted execution environment, otherwise use the union of teeEnforced and softwareEnforced."
        let lists = authority == .trustedEnvironment ? [hardware] : [hardware, software]
        // "The value in the AuthorizationList.origin field is equal to KM_ORIGIN_GENERATED."
        let origins = lists.compactMap(\.origin)
        guard !origins.isEmpty else {
            throw AttestationError("§8.4: the statement does not say where the key was generated")
        }
        guard origins.allSatisfy({ $0 == AndroidKeyDescription.originGenerated }) else {
            throw AttestationError("§8.4: the key was not generated inside the key store")
        }
        // "The value in the AuthorizationList.purpose field is equal to KM_PURPOSE_SIGN."
        let purposes = lists.compactMap(\.purpose)
        guard !purposes.isEmpty else {
            throw AttestationError("§8.4: the statement does not say which purposes the key has")
        }
        guard purposes.allSatisfy({ $0 == [AndroidKeyDescription.purposeSign] }) else {
            throw AttestationError("§8.4: the key has other purposes than signing")
        }
        return .certificates(chain)
    }
}
