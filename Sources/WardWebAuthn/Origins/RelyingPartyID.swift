internal import Crypto

/// The domain a credential belongs to: the origin's own host, or a suffix of it that strangers cannot register under.
///
/// WebAuthn Level 3, [§4](https://www.w3.org/TR/webauthn-3/#rp-id).
public struct RelyingPartyID: Hashable, Sendable, CustomStringConvertible {
    /// The domain.
    public let domain: DomainName
    /// SHA-256 of the domain's text: what authenticator data carries.
    public let hash: [UInt8]

    /// Reads an RP ID.
    ///
    /// - Parameters:
    ///   - text: A domain name; `localhost` is taken, IP addresses, ports and public suffixes are not.
    ///   - suffixes: The list that decides what a public suffix is.
    /// - Throws: ``OriginError`` saying what stands in the way.
    public init(_ text: String, suffixes: PublicSuffixList = .system) throws(OriginError) {
        let domain = try DomainName(text)
        guard domain.isLocalhost || !suffixes.isPublicSuffix(domain) else {
            throw OriginError(.publicSuffix, "strangers register names under \(domain), so it cannot be an RP ID")
        }
        self.domain = domain
        hash = Array(SHA256.hash(data: Array(text.utf8)))
    }

    /// The domain's text.
    public var description: String { domain.description }

    /// Whether a page of this origin may use this RP ID on its own, without a list of related origins.
    ///
    /// The origin's host is the RP ID or lies below it; the RP ID itself is known not to be a public suffix.
    ///
    /// HTML, [is a registrable domain suffix of or is equal
    /// to](https://html.spec.whatwg.org/multipage/browsers.html#is-a-registrable-domain-suffix-of-or-is-equal-to).
    public func covers(_ origin: WebOrigin) -> Bool {
        origin.host.isEqualToOrBelow(domain)
    }
}
