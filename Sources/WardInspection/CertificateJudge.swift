internal import WardAttestation
internal import WardRelyingParty

/// Asks of certificates that they lead to an anchor, and nothing of statements that have none: whoever inspects a corpus wants
/// to see `none` as it is.
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

/// The metadata service's models, and for all others the anchors that were given.
struct KnownAuthenticators: AttestationAnchorSource {
    let blob: MetadataBLOB
    let others: TrustAnchors

    func entry(for authenticator: AuthenticatorIdentity) -> AuthenticatorEntry? {
        blob.entry(for: authenticator) ?? (others.isEmpty ? nil : others.entry(for: authenticator))
    }
}
