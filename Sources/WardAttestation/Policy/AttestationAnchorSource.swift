public import WardWebAuthn

/// The authenticator model for which anchors are requested.
public struct AuthenticatorIdentity: Hashable, Sendable {
    /// The AAGUID that the authenticator claims.
    ///
    /// It is zero if the authenticator does not send one, or if no signature covers it (`fido-u2f`).
    public let aaguid: AAGUID
    /// The statement's format.
    public let format: String
    /// The key identifiers of its certificates, the authenticator's own first, for models without AAGUID.
    public let keyIdentifiers: [[UInt8]]

    /// Creates an identity.
    public init(aaguid: AAGUID, format: String, keyIdentifiers: [[UInt8]]) {
        self.aaguid = aaguid
        self.format = format
        self.keyIdentifiers = keyIdentifiers
    }
}

/// The entry of a model: its trust anchors and its status.
public struct AuthenticatorEntry: Sendable {
    /// The trust anchors for its certificates.
    public var anchors: TrustAnchors
    /// The model's status, or `nil` if it is unknown; then no certification level is reached.
    public var status: AuthenticatorStatus?
    /// Whether the anchors are listed for this particular model, so that a chain to them proves the model.
    ///
    /// If not, a chain proves only the vendor, unless its first certificate names the model. On a phone or a PC any program may
    /// have written the AAGUID.
    public var isForThisModel: Bool

    /// Creates an entry.
    public init(anchors: TrustAnchors, status: AuthenticatorStatus? = nil, isForThisModel: Bool = true) {
        self.anchors = anchors
        self.status = status
        self.isForThisModel = isForThisModel
    }
}

/// A source of trust anchors: a fixed list, or the metadata service.
///
/// It is used during a verification, so it must answer from memory without waiting: a source that downloads must do so
/// beforehand and provide a snapshot.
///
/// WebAuthn Level 3, [§7.1](https://www.w3.org/TR/webauthn-3/#sctn-registering-a-new-credential), step 23.
public protocol AttestationAnchorSource: Sendable {
    /// Finds the entry of a model.
    ///
    /// - Parameter authenticator: The model. Its AAGUID is only a claim until a chain leads to one of the returned
    ///   anchors.
    /// - Returns: The entry, or `nil` if the model is unknown.
    func entry(for authenticator: AuthenticatorIdentity) -> AuthenticatorEntry?
}

extension TrustAnchors: AttestationAnchorSource {
    /// The same anchors for every model, without a status.
    public func entry(for authenticator: AuthenticatorIdentity) -> AuthenticatorEntry? {
        AuthenticatorEntry(anchors: self, isForThisModel: false)
    }
}

/// Anchors by model, so that one vendor's authority cannot attest another vendor's model.
public struct AuthenticatorList: AttestationAnchorSource {
    /// The entries by model.
    public var entries: [AAGUID: AuthenticatorEntry]
    /// The trust anchors for all other models.
    public var others: TrustAnchors

    /// Creates a list.
    public init(entries: [AAGUID: AuthenticatorEntry], others: TrustAnchors = .none) {
        self.entries = entries
        self.others = others
    }

    /// The model's entry, or the entry for other models.
    public func entry(for authenticator: AuthenticatorIdentity) -> AuthenticatorEntry? {
        entries[authenticator.aaguid] ?? others.entry(for: authenticator)
    }
}
