package import WardCOSE
public import WardRelyingParty
internal import WardWebAuthn

/// The format `tpm`: platform authenticators with keys in a Trusted Platform Module, mainly Windows Hello.
///
/// WebAuthn Level 3, [§8.3](https://www.w3.org/TR/webauthn-3/#sctn-tpm-attestation).
public struct TPMAttestation: AttestationFormat {
    /// `tpm`.
    public var identifier: String { "tpm" }

    /// Whether the manufacturer must be in the registry of the Trusted Computing Group.
    ///
    /// The specification does not require it, and its own example has an unregistered manufacturer: the anchor of the
    /// chain proves the manufacturer. FIDO's conformance tests require it.
    public var requiresRegisteredVendor: Bool

    /// Creates the format, for `AttestationFormats`.
    public init(requiresRegisteredVendor: Bool = false) {
        self.requiresRegisteredVendor = requiresRegisteredVendor
    }

    /// Runs the verification procedure.
    ///
    /// Only this format accepts RS1 for the statement, because TPMs from before 2018 have nothing else. `sig` is the
    /// signature itself, as in all authenticators and the specification's own example, and not the TPMT_SIGNATURE of
    /// the text.
    ///
    /// - Parameter statement: The statement and the data that it covers.
    /// - Returns: The certificates.
    /// - Throws: `AttestationError` with the section and the rule that is broken.
    public func verify(_ statement: AttestationStatement) throws(AttestationError) -> AttestationEvidence {
        // L3 #sctn-tpm-attestation: "Verify that attStmt is valid CBOR conforming to the syntax", and further below
        // "Verify that x5c is present."
        let members = try StatementMembers(
            statement.statement,
            required: [.version, .algorithm, .certificates, .signature, .certInfo, .pubArea],
            section: "§8.3"
        )
        guard members.version == "2.0" else { throw AttestationError("§8.3: ver is not 2.0") }
        guard let algorithm = members.algorithm, let chain = members.certificates else {
            throw AttestationError("§8.3: alg or x5c is missing")
        }
        // "Verify that the public key specified by the parameters and unique fields of pubArea is identical to the
        // credentialPublicKey".
        let publicArea = try Self.publicArea(members.pubArea, of: statement.credential.publicKey)
        // "Concatenate authenticatorData and clientDataHash to form attToBeSigned." Then "Verify integrity of certInfo":
        // "Verify that aikCert meets the requirements in §8.3.1."
        let certificate = try AttestationCertificate(first: chain, section: "§8.3")
        try checkRequirements(certificate)
        // "If aikCert contains an extension with OID 1.3.6.1.4.1.45724.1.1.4" it matches the aaguid.
        try certificate.checkAAGUID(statement.credential.aaguid, section: "§8.3")
        // "Verify the sig is a valid signature over certInfo using the attestation public key in aikCert with … alg."
        try certificate.check(
            members.signature,
            of: members.certInfo,
            algorithm,
            allowsSHA1: true,
            section: "§8.3"
        )
        // "Validate that certInfo is valid".
        try Self.checkCertInfo(members.certInfo, algorithm, signedBytes: statement.signedBytes, about: publicArea)
        return .certificates(chain)
    }

    /// The public area, checked to be the credential's key.
    package static func publicArea(_ bytes: [UInt8], of key: COSEKey) throws(AttestationError) -> TPMPublicArea {
        let publicArea: TPMPublicArea
        do {
            publicArea = try TPMPublicArea(bytes)
        } catch {
            throw AttestationError("§8.3: pubArea: \(error)")
        }
        guard publicArea.isSame(as: key) else {
            throw AttestationError("§8.3: the key in pubArea is not the credential's key")
        }
        return publicArea
    }

    /// The last part of the procedure: the checks of `certInfo`.
    package static func checkCertInfo(
        _ bytes: [UInt8],
        _ algorithm: COSEAlgorithmIdentifier,
        signedBytes: [UInt8],
        about publicArea: TPMPublicArea
    ) throws(AttestationError) {
        // "Verify that magic is set to TPM_GENERATED_VALUE", "that type is set to TPM_ST_ATTEST_CERTIFY" and "that attested
        // contains a TPMS_CERTIFY_INFO structure": reading it does that.
        let info: TPMCertInfo
        do {
            info = try TPMCertInfo(bytes)
        } catch {
            throw AttestationError("§8.3: certInfo: \(error)")
        }
        // "Verify that extraData is set to the hash of attToBeSigned using the hash algorithm employed in alg."
        guard let hash = algorithm.hash else { throw AttestationError("§8.3: \(algorithm) has no hash") }
        guard hash.hash(signedBytes) == info.extraData else {
            throw AttestationError("§8.3: extraData is not the hash of this registration")
        }
        // "whose name field contains a valid Name for pubArea … using the nameAlg in the pubArea".
        guard let name = publicArea.name else {
            throw AttestationError(
                "§8.3: pubArea uses the hash algorithm \(publicArea.nameAlgorithm), which is not known"
            )
        }
        guard info.attestedName == name else {
            throw AttestationError("§8.3: certInfo has the name of another key than pubArea")
        }
        // "The remaining fields … are ignored." TPMCertInfo has them for callers that need them.
    }

    /// L3 #sctn-tpm-cert-requirements.
    private func checkRequirements(_ certificate: AttestationCertificate) throws(AttestationError) {
        // "Version MUST be set to 3."
        guard certificate.version == 3 else {
            throw AttestationError("§8.3.1: the certificate's version is \(certificate.version), not 3")
        }
        // "Subject field MUST be set to empty."
        guard certificate.subject.isEmpty else { throw AttestationError("§8.3.1: the subject is not empty") }
        // "The Subject Alternative Name extension MUST be set as defined in [TPMv2-EK-Profile] section 3.2.9."
        guard let identity = TPMIdentity(certificate) else {
            throw AttestationError("§8.3.1: the alternative name lacks the TPM's manufacturer, model or version")
        }
        guard identity.vendorID != nil else {
            throw AttestationError("§8.3.1: the manufacturer must be id: and eight hexadecimal digits")
        }
        if requiresRegisteredVendor, identity.vendorName == nil {
            throw AttestationError("§8.3.1: the manufacturer \(identity.manufacturer) is not registered")
        }
        // "The Extended Key Usage extension MUST contain the OID 2.23.133.8.3".
        guard certificate.extendedKeyUsage.contains(Self.aikCertificate) else {
            throw AttestationError("§8.3.1: the key is not for tcg-kp-AIKCertificate")
        }
        // "The Basic Constraints extension MUST have the CA component set to FALSE."
        guard certificate.isAuthority == false else {
            throw AttestationError("§8.3.1: the basic constraints do not say that this is not an authority")
        }
    }

    private static let aikCertificate = OID(2, 23, 133, 8, 3)
}

extension COSEAlgorithmIdentifier {
    /// The hash of a signature algorithm, if it has one.
    fileprivate var hash: TPMAlgorithm? {
        switch self {
        case .es256, .esp256, .rs256, .ps256: .sha256
        case .es384, .esp384, .rs384, .ps384: .sha384
        case .es512, .esp512, .rs512, .ps512: .sha512
        case .rs1: .sha1
        default: nil
        }
    }
}
