internal import Foundation

/// Checks the addresses of an issuer.
enum OpenIDConnectAddress {
    /// Whether an address is `https://` and a host, or `http://` and this machine, and has no user and no fragment.
    static func isAllowed(_ text: String, allowingQuery: Bool = true) -> Bool {
        // Two parsers read this text, this one and the HTTP client's. Refuse text that they could read differently.
        guard (1...2048).contains(text.utf8.count), text.utf8.allSatisfy({ (0x21...0x7e).contains($0) && $0 != 0x5c }),
            let parts = URLComponents(string: text), let host = parts.host, !host.isEmpty,
            parts.user == nil, parts.password == nil, parts.fragment == nil, allowingQuery || parts.query == nil
        else { return false }
        return parts.scheme == "https" || parts.scheme == "http" && isThisMachine(host)
    }

    /// Whether another address in the issuer's configuration may be used.
    ///
    /// An https issuer may have only https addresses.
    static func isAllowed(_ text: String, for issuer: String) -> Bool {
        isAllowed(text) && (text.hasPrefix("https://") || issuer.hasPrefix("http://"))
    }

    private static func isThisMachine(_ host: String) -> Bool {
        ["127.0.0.1", "[::1]", "::1", "localhost"].contains(host)
    }

    /// Adds members to the query of an address.
    static func adding(_ members: [(String, String)], to address: String) -> String {
        address + (address.contains("?") ? "&" : "?") + form(members)
    }

    /// `application/x-www-form-urlencoded`, with every byte escaped that is not unreserved (RFC 3986, section 2.3).
    static func form(_ members: [(String, String)]) -> String {
        members.map { "\(escaped($0.0))=\(escaped($0.1))" }.joined(separator: "&")
    }

    /// A value, escaped for a form.
    static func escaped(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: unreserved) ?? ""
    }

    /// The members of a query, or `nil` if one appears twice or is malformed (RFC 6749, section 3.1).
    static func members(ofQuery query: Substring) -> [String: String]? {
        var members: [String: String] = [:]
        for pair in query.split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let texts = parts.map { $0.replacing("+", with: " ").removingPercentEncoding }
            guard let name = texts[0], let value = texts.count > 1 ? texts[1] : "",
                members.updateValue(value, forKey: name) == nil
            else { return nil }
        }
        return members
    }

    private static let unreserved = CharacterSet(
        charactersIn: "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~"
    )
}
