public import WardCOSE
public import WardWebAuthn

/// What an attestation statement says, decoded for people and not verified: none of it is more than a claim.
///
/// Nothing here throws: what cannot be read is left out, so that a debugger can show the rest.
public struct AttestationFacts: Sendable {
    /// The statement's format.
    public let format: String
    /// What it says it is signed with.
    public let algorithm: COSEAlgorithmIdentifier?
    /// The certificates, the one that signs first, each with the reason where it cannot be read.
    public let certificates: [Result<AttestationCertificate, CertificateError>]
    /// What a TPM signed, for the format `tpm`.
    public let tpmCertInfo: TPMCertInfo?
    /// What a TPM publishes of the key, for the format `tpm`.
    public let tpmPublicArea: TPMPublicArea?
    /// What SafetyNet answered, for the format `android-safetynet`.
    public let safetyNet: SafetyNetResponse?
    /// The statements inside, for the format `compound`.
    public let parts: [AttestationFacts]

    /// Who made the TPM.
    public var tpmIdentity: TPMIdentity? { leaf.flatMap { TPMIdentity($0) } }
    /// What Android says of the key.
    public var androidKey: AndroidKeyDescription? { leaf?.androidKeyDescription }
    /// The first certificate.
    public var leaf: AttestationCertificate? { certificates.first.flatMap { try? $0.get() } }

    /// Reads what there is.
    public init(_ object: AttestationObject) {
        self.init(format: object.format, statement: object.statement)
    }

    /// Reads what there is.
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
    /// One line for a log: whom it speaks of, and who says so.
    public var description: String {
        "\(subject.isEmpty ? "nobody" : subject.description), a \(keyDescription) key, signed with \(signatureAlgorithm) by \(issuer)"
    }
}
