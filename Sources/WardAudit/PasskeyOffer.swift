package import WardDomains
internal import WardText
internal import WardWebAuthn

/// What a site says of its passkeys.
package struct PasskeyOffer: Hashable, Sendable {
    /// The path of a site where it says so.
    ///
    /// [Passkey Endpoints](https://w3c.github.io/webappsec-passkey-endpoints/)
    package static let path = "/.well-known/passkey-endpoints"
    /// The maximum size of a site's answer, in bytes.
    package static let maximumSize = 16 << 10

    /// The site's domain, in lower case.
    ///
    /// Its passkeys can be used there and below.
    package let domain: String
    /// The page where a person adds a passkey or reads how, if there is one.
    package let address: String?

    package init(domain: String, address: String?) {
        self.domain = domain
        self.address = address
    }

    /// Reads a site's answer.
    ///
    /// An empty object says that the site supports passkeys. A page of another site, or one without https, is left out. The
    /// result is `nil` if the answer is not an object in JSON.
    ///
    /// - Parameters:
    ///   - domain: The domain that was asked.
    ///   - document: The JSON that it answered with status 200.
    ///   - suffixes: The public suffix list.
    package init?(domain: String, document: [UInt8], suffixes: PublicSuffixList) {
        guard document.count <= Self.maximumSize, let json = try? JSONValue(document), json.objectValue != nil else {
            return nil
        }
        self.domain = domain
        address = json["enroll"]?.stringValue.flatMap { Self.isPage($0, of: domain, suffixes) ? $0 : nil }
    }

    private static func isPage(_ address: String, of domain: String, _ suffixes: PublicSuffixList) -> Bool {
        guard address.utf8.count <= 2048, address.hasPrefix("https://"),
            // A backslash is a slash for a browser and not for other readers.
            address.utf8.allSatisfy({ (0x21...0x7e).contains($0) && $0 != 0x5c }), let asked = try? DomainName(domain)
        else { return false }
        let authority = address.dropFirst("https://".count).prefix { !"/?#".contains($0) }
        guard let origin = try? WebOrigin("https://" + authority.lowercased()) else { return false }
        let site = suffixes.registrableDomain(of: origin.host)
        return site != nil && site == suffixes.registrableDomain(of: asked)
    }
}
