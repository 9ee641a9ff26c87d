public import Foundation

/// The parts of an address that a password is kept for.
public struct ASAutoFillURLScope: Hashable, Sendable {
    /// How the address is reached.
    public enum Scheme: String, Hashable, Sendable {
        /// Over TLS.
        case https
        /// In the clear.
        case http
    }

    /// How it is reached.
    public var scheme: Scheme
    /// The host.
    public var host: String
    /// The port, where it is not the scheme's own.
    public var port: Int?
    /// The path.
    public var path: String

    /// Puts an address together.
    public init(scheme: Scheme, host: String, port: Int? = nil, path: String = "") {
        self.scheme = scheme
        self.host = host
        self.port = port
        self.path = path
    }

    /// Takes an address apart, or answers `nil` when it is none of the two schemes.
    public init?(url: URL) {
        guard let components = URLComponents(url: url, resolvingAgainstBaseURL: true),
            let scheme = components.scheme.flatMap({ Scheme(rawValue: $0.lowercased()) }),
            let host = components.host, !host.isEmpty
        else { return nil }
        self.init(scheme: scheme, host: host, port: components.port, path: components.path)
    }

    /// The address.
    public var url: URL? {
        var components = URLComponents()
        components.scheme = scheme.rawValue
        components.host = host
        components.port = port
        components.path = path
        return components.url
    }
}
