package import WardAttestation
package import WardWebAuthn

/// What the FIDO Metadata Service says about models of authenticators, at one time.
///
/// A report counts from the day on which it takes effect, so the same entries can say more tomorrow.
package struct KnownModels: Sendable {
    /// No models: then no attestation proves one.
    package static let none = Self([], at: 0)

    private let entries: [AAGUID: MetadataEntry]
    private let now: Int64

    /// Takes the models that have an AAGUID.
    ///
    /// Keys of FIDO U2F have none. They verify nobody, so no rule counts them.
    ///
    /// - Parameters:
    ///   - entries: The entries of a verified BLOB.
    ///   - now: Seconds since 1970.
    package init(_ entries: [MetadataEntry], at now: Int64) {
        var byModel: [AAGUID: MetadataEntry] = [:]
        for entry in entries {
            guard let model = entry.aaguid, model != .zero else { continue }
            byModel[model] = byModel[model] ?? entry
        }
        self.init(byModel, at: now)
    }

    private init(_ entries: [AAGUID: MetadataEntry], at now: Int64) {
        self.entries = entries
        self.now = now
    }

    /// The same entries at another time.
    func at(_ now: Int64) -> Self { Self(entries, at: now) }

    /// The status of a model; `nil` if it is not listed.
    package func status(of model: AAGUID) -> AuthenticatorStatus? { entries[model]?.status(at: now) }
}

extension KnownModels: AttestationAnchorSource {
    /// The roots of a model.
    ///
    /// They come without a status, because a rule looks at the status each time that it counts a passkey.
    package func entry(for authenticator: AuthenticatorIdentity) -> AuthenticatorEntry? {
        entries[authenticator.aaguid].map { AuthenticatorEntry(anchors: $0.anchors) }
    }
}
