/// Every rule that section 8 gives a relying party, and with it the table of which test breaks it.
///
/// | section | tests |
/// |---|---|
/// | §8.2, §8.2.1, §8.2.2 | `PackedTests` |
/// | §8.3, §8.3.1 | `TPMTests` |
/// | §8.4, §8.4.1 | `AndroidKeyTests` |
/// | §8.5 | `SafetyNetTests` |
/// | §8.6 | `FIDOU2FTests` |
/// | §8.7 | `NoneTests` |
/// | §8.8 | `AppleTests` |
/// | §8.9 | `CompoundTests` |
///
/// `SectionTests` sees to it that no rule is without a test.
enum Rule: String, CaseIterable, Sendable {
    case packedSyntax = "§8.2 attStmt conforms to the syntax"
    case packedSignature = "§8.2 sig is valid under attestnCert with alg"
    case packedAAGUID = "§8.2 the AAGUID extension matches the authenticator data"
    case packedSelfAlgorithm = "§8.2 alg matches the algorithm of the credential's key"
    case packedSelfSignature = "§8.2 sig is valid under the credential's key"
    case packedVersion = "§8.2.1 version 3"
    case packedCountry = "§8.2.1 Subject-C is an ISO 3166 code"
    case packedOrganization = "§8.2.1 Subject-O is the vendor's name"
    case packedUnit = "§8.2.1 Subject-OU is the literal string"
    case packedCommonName = "§8.2.1 Subject-CN is there"
    case packedBasicConstraints = "§8.2.1 basic constraints with CA false"
    case packedCritical = "§8.2.1 the extensions are not critical"
    case tpmSyntax = "§8.3 attStmt conforms to the syntax"
    case tpmVersion = "§8.3 ver is 2.0"
    case tpmPublicKey = "§8.3 pubArea holds the credential's key"
    case tpmAAGUID = "§8.3 the AAGUID extension matches the authenticator data"
    case tpmSignature = "§8.3 sig is valid under aikCert with alg"
    case tpmMagic = "§8.3 magic is TPM_GENERATED_VALUE"
    case tpmType = "§8.3 type is TPM_ST_ATTEST_CERTIFY"
    case tpmExtraData = "§8.3 extraData is the hash with alg's hash algorithm"
    case tpmName = "§8.3 attested names pubArea with its nameAlg"
    case tpmCertificateVersion = "§8.3.1 version 3"
    case tpmSubject = "§8.3.1 the subject is empty"
    case tpmAlternativeName = "§8.3.1 the alternative name is as in the EK profile"
    case tpmExtendedKeyUsage = "§8.3.1 extended key usage holds tcg-kp-AIKCertificate"
    case tpmBasicConstraints = "§8.3.1 basic constraints with CA false"
    case androidSyntax = "§8.4 attStmt conforms to the syntax"
    case androidSignature = "§8.4 sig is valid under the first certificate with alg"
    case androidPublicKey = "§8.4 the first certificate has the credential's key"
    case androidDescription = "§8.4.1 the extension data is there"
    case androidChallenge = "§8.4 attestationChallenge is the hash of the client data"
    case androidAllApplications = "§8.4 allApplications is on neither list"
    case androidOrigin = "§8.4 origin is KM_ORIGIN_GENERATED"
    case androidPurpose = "§8.4 purpose is KM_PURPOSE_SIGN"
    case safetyNetSyntax = "§8.5 attStmt conforms to the syntax"
    case safetyNetResponse = "§8.5 response is a valid SafetyNet response of version ver"
    case safetyNetNonce = "§8.5 nonce is the hash"
    case safetyNetService = "§8.5 the response came from the service"
    case u2fSyntax = "§8.6 attStmt conforms to the syntax"
    case u2fOneCertificate = "§8.6 x5c has exactly one element"
    case u2fCurve = "§8.6 the certificate's key is on P-256"
    case u2fCredentialKey = "§8.6 the credential's key is for ES256"
    case u2fSignature = "§8.6 sig is valid over verificationData"
    case noneSyntax = "§8.7 attStmt is empty"
    case appleSyntax = "§8.8 attStmt conforms to the syntax"
    case appleNonce = "§8.8 nonce is in the certificate"
    case applePublicKey = "§8.8 the certificate has the credential's key"
    case compoundSyntax = "§8.9 at least two statements, none of them compound"
    case compoundParts = "§8.9 every statement is verified by its format"

    /// The section's number with its sign.
    var section: String { String(rawValue.prefix { $0 != " " }) }
}
