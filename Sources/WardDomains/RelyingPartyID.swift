internal import Crypto
public import WardWebAuthn

/// The RP ID: the domain of a credential.
///
/// It is the origin's own host, or a parent domain that is not a public suffix.
///
/// WebAuthn Level 3, [§4](https://www.w3.org/TR/webauthn-3/#rp-id).
public struct RelyingPartyID: Hashable, Sendable, CustomStringConvertible {
    /// The domain.
    public let domain: DomainName
    /// SHA-256 of the domain's text, as in authenticator data.
    public let hash: [UInt8]
    /// Whether only pages of exactly this host may use the RP ID, because it is a public suffix or a name without a dot, or because
    /// there is no list of public suffixes.
    public let isHostOnly: Bool

    /// Reads an RP ID that pages on hosts below it may also use.
    ///
    /// - Parameters:
    ///   - text: A domain name. `localhost` is allowed; IP addresses, ports and public suffixes are not.
    ///   - suffixes: The public suffix list.
    /// - Throws: `OriginError` that says what is wrong.
    public init(_ text: String, suffixes: PublicSuffixList = .system) throws(OriginError) {
        let domain = try DomainName(text)
        if let refusal = suffixes.refusal(of: domain) {
            throw OriginError(refusal.code, "\(domain) cannot be an RP ID: \(refusal.detail)")
        }
        self.init(domain, isHostOnly: false)
    }

    /// Reads an RP ID that may also be a public suffix or a name without a dot, as in a company's own network.
    ///
    /// HTML needs the public suffix list only if the host of a page and the RP ID differ. So without a list the RP ID is for pages of
    /// exactly this host.
    ///
    /// - Parameters:
    ///   - host: A domain name; IP addresses and ports are not allowed.
    ///   - suffixes: The public suffix list.
    /// - Throws: `OriginError` that says what is wrong.
    public init(host: String, suffixes: PublicSuffixList = .system) throws(OriginError) {
        let domain = try DomainName(host)
        self.init(domain, isHostOnly: suffixes.refusal(of: domain) != nil)
    }

    private init(_ domain: DomainName, isHostOnly: Bool) {
        self.domain = domain
        self.isHostOnly = isHostOnly
        hash = Array(SHA256.hash(data: Array(domain.description.utf8)))
    }

    /// The domain's text.
    public var description: String { domain.description }

    /// Whether a page of this origin may use this RP ID, without a list of related origins.
    ///
    /// The origin's host must be the RP ID or, unless the RP ID is a public suffix, below it.
    ///
    /// HTML, [is a registrable domain suffix of or is equal
    /// to](https://html.spec.whatwg.org/multipage/browsers.html#is-a-registrable-domain-suffix-of-or-is-equal-to).
    public func covers(_ origin: WebOrigin) -> Bool {
        isHostOnly ? origin.host == domain : origin.host.isEqualToOrBelow(domain)
    }
}
