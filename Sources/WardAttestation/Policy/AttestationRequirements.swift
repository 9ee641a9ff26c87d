public import WardRelyingParty
public import WardWebAuthn

/// A service's requirements for authenticators: the trust anchors, and the allowed models and formats.
///
/// By default the certificates of a statement must lead to an anchor. Statements with the format `none` and self attestation
/// never do that:
///
/// ```swift
/// var requirements = AttestationRequirements(anchors: try TrustAnchors(pem: roots))
/// requirements.formats = ["packed", "tpm"]
/// requirements.deniedAuthenticators = [lostModel]
/// ```
///
/// WebAuthn Level 3, [§7.1](https://www.w3.org/TR/webauthn-3/#sctn-registering-a-new-credential), steps 23 and 24.
public struct AttestationRequirements: AttestationJudge {
    /// The source of trust anchors.
    public var anchors: any AttestationAnchorSource
    /// Whether a chain must lead to an anchor.
    ///
    /// With `false`, every valid statement is accepted, and the result says how far it is trusted. The other requirements still
    /// apply, and most of them need a chain.
    public var requiresTrustedChain = true
    /// The allowed formats, or `nil` for all.
    ///
    /// In a compound statement, parts of other formats do not count.
    public var formats: Set<String>?
    /// The allowed models, or `nil` for all.
    ///
    /// A model counts only if a trusted chain proves it: the anchors are listed for this model, or the certificate names the
    /// model. So a list of models also requires such a chain.
    public var allowedAuthenticators: Set<AAGUID>?
    /// The refused models.
    ///
    /// An authenticator is refused even if it only claims to be such a model.
    public var deniedAuthenticators: Set<AAGUID> = []
    /// The required certification level, or `nil` for none.
    ///
    /// The level is known only for trusted chains. So this setting requires a chain, and a source of anchors that knows levels.
    public var minimumCertification: CertificationLevel?
    /// The known problems that lead to refusal.
    public var refusedConcerns: Set<AuthenticatorConcern> = [
        .revoked, .userVerificationBypass, .attestationKeyCompromise, .userKeyRemoteCompromise,
        .userKeyPhysicalCompromise,
    ]
    /// Whether a chain may contain its root.
    ///
    /// A root in a chain is harmless, because a root is trusted only if it is listed. But FIDO's conformance tests require
    /// refusal.
    public var acceptsRootInChain = true
    /// Whether certificates may contain the device's serial number, which only enterprise attestation may have:
    /// WebAuthn Level 3,
    /// [§8.2.2](https://www.w3.org/TR/webauthn-3/#sctn-enterprise-packed-attestation-cert-requirements).
    public var acceptsDeviceSerialNumbers = false

    /// Creates requirements with a source of anchors.
    public init(anchors: any AttestationAnchorSource) {
        self.anchors = anchors
    }

    /// Finds the trust anchors and decides: steps 23 and 24.
    ///
    /// - Parameters:
    ///   - evidence: What the statement proved.
    ///   - statement: The statement and the data that it covers.
    ///   - now: Seconds since 1970.
    /// - Returns: How far the attestation is trusted.
    /// - Throws: `AttestationRefusal` if the evidence is not enough.
    public func judge(
        _ evidence: AttestationEvidence,
        of statement: AttestationStatement,
        at now: Int64
    ) throws(AttestationRefusal) -> AttestationTrust {
        let aaguid = statement.credential.aaguid
        try checkIsNotDenied(aaguid)
        // L3 §7.1, step 23: "obtain a list of acceptable trust anchors".
        let findings = try assess(evidence, statement.format, aaguid, at: now)
        // Step 24: "Assess the attestation trustworthiness".
        guard case .chain = findings.trust else {
            guard !requiresTrustedChain, allowedAuthenticators == nil, minimumCertification == nil else {
                throw AttestationRefusal(.notTrusted, findings.reason)
            }
            return findings.trust
        }
        if let allowedAuthenticators {
            guard let model = findings.model else {
                throw AttestationRefusal(.notTrusted, "no trusted chain proves that the model is \(aaguid)")
            }
            guard allowedAuthenticators.contains(model) else {
                throw AttestationRefusal(
                    .authenticatorNotAllowed,
                    "the model \(model) is not among the allowed ones"
                )
            }
        }
        if let minimumCertification, findings.certification < minimumCertification {
            throw AttestationRefusal(
                .authenticatorNotAllowed,
                "the model \(aaguid) is \(findings.certification), but \(minimumCertification) is required"
            )
        }
        return findings.trust
    }

