public import WardRelyingParty

extension AttestationFormats {
    /// All formats of WebAuthn Level 3, section 8, with the least strict settings that the specification allows.
    ///
    /// ```swift
    /// var policy = RelyingPartyPolicy()
    /// policy.attestation = AttestationPolicy(
    /// conveyance: .direct,
    /// formats: .all,
    /// judge: AttestationRequirements(anchors: try TrustAnchors(pem: roots))
    /// )
    /// ```
    public static let all = all()

    /// All formats, with stricter settings for some of them.
    ///
    /// - Parameters:
    ///   - packed: §8.2.
    ///   - tpm: §8.3.
    ///   - androidKey: §8.4.
    ///   - androidSafetyNet: §8.5.
    /// - Returns: These formats, `fido-u2f`, `none`, `apple`, and `compound` with all of them.
    public static func all(
        packed: PackedAttestation = .init(),
        tpm: TPMAttestation = .init(),
        androidKey: AndroidKeyAttestation = .init(),
        androidSafetyNet: AndroidSafetyNetAttestation = .init()
    ) -> AttestationFormats {
        let single: [any AttestationFormat] = [
            packed, tpm, androidKey, androidSafetyNet, FIDOU2FAttestation(), NoneAttestation(), AppleAttestation(),
        ]
        return AttestationFormats(single + [CompoundAttestation(formats: AttestationFormats(single))])
    }
}
