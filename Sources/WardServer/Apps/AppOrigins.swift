import HTTPTypes
import Hummingbird
import WardWebAuthn

/// The apps in which people are signed in by this service.
///
/// Each app is behind a proxy, at a host of its own.
///
/// Cookies belong to a host, not to a port. So two apps must not share a host, and an app must not have a host of the service.
/// Otherwise one app would get the cookie of another.
struct AppOrigins: Sendable {
    private let origins: [String: WebOrigin]

    /// Checks the setting.
    ///
    /// - Parameters:
    ///   - texts: The apps' origins.
    ///   - own: The origins of the service.
    /// - Throws: ``ServerConfigurationError`` that says which origin cannot be used, and what to do.
    init(_ texts: [String], besides own: [Origin]) throws(ServerConfigurationError) {
        var origins: [String: WebOrigin] = [:]
        var hosts = Set(own.compactMap { $0.web?.host })
        guard texts.isEmpty || !hosts.isEmpty else {
            throw ServerConfigurationError(
                "people sign in to apps on a page of the service: add an https origin for it"
            )
        }
        for text in texts {
            let origin: WebOrigin
            do { origin = try WebOrigin(text) } catch {
                throw ServerConfigurationError("\"\(text)\" is not the origin of an app: \(error)")
            }
            guard hosts.insert(origin.host).inserted else {
                throw ServerConfigurationError(
                    "the app \(text) needs a host of its own, different from other apps and the service's pages, because "
                        + "ports share "
                        + "cookies" + (origin.host.isLocalhost ? "; use one such as app.localhost" : "")
                )
            }
            origins[origin.description] = origin
        }
        self.origins = origins
    }

    /// The app of a proxy's request.
    ///
    /// It is found by the address that the proxy reports.
    ///
    /// - Parameter request: A request with `X-Forwarded-Host` and `X-Forwarded-Proto`, once each.
    /// - Returns: The app's origin.
    /// - Throws: ``APIError`` with `malformed_request`, or `app_not_allowed` if the address is not one of an app.
    func app(of request: Request) throws(APIError) -> WebOrigin {
        guard let host = request.headers.only(.forwardedHost), let scheme = request.headers.only(.forwardedProto),
            let scheme = Self.schemes[scheme]
        else {
            throw APIError(
                .malformedRequest,
                "The proxy must send X-Forwarded-Host, and X-Forwarded-Proto with https or http."
            )
        }
        let text = "\(scheme.name)://\(host.lowercased())"
        let port = ":\(scheme.port)"
        guard let origin = origins[text.hasSuffix(port) ? String(text.dropLast(port.count)) : text] else {
            throw .appNotAllowed
        }
        return origin
    }

    /// The page of an app that a text is the address of, or `nil` if there is no such app.
    ///
    /// The text is neither parsed nor decoded: it must begin with an app's origin, byte for byte, followed by `/`. So a browser
    /// reads the same origin, no matter what follows.
    func place(_ text: String) -> AppPlace? {
        guard AppPlace.isPlain(text) else { return nil }
        return origins.values.lazy.compactMap { origin in
            text.hasPrefix("\(origin)/") ? AppPlace(origin: origin, address: text) : nil
        }.first
    }

    /// Some proxies report the schemes ws and wss for WebSockets.
    private static let schemes: [String: (name: String, port: Int)] = [
        "https": ("https", 443), "wss": ("https", 443), "http": ("http", 80), "ws": ("http", 80),
    ]
}

/// A page of an app.
struct AppPlace: Hashable, Sendable {
    /// The maximum length of an address, in bytes.
    private static let maximumLength = 2_048

    /// The app.
    let origin: WebOrigin
    /// The whole address.
    ///
    /// It begins with the origin and `/`.
    let address: String

    /// Whether a text is short, and only printable ASCII without spaces, and without `\`, which browsers read as `/`.
    static func isPlain(_ text: some StringProtocol) -> Bool {
        text.utf8.count <= maximumLength && text.utf8.allSatisfy { (0x21...0x7e).contains($0) && $0 != 0x5c }
    }
}

extension HTTPFields {
    /// The value of a header field that occurs exactly once.
    func only(_ name: HTTPField.Name) -> String? {
        let values = self[values: name]
        return values.count == 1 ? values.first : nil
    }
}

extension HTTPField.Name {
    static let forwardedHost = known("X-Forwarded-Host")
    static let forwardedProto = known("X-Forwarded-Proto")
    static let forwardedURI = known("X-Forwarded-Uri")
    static let forwardedMethod = known("X-Forwarded-Method")
    static let fetchMode = known("Sec-Fetch-Mode")
    static let remoteUser = known("Remote-User")
    static let remoteName = known("Remote-Name")
    static let remoteGroups = known("Remote-Groups")
    static let remoteID = known("Remote-Id")
}

extension APIError {
    fileprivate static let appNotAllowed = APIError(
        .appNotAllowed,
        "No app of this service has this address."
    )
}
