public import WardWebAuthn

/// Which model of authenticator is asked about.
public struct AuthenticatorIdentity: Hashable, Sendable {
    /// The model, by its own account; zero where it does not say, or where no signature covers what it says (`fido-u2f`).
    public let aaguid: AAGUID
    /// The statement's format.
    public let format: String
    /// The identifiers of the keys in its certificates, the authenticator's own first: for models without AAGUID.
    public let keyIdentifiers: [[UInt8]]

    /// Takes all three.
    public init(aaguid: AAGUID, format: String, keyIdentifiers: [[UInt8]]) {
        self.aaguid = aaguid
        self.format = format
        self.keyIdentifiers = keyIdentifiers
    }
}

/// What is known of a model: whom its certificates have to lead to, and what to think of it.
public struct AuthenticatorEntry: Sendable {
    /// Whom its certificates have to lead to.
    public var anchors: TrustAnchors
    /// What is known besides, or `nil` where nobody keeps track: then no level of certification is reached.
    public var status: AuthenticatorStatus?
    /// Whether these anchors are listed for the model that was asked about, and vouch for it by that.
    ///
    /// Where they are not, a chain proves a vendor and no model, unless its first certificate names the model itself:
    /// what the authenticator says of its model may have been written by any program on a phone or a PC.
    public var isForThisModel: Bool

    /// Takes all three.
    public init(anchors: TrustAnchors, status: AuthenticatorStatus? = nil, isForThisModel: Bool = true) {
        self.anchors = anchors
        self.status = status
        self.isForThisModel = isForThisModel
    }
}

/// Where trust anchors come from: a list that was written down, or the metadata service.
///
/// Asked during a verification, so it answers from what it holds and waits for nothing: a source that fetches does so
/// beforehand and hands out a snapshot.
///
/// WebAuthn Level 3, [§7.1](https://www.w3.org/TR/webauthn-3/#sctn-registering-a-new-credential), step 23.
public protocol AttestationAnchorSource: Sendable {
    /// Looks a model up.
    ///
    /// - Parameter authenticator: The model. Its AAGUID is a claim until a chain leads to one of the anchors returned.
    /// - Returns: What is known of it, or `nil` where it is not known.
    func entry(for authenticator: AuthenticatorIdentity) -> AuthenticatorEntry?
}

extension TrustAnchors: AttestationAnchorSource {
    /// The same anchors for everybody, and nothing known besides.
    public func entry(for authenticator: AuthenticatorIdentity) -> AuthenticatorEntry? {
        AuthenticatorEntry(anchors: self, isForThisModel: false)
    }
}

/// Anchors written down by model, so that one vendor's authority cannot vouch for another vendor's model.
public struct AuthenticatorList: AttestationAnchorSource {
    /// What is known, by model.
    public var entries: [AAGUID: AuthenticatorEntry]
    /// Whom other models' certificates have to lead to.
    public var others: TrustAnchors

    /// Takes both.
    public init(entries: [AAGUID: AuthenticatorEntry], others: TrustAnchors = .none) {
        self.entries = entries
        self.others = others
    }

    /// The model's entry, or that of all others.
    public func entry(for authenticator: AuthenticatorIdentity) -> AuthenticatorEntry? {
        entries[authenticator.aaguid] ?? others.entry(for: authenticator)
    }
}
