internal import WardDomains
internal import WardWebAuthn

/// A site of an item: a page or an app, and the rule for matching it.
public struct Site: Hashable, Sendable {
    /// The page or app.
    public enum Target: Hashable, Sendable {
        /// A page's address in the form in which it was typed or found: a URL, or only a host.
        case web(String)
        /// An Android app with its package name.
        case androidApp(String)
        /// An iOS app with its bundle identifier.
        case iosApp(String)
        /// An unknown kind of site.
        case other(type: String, String)
    }

    /// The rule for matching a page.
    ///
    /// Unknown rules are kept and match nothing.
    public struct Match: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// The word for the rule in the file.
        public let rawValue: String
        /// Takes any word.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// The word itself.
        public var description: String { rawValue }

        /// The same registrable domain: `login.example.com` for `example.com`.
        public static let domain = Self(rawValue: "domain")
        /// The same host.
        public static let host = Self(rawValue: "host")
        /// The same URL, without query and fragment.
        public static let exact = Self(rawValue: "exact")
        /// The site never matches.
        ///
        /// It is stored only for reference.
        public static let never = Self(rawValue: "never")
    }

    /// The page or app.
    public var target: Target
    /// How a page must match.
    public var match: Match
    var unknown = UnknownFields()

    /// Creates a site.
    public init(_ target: Target, match: Match = .domain) {
        self.target = target
        self.match = match
    }

    /// Creates a site from a page's URL or host.
    public init(_ address: String, match: Match = .domain) { self.init(.web(address), match: match) }

    /// The page's address, or the app's name.
    public var text: String {
        switch target {
        case .web(let text), .androidApp(let text), .iosApp(let text), .other(_, let text): text
        }
    }

    /// The page's host in lower case, or `nil` if this is not a page.
    public var host: String? {
        guard case .web(let address) = target else { return nil }
        return SiteAddress(address)?.host
    }
}

/// The parts of a page's address in the form in which people write it.
struct SiteAddress: Hashable {
    /// The host in lower case, in ASCII if it is a domain name.
    let host: String
    /// The path from the first slash, without query and fragment; empty for a single slash.
    let path: String
    /// The port, if written.
    let port: String

    /// Reads `https://user@host:port/path?query`; everything except the host is optional.
    ///
    /// `nil` without a host.
    init?(_ text: String) {
        var rest = text.trimmed[...]
        if let separator = rest.firstRange(ofScheme: "://") { rest = rest[separator.upperBound...] }
        let authority = rest.prefix { !"/?#\\".contains($0) }
        let tail = rest[authority.endIndex...].prefix { !"?#".contains($0) }
        let hostAndPort = authority.lastIndex(of: "@").map { authority[authority.index(after: $0)...] } ?? authority
        let host: Substring
        if hostAndPort.hasPrefix("["), let end = hostAndPort.firstIndex(of: "]") {
            host = hostAndPort[...end]
            port = String(hostAndPort[hostAndPort.index(after: end)...].drop { $0 == ":" })
        } else {
            host = hostAndPort.prefix { $0 != ":" }
            port = String(hostAndPort[host.endIndex...].drop { $0 == ":" })
        }
        let name = host.hasSuffix(".") ? host.dropLast() : host
        guard !name.isEmpty, name.utf8.count <= 255, !name.contains(where: \.isWhitespace) else { return nil }
        self.host = HostName.ascii(name.lowercased())
        path = tail == "/" ? "" : String(tail)
    }

    /// The registrable domain.
    ///
    /// If there is none, it is the host itself: an IP address, `localhost`, or a name in an intranet.
    func registrableDomain(_ suffixes: PublicSuffixList) -> String {
        guard let domain = try? DomainName(host) else { return host }
        return suffixes.registrableDomain(of: domain)?.description ?? host
    }
}

extension Substring {
    /// The position of `://` after a scheme.
    ///
    /// Such text in a query is ignored.
    fileprivate func firstRange(ofScheme separator: String) -> Range<Index>? {
        let scheme = prefix { $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) }
        guard !scheme.isEmpty, self[scheme.endIndex...].hasPrefix(separator) else { return nil }
        return scheme.endIndex..<index(scheme.endIndex, offsetBy: separator.count)
    }
}
