internal import WardAttestation
internal import WardRelyingParty

/// Certificates must lead to an anchor.
///
/// Statements without certificates are accepted, so that an inspection shows `none` as it is.
struct CertificateJudge: AttestationJudge {
    private let strict: AttestationRequirements
    private let lenient: AttestationRequirements

    init(anchors: any AttestationAnchorSource) {
        strict = AttestationRequirements(anchors: anchors)
        var requirements = strict
        requirements.requiresTrustedChain = false
        lenient = requirements
    }

    func judge(
        _ evidence: AttestationEvidence,
        of statement: AttestationStatement,
        at now: Int64
    ) throws(AttestationRefusal) -> AttestationTrust {
        switch evidence {
        case .certificates, .compound: try strict.judge(evidence, of: statement, at: now)
        default: try lenient.judge(evidence, of: statement, at: now)
        }
    }
}

/// Trusts the anchors of the metadata service for the authenticator models it lists, and the given anchors for all others.
struct KnownAuthenticators: AttestationAnchorSource {
    let blob: MetadataBLOB
    let others: TrustAnchors

    func entry(for authenticator: AuthenticatorIdentity) -> AuthenticatorEntry? {
        blob.entry(for: authenticator) ?? (others.isEmpty ? nil : others.entry(for: authenticator))
    }
}
