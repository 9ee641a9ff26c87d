public import WardRelyingParty
public import WardWebAuthn

/// What a service asks of authenticators: who has to vouch for them, and which it takes.
///
/// The defaults ask for a statement that leads to an anchor. `none` and self attestation never do, whatever is claimed in
/// them:
///
/// ```swift
/// var requirements = AttestationRequirements(anchors: try TrustAnchors(pem: roots))
/// requirements.formats = ["packed", "tpm"]
/// requirements.deniedAuthenticators = [lostModel]
/// ```
///
/// WebAuthn Level 3, [§7.1](https://www.w3.org/TR/webauthn-3/#sctn-registering-a-new-credential), steps 23 and 24.
public struct AttestationRequirements: AttestationJudge {
    /// Where anchors come from.
    public var anchors: any AttestationAnchorSource
    /// Whether a chain has to lead to an anchor.
    ///
    /// `false` takes everybody whose statement holds, and reports how far it is
    /// trusted; what follows below still counts, and most of it asks for a chain by itself.
    public var requiresTrustedChain = true
    /// The formats that are taken, or `nil` for all.
    ///
    /// In a compound statement, parts of other formats do not count.
    public var formats: Set<String>?
    /// The only models that are taken, or `nil` for all.
    ///
    /// A model is believed where a trusted chain vouches for it: its anchors are listed for that very model, or its
    /// certificate names it. So this asks for such a chain.
    public var allowedAuthenticators: Set<AAGUID>?
    /// Models that are refused, whether or not anybody vouches for what they claim.
    public var deniedAuthenticators: Set<AAGUID> = []
    /// The level of certification that is asked for, or `nil` for none.
    ///
    /// Known of trusted chains only, so it asks for one,
    /// and for a source that knows levels.
    public var minimumCertification: CertificationLevel?
    /// What must not be known against a model.
    public var refusedConcerns: Set<AuthenticatorConcern> = [
        .revoked, .userVerificationBypass, .attestationKeyCompromise, .userKeyRemoteCompromise,
        .userKeyPhysicalCompromise,
    ]
    /// Whether a chain may carry the root it leads to.
    ///
    /// It is trusted for being listed, so that is harmless; FIDO's
    /// conformance tests want it refused.
    public var acceptsRootInChain = true
    /// Whether certificates may hold the number of the very device, which only enterprise attestation is allowed to have:
    /// WebAuthn Level 3, [§8.2.2](https://www.w3.org/TR/webauthn-3/#sctn-enterprise-packed-attestation-cert-requirements).
    public var acceptsDeviceSerialNumbers = false

    /// Starts from anchors.
    public init(anchors: any AttestationAnchorSource) {
        self.anchors = anchors
    }

    /// Finds the trust anchors and judges: steps 23 and 24.
    ///
    /// - Parameters:
    ///   - evidence: What the format's procedure proved.
    ///   - statement: The statement and what it speaks of.
    ///   - now: Seconds since 1970.
    /// - Returns: How far the attestation is trusted.
    /// - Throws: `AttestationRefusal` when that is not enough.
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
                throw AttestationRefusal(.notTrusted, "nobody vouches that the model is \(aaguid)")
            }
            guard allowedAuthenticators.contains(model) else {
                throw AttestationRefusal(
                    .authenticatorNotAllowed,
                    "the model \(model) is not among those that are taken"
                )
            }
        }
        if let minimumCertification, findings.certification < minimumCertification {
            throw AttestationRefusal(
                .authenticatorNotAllowed,
                "the model \(aaguid) is \(findings.certification), \(minimumCertification) is asked for"
            )
        }
        return findings.trust
    }

    private func checkIsNotDenied(_ aaguid: AAGUID) throws(AttestationRefusal) {
        guard !deniedAuthenticators.contains(aaguid) else {
            throw AttestationRefusal(.authenticatorNotAllowed, "the model \(aaguid) is not taken")
        }
    }

    /// How far something is trusted, and why not further.
    private struct Findings {
        var trust: AttestationTrust
        var reason = ""
        /// The model, where a chain vouches for it.
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
            throw AttestationRefusal(.formatNotAllowed, "statements of the format \(format.printable) are not taken")
        }
        switch evidence {
        case .none: return Findings(trust: .none, reason: "the statement claims nothing")
        case .unverified: return Findings(trust: .none, reason: "the statement cannot be verified")
        case .selfAttestation:
            return Findings(trust: .selfAttestation, reason: "the credential vouches for itself, and nobody else does")
        case .certificates(let chain): return try assess(chain, format, aaguid, at: now)
        case .compound: return Findings(trust: .none)
        }
    }

    /// The best of several statements counts; what is known against a model counts from whichever says so.
    private func assess(
        _ parts: [AttestationEvidence.Part],
        _ aaguid: AAGUID,
        at now: Int64
    ) throws(AttestationRefusal) -> Findings {
        var best: Findings?
        var refusal = AttestationRefusal(.notTrusted, "no statement proves anything")
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
            throw AttestationRefusal(.authenticatorNotAllowed, "the certificate names the very device (§8.2.2)")
        }
        if !acceptsRootInChain, certificates.count > 1, certificates.last?.isSelfIssued == true {
            return Findings(trust: .none, reason: "the chain carries its root")
        }
        if let named = leaf.aaguid { try checkIsNotDenied(named) }
        // The signature of fido-u2f does not cover the AAGUID, so there it is not even a claim.
        let claimed = format == "fido-u2f" ? .zero : aaguid
        let identity = AuthenticatorIdentity(
            aaguid: claimed,
            format: format,
            keyIdentifiers: claimed == .zero ? certificates.map(\.keyIdentifier) : []
        )
        guard let entry = anchors.entry(for: identity) else {
            return Findings(trust: .none, reason: "the model \(claimed) is not known")
        }
        // What is known against a model is believed of whoever claims to be one.
        let concerns = entry.status?.concerns.intersection(refusedConcerns).map(\.rawValue) ?? []
        if let concern = concerns.min() {
            throw AttestationRefusal(.authenticatorNotAllowed, "the model \(claimed) is known for \(concern)")
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
