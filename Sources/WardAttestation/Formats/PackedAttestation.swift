internal import WardCOSE
public import WardRelyingParty
internal import WardWebAuthn

/// The format `packed`: signed with an attestation key that has certificates, or with the credential's own key.
///
/// WebAuthn Level 3, [§8.2](https://www.w3.org/TR/webauthn-3/#sctn-packed-attestation).
public struct PackedAttestation: AttestationFormat {
    /// `packed`.
    public var identifier: String { "packed" }

    /// Creates the format, for `AttestationFormats`.
    public init() {}

    /// Runs the verification procedure of both variants.
    ///
    /// - Parameter statement: The statement and the data that it covers.
    /// - Returns: The certificates, or self attestation.
    /// - Throws: `AttestationError` with the section and the rule that is broken.
    public func verify(_ statement: AttestationStatement) throws(AttestationError) -> AttestationEvidence {
        // L3 #sctn-packed-attestation, step 1: "Verify that attStmt is valid CBOR conforming to the syntax".
        let members = try StatementMembers(
            statement.statement,
            required: [.algorithm, .signature],
            optional: .certificates,
            section: "§8.2"
        )
        guard let algorithm = members.algorithm else { throw AttestationError("§8.2: alg is missing") }
        guard let chain = members.certificates else {
            // Step 3: "If x5c is not present, self attestation is in use."
            return try verifySelf(statement, algorithm, members.signature)
        }
        // Step 2, first: "sig is a valid signature over the concatenation of authenticatorData and clientDataHash using
        // the attestation public key in attestnCert with the algorithm specified in alg".
        let certificate = try AttestationCertificate(first: chain, section: "§8.2")
        try certificate.check(members.signature, of: statement.signedBytes, algorithm, section: "§8.2")
        // Step 2, second: "Verify that attestnCert meets the requirements in §8.2.1".
        try checkRequirements(certificate)
        // Step 2, third: the AAGUID extension, if there is one, "matches the aaguid in authenticatorData".
        try certificate.checkAAGUID(statement.credential.aaguid, section: "§8.2")
        // Step 2, fourth, is optional: only a verifier that knows the vendor can distinguish Basic and AttCA.
        return .certificates(chain)
    }

    private func verifySelf(
        _ statement: AttestationStatement,
        _ algorithm: COSEAlgorithmIdentifier,
        _ signature: [UInt8]
    ) throws(AttestationError) -> AttestationEvidence {
        // Step 3, first: "Validate that alg matches the algorithm of the credentialPublicKey".
        guard algorithm == statement.credential.publicKey.algorithm else {
            throw AttestationError(
                "§8.2: alg is \(algorithm), but the credential's algorithm is \(statement.credential.publicKey.algorithm)"
            )
        }
        // Step 3, second: sig is valid "using the credential public key with alg".
        guard let key = try? statement.credential.publicKey.verificationKey(),
            key.isValid(signature: signature, for: statement.signedBytes)
        else { throw AttestationError("§8.2: sig is not valid for the credential's own key") }
        return .selfAttestation
    }

    /// L3 #sctn-packed-attestation-cert-requirements.
    ///
    /// The string types of the subject (PrintableString, UTF8String) are not checked: vendors mix them, and the value
    /// is the same.
    private func checkRequirements(_ certificate: AttestationCertificate) throws(AttestationError) {
        // "Version MUST be set to 3".
        guard certificate.version == 3 else {
            throw AttestationError("§8.2.1: the certificate's version is \(certificate.version), not 3")
        }
        // "Subject-C: ISO 3166 code".
        let subject = certificate.subject
        guard let country = subject.country, country.utf8.count == 2, country.allSatisfy({ $0.isASCII && $0.isLetter })
        else { throw AttestationError("§8.2.1: the subject's country is not an ISO 3166 code") }
        // "Subject-O: Legal name of the Authenticator vendor".
        guard subject.organization?.isEmpty == false else {
            throw AttestationError("§8.2.1: the subject has no organization")
        }
        // "Subject-OU: Literal string “Authenticator Attestation”".
        guard subject.attributes.contains(where: { $0.identifier == .organizationalUnit && $0.value == Self.unit })
        else {
            throw AttestationError("§8.2.1: the subject's organizational unit is not \(Self.unit)")
        }
        // "Subject-CN: A UTF8String of the vendor's choosing".
        guard subject.commonName?.isEmpty == false else {
            throw AttestationError("§8.2.1: the subject has no common name")
        }
        // "The Basic Constraints extension MUST have the CA component set to FALSE."
        guard certificate.isAuthority == false else {
            throw AttestationError("§8.2.1: the basic constraints do not say that this is not an authority")
        }
        // "The extension MUST NOT be marked as critical": AAGUID here, firmware version here, serial number in §8.2.2.
        for identifier in [
            KnownExtension.fidoAAGUID, KnownExtension.fidoFirmwareVersion, KnownExtension.fidoSerialNumber,
        ] {
            guard certificate.layout.find(identifier, in: certificate.encoded.span)?.isCritical != true else {
                throw AttestationError("§8.2.1: the extension \(identifier) is critical")
            }
        }
    }

    private static let unit = "Authenticator Attestation"
}

extension AttestationCertificate {
    /// An AAGUID extension must match the authenticator data.
    ///
    /// A malformed one, not "wrapped in two OCTET STRINGS" of 16 bytes, is refused and not ignored. L3
    /// #sctn-packed-attestation, #sctn-tpm-attestation.
    func checkAAGUID(_ expected: AAGUID, section: String) throws(AttestationError) {
        guard layout.find(KnownExtension.fidoAAGUID, in: encoded.span) != nil else { return }
        guard let aaguid else { throw AttestationError("\(section): the AAGUID extension must have 16 bytes") }
        guard aaguid == expected else {
            throw AttestationError(
                "\(section): the certificate is for AAGUID \(aaguid), but the authenticator reports \(expected)"
            )
        }
    }
}