    private func checkIsNotDenied(_ aaguid: AAGUID) throws(AttestationRefusal) {
        guard !deniedAuthenticators.contains(aaguid) else {
            throw AttestationRefusal(.authenticatorNotAllowed, "the model \(aaguid) is not allowed")
        }
    }

    /// How far a statement is trusted, and why it is not trusted further.
    private struct Findings {
        var trust: AttestationTrust
        var reason = ""
        /// The model, if a trusted chain proves it.
        var model: AAGUID?
        var certification = CertificationLevel.notCertified
    }

    private func assess(
        _ evidence: AttestationEvidence,
        _ format: String,
        _ aaguid: AAGUID,
        at now: Int64
    ) throws(AttestationRefusal) -> Findings {
        if case .compound(let parts) = evidence {
            return try assess(parts, aaguid, at: now)
        }
        if let formats, !formats.contains(format) {
            throw AttestationRefusal(.formatNotAllowed, "statements of the format \(format.printable) are not allowed")
        }
        switch evidence {
        case .none: return Findings(trust: .none, reason: "the statement claims nothing")
        case .unverified: return Findings(trust: .none, reason: "the statement cannot be verified")
        case .selfAttestation:
            return Findings(trust: .selfAttestation, reason: "self attestation proves nothing about the authenticator")
        case .certificates(let chain): return try assess(chain, format, aaguid, at: now)
        case .compound: return Findings(trust: .none)
        }
    }

    /// If there are several statements, the best one counts.
    ///
    /// A known problem counts, no matter which statement shows it.
    private func assess(
        _ parts: [AttestationEvidence.Part],
        _ aaguid: AAGUID,
        at now: Int64
    ) throws(AttestationRefusal) -> Findings {
        var best: Findings?
        var refusal = AttestationRefusal(.notTrusted, "there is no attestation statement that proves the model")
        for part in parts {
            do throws(AttestationRefusal) {
                let findings = try assess(part.evidence, part.format, aaguid, at: now)
                if best.map({ Self.rank($0.trust) < Self.rank(findings.trust) }) ?? true { best = findings }
            } catch {
                guard error.reason == .formatNotAllowed else { throw error }
                refusal = error
            }
        }
        guard let best else { throw refusal }
        return best
    }

    private static func rank(_ trust: AttestationTrust) -> Int {
        switch trust {
        case .none: 0
        case .notAssessed: 1
        case .selfAttestation: 2
        case .chain: 3
        }
    }

    private func assess(
        _ chain: [[UInt8]],
        _ format: String,
        _ aaguid: AAGUID,
        at now: Int64
    ) throws(AttestationRefusal) -> Findings {
        var certificates: [AttestationCertificate] = []
        for encoded in chain {
            do {
                certificates.append(try AttestationCertificate(encoded))
            } catch {
                return Findings(trust: .none, reason: "\(error)")
            }
        }
        guard let leaf = certificates.first else { return Findings(trust: .none, reason: "there is no certificate") }
        if !acceptsDeviceSerialNumbers, leaf.extension(KnownExtension.fidoSerialNumber) != nil {
            throw AttestationRefusal(
                .authenticatorNotAllowed,
                "the certificate identifies the individual device (§8.2.2)"
            )
        }
        if !acceptsRootInChain, certificates.count > 1, certificates.last?.isSelfIssued == true {
            return Findings(trust: .none, reason: "the chain contains its root")
        }
        if let named = leaf.aaguid { try checkIsNotDenied(named) }
        // The signature of fido-u2f does not cover the AAGUID, so the AAGUID is ignored.
        let claimed = format == "fido-u2f" ? .zero : aaguid
        let identity = AuthenticatorIdentity(
            aaguid: claimed,
            format: format,
            keyIdentifiers: claimed == .zero ? certificates.map(\.keyIdentifier) : []
        )
        guard let entry = anchors.entry(for: identity) else {
            return Findings(trust: .none, reason: "the model \(claimed) is unknown")
        }
        // Known problems count for every authenticator that claims to be the model.
        let concerns = entry.status?.concerns.intersection(refusedConcerns).map(\.rawValue) ?? []
        if let concern = concerns.min() {
            throw AttestationRefusal(.authenticatorNotAllowed, "the model \(claimed) has the known problem \(concern)")
        }
        do {
            let path = try entry.anchors.path(for: certificates, at: now)
            return Findings(
                trust: .chain(to: path.anchor.encoded),
                model: leaf.aaguid ?? (entry.isForThisModel && claimed != .zero ? claimed : nil),
                certification: entry.status?.certification ?? .notCertified
            )
        } catch {
            return Findings(trust: .none, reason: "\(error)")
        }
    }
}
