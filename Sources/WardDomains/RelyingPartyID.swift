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

    /// Reads an RP ID.
    ///
    /// - Parameters:
    ///   - text: A domain name. `localhost` is allowed; IP addresses, ports and public suffixes are not.
    ///   - suffixes: The public suffix list.
    /// - Throws: ``OriginError`` that says what is wrong.
    public init(_ text: String, suffixes: PublicSuffixList = .system) throws(OriginError) {
        let domain = try DomainName(text)
        guard domain.isLocalhost || !suffixes.isPublicSuffix(domain) else {
            throw OriginError(.publicSuffix, "\(domain) is a public suffix, so it cannot be an RP ID")
        }
        self.domain = domain
        hash = Array(SHA256.hash(data: Array(text.utf8)))
    }

    /// The domain's text.
    public var description: String { domain.description }

    /// Whether a page of this origin may use this RP ID, without a list of related origins.
    ///
    /// The origin's host must be the RP ID or below it. The RP ID itself is never a public suffix.
    ///
    /// HTML, [is a registrable domain suffix of or is equal
    /// to](https://html.spec.whatwg.org/multipage/browsers.html#is-a-registrable-domain-suffix-of-or-is-equal-to).
    public func covers(_ origin: WebOrigin) -> Bool {
        origin.host.isEqualToOrBelow(domain)
    }
}
