internal import WardClient
package import WardDownload
internal import WardWebAuthn

extension RelatedOriginsFetch {
    /// Downloads over HTTPS, within ten seconds.
    static let http = RelatedOriginsFetch { rpID in
        try await BoundedDownload.relatedOrigins.document(at: "https://\(rpID)/.well-known/webauthn")
    }
}

extension BoundedDownload {
    /// The limits for a list of related origins: 256 KiB, ten seconds, and three redirects, each to a public HTTPS server.
    package static let relatedOrigins: BoundedDownload = {
        var download = BoundedDownload(maximumSize: RelatedOriginsFetch.maximumSize, timeout: .seconds(10))
        download.maximumRedirects = 3
        download.mayFollow = isPublicHTTPS
        return download
    }()

    /// Whether a redirect may lead to an address: `https://` and a domain name other than this machine's, without user
    /// or password.
    package static func isPublicHTTPS(_ url: String) -> Bool {
        // Two parsers read this text, this one and the HTTP client's. Refuse text that they could read differently.
        guard url.hasPrefix("https://"), url.utf8.allSatisfy({ (0x21...0x7e).contains($0) && $0 != 0x5c }) else {
            return false
        }
        let authority = url.dropFirst("https://".count).prefix { !"/?#".contains($0) }
        guard let origin = try? WebOrigin("https://" + authority.lowercased()) else { return false }
        return !origin.host.isLocalhost
    }
}
