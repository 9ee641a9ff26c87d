import Foundation
import WardAgent
import WardDownload
import WardVault

/// The page of a site where a person changes the password.
///
/// [A Well-Known URL for Changing Passwords](https://www.w3.org/TR/change-password-url/)
struct ChangePasswordPage {
    /// Where the address comes from.
    enum Source: String {
        /// The list of `ward update-data`.
        case list
        /// The site's well-known address.
        case wellKnown = "well-known"
        /// The site's own address, because nothing else is known.
        case site
    }

    let address: String
    let source: Source

    /// The path that leads to the page.
    private static let path = "/.well-known/change-password"
    /// A path that no site has.
    ///
    /// If a site answers it with success, its answer for ``path`` says nothing.
    private static let absent =
        "/.well-known/resource-that-should-not-exist-whose-status-code-should-not-be-200"

    /// Finds the page of a site.
    ///
    /// The list is tried first. Without an entry there, the site is asked twice over HTTPS, without cookies.
    ///
    /// - Parameters:
    ///   - site: A web address. Only on this machine it may be http.
    ///   - data: The data of sites.
    /// - Returns: The page with the best source.
    static func find(for site: String, in data: SiteData) async -> ChangePasswordPage {
        let own = ChangePasswordPage(address: site, source: .site)
        guard let parts = URLComponents(string: site), let host = parts.host?.lowercased() else { return own }
        if let address = data.changePasswordAddress(of: host) {
            return ChangePasswordPage(address: address, source: .list)
        }
        var base = URLComponents()
        base.scheme = isThisMachine(host) ? parts.scheme : "https"
        base.host = host
        base.port = parts.scheme == base.scheme ? parts.port : nil
        guard let origin = base.string else { return own }
        // The second answer matters only if the first one is good.
        guard await isFound(path, at: origin), await !isFound(absent, at: origin) else { return own }
        return ChangePasswordPage(address: origin + path, source: .wellKnown)
    }

    /// Whether a path of a site leads to a page, after redirects to the same site or to public sites.
    private static func isFound(_ path: String, at origin: String) async -> Bool {
        var download = BoundedDownload(maximumSize: 64 << 10, timeout: .seconds(10))
        download.accept = "text/html,*/*;q=0.1"
        download.isAccepted = { _ in true }
        download.keepsBody = false
        download.maximumRedirects = 5
        download.mayFollow = { $0.hasPrefix(origin + "/") || BoundedDownload.isPublicHTTPS($0) }
        guard let answer = try? await download.answer(at: origin + path) else { return false }
        return (200..<300).contains(answer.status)
    }

    private static func isThisMachine(_ host: String) -> Bool {
        host == "localhost" || host == "127.0.0.1" || host == "[::1]" || host.hasSuffix(".localhost")
    }
}
