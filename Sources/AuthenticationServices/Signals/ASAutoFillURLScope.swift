public import Foundation

/// The URL that a password belongs to.
public struct ASAutoFillURLScope: Hashable, Sendable {
    /// The scheme of the URL.
    public enum Scheme: String, Hashable, Sendable {
        /// Over TLS.
        case https
        /// Unencrypted.
        case http
    }

    /// The scheme.
    public var scheme: Scheme
    /// The host.
    public var host: String
    /// The port, if it is not the scheme's default.
    public var port: Int?
    /// The path.
    public var path: String

    /// Creates a scope from its parts.
    public init(scheme: Scheme, host: String, port: Int? = nil, path: String = "") {
        self.scheme = scheme
        self.host = host
        self.port = port
        self.path = path
    }

    /// Creates a scope from a URL, or `nil` if the scheme is neither `https` nor `http`.
    public init?(url: URL) {
        guard let components = URLComponents(url: url, resolvingAgainstBaseURL: true),
            let scheme = components.scheme.flatMap({ Scheme(rawValue: $0.lowercased()) }),
            let host = components.host, !host.isEmpty
        else { return nil }
        self.init(scheme: scheme, host: host, port: components.port, path: components.path)
    }

    /// The URL.
    public var url: URL? {
        var components = URLComponents()
        components.scheme = scheme.rawValue
        components.host = host
        components.port = port
        components.path = path
        return components.url
    }
}
