public import WardCOSE
public import WardWebAuthn

/// The content of an attestation statement, decoded for people and not verified.
///
/// Nothing here throws. Unreadable parts are left out, so that a debugger can show the other parts.
public struct AttestationFacts: Sendable {
    /// The statement's format.
    public let format: String
    /// The signature algorithm, as the statement claims.
    public let algorithm: COSEAlgorithmIdentifier?
    /// The certificates, the signing one first; each with an error if it is malformed.
    public let certificates: [Result<AttestationCertificate, CertificateError>]
    /// The structure that a TPM signed, for the format `tpm`.
    public let tpmCertInfo: TPMCertInfo?
    /// The TPM's public area of the key, for the format `tpm`.
    public let tpmPublicArea: TPMPublicArea?
    /// The response of SafetyNet, for the format `android-safetynet`.
    public let safetyNet: SafetyNetResponse?
    /// The statements inside a statement of the format `compound`.
    public let parts: [AttestationFacts]

    /// The manufacturer of the TPM.
    public var tpmIdentity: TPMIdentity? { leaf.flatMap { TPMIdentity($0) } }
    /// Android's description of the key.
    public var androidKey: AndroidKeyDescription? { leaf?.androidKeyDescription }
    /// The first certificate.
    public var leaf: AttestationCertificate? { certificates.first.flatMap { try? $0.get() } }

    /// Reads an attestation object.
    public init(_ object: AttestationObject) {
        self.init(format: object.format, statement: object.statement)
    }

    /// Reads a statement.
    ///
    /// - Parameters:
    ///   - format: The statement's format.
    ///   - statement: The statement as CBOR.
    public init(format: String, statement: [UInt8]) {
        let members = try? StatementMembers(statement, required: [], optional: .all, section: "")
        let response = members.flatMap { try? JSONWebSignature($0.response) }
        self.format = format
        algorithm = members?.algorithm
        certificates = (members?.certificates ?? response?.certificates ?? []).map { encoded in
            do throws(CertificateError) {
                return .success(try AttestationCertificate(encoded))
            } catch {
                return .failure(error)
            }
        }
        tpmCertInfo = members.flatMap { try? TPMCertInfo($0.certInfo) }
        tpmPublicArea = members.flatMap { try? TPMPublicArea($0.pubArea) }
        safetyNet = response.flatMap { try? SafetyNetResponse($0) }
        let inner = format == "compound" ? try? CompoundAttestation.read(statement.span) : nil
        parts = (inner ?? []).map { AttestationFacts(format: $0.format, statement: Array(statement[$0.statement])) }
    }
}

extension AttestationCertificate: CustomStringConvertible {
    /// One line for a log: the subject and the issuer.
    public var description: String {
        "\(subject.isEmpty ? "nobody" : subject.description), a \(keyDescription) key, signed with \(signatureAlgorithm) by \(issuer)"
    }
}
