import WardAccounts
import WardAttestation
import WardRelyingParty
import WardWebAuthn

/// Trusts an attestation that proves the model of the authenticator, and refuses none.
///
/// Whether a passkey needs a proof, and whether the model may have problems, is for the rules to say.
struct MetadataJudge: AttestationJudge {
    let metadata: AuthenticatorMetadata

    func judge(
        _ evidence: AttestationEvidence,
        of statement: AttestationStatement,
        at now: Int64
    ) -> AttestationTrust {
        var requirements = AttestationRequirements(anchors: metadata.models(at: now))
        // A chain counts only if it proves this model, and not just its vendor.
        requirements.allowedAuthenticators = [statement.credential.aaguid]
        do { return try requirements.judge(evidence, of: statement, at: now) } catch { return .none }
    }
}

/// A format whose wrong certificates prove nothing, as if there were none.
///
/// Without rules that ask for attestation, certificates are not looked at either. Self attestation must be right in both cases.
private struct LenientFormat: AttestationFormat {
    let full: any AttestationFormat
    let basic: (any AttestationFormat)?

    var identifier: String { full.identifier }

    func verify(_ statement: AttestationStatement) throws(AttestationError) -> AttestationEvidence {
        do { return try full.verify(statement) } catch {
            guard let basic else { return .unverified }
            return try basic.verify(statement)
        }
    }
}

extension AttestationPolicy {
    /// Asks for nothing unless a registration does, and trusts what proves a model.
    static func proving(_ metadata: AuthenticatorMetadata) -> Self {
        let (full, basic): (AttestationFormats, AttestationFormats) = (.all, .basic)
        let lenient = full.identifiers.compactMap { name in
            full[name].map { LenientFormat(full: $0, basic: basic[name]) }
        }
        return Self(conveyance: .none, formats: AttestationFormats(lenient), judge: MetadataJudge(metadata: metadata))
    }
}

extension VerifiedRegistration {
    /// The model that the attestation proved.
    ///
    /// - Parameter now: Seconds since 1970.
    /// - Returns: The model; `nil` if the attestation proved none.
    func verifiedModel(at now: Int64) -> VerifiedModel? {
        // Only `MetadataJudge` trusts a chain, and only one that proves the AAGUID.
        guard case .chain = attestation.trust else { return nil }
        return VerifiedModel(aaguid: credential.aaguid, format: attestation.format, verifiedAt: now)
    }
}
