import HTTPTypes
import Hummingbird
package import WardWebAuthn

/// Decides which pages may send requests for changes: only pages of the service's own origins.
///
/// Every call that changes something needs an `Origin` header. Browsers send it on every request other than `GET` and
/// `HEAD` (Fetch, [§3.2](https://fetch.spec.whatwg.org/#origin-header)), and a page cannot change it. Together with the
/// `SameSite=Lax` cookie that makes two independent defences against forged requests. A request without `Origin` is
/// refused; programs other than browsers must send the header themselves. A request that the browser itself calls
/// `cross-site` (Fetch Metadata) is refused whatever its `Origin` says.
///
/// A ceremony has the origin where it began. So a page of one origin cannot finish a ceremony of another.
package struct OriginPolicy: Sendable {
    private let allowed: [String: Origin]

    /// The pages of other origins that may send bearer tokens.
    private let bearers: Set<String>

    /// Allows exactly these origins.
    ///
    /// - Parameters:
    ///   - origins: The service's own.
    ///   - bearers: Origins of pages that may send bearer tokens.
    package init(_ origins: [Origin], bearers: Set<String> = []) {
        allowed = Dictionary(origins.map { ($0.description, $0) }) { first, _ in first }
        self.bearers = bearers
    }

    /// The origin of an API call.
    ///
    /// It is `nil` for a client that has the session's token itself and no origin.
    ///
    /// - Parameter request: A request that changes something.
    /// - Returns: The origin in the header.
    /// - Throws: ``APIError`` with `origin_not_allowed`.
    func caller(of request: Request) throws(APIError) -> Origin? {
        guard request.usesBearerToken else { return try origin(of: request) }
        if request.headers[values: .origin].isEmpty { return nil }
        if let value = request.headers.only(.origin), bearers.contains(value) { return try? Origin(value) }
        return try origin(of: request)
    }

    /// Checks that a request comes from a page of the service itself, also one that changes nothing.
    ///
    /// A browser sends no `Origin` when a page reads from its own origin. Then Fetch Metadata must say that it does
    /// ([§2.4](https://www.w3.org/TR/fetch-metadata/#sec-fetch-site-header)), which a page cannot write itself.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - changes: Whether the request changes something, so that it must have an `Origin`.
    /// - Throws: ``APIError`` with `origin_not_allowed`.
    func checkOwnPage(_ request: Request, changes: Bool) throws(APIError) {
        if !changes, request.headers[values: .origin].isEmpty,
            request.headers.only(.secFetchSite)?.lowercased() == "same-origin"
        {
            return
        }
        _ = try origin(of: request)
    }

    /// The origin of a request.
    ///
    /// - Parameter request: A request that changes something.
    /// - Returns: The service's origin in the header, compared as the browser serialised it.
    /// - Throws: ``APIError`` with `origin_not_allowed`.
    func origin(of request: Request) throws(APIError) -> Origin {
        let values = request.headers[values: .origin]
        guard values.count == 1, let value = values.first, let origin = allowed[value] else {
            throw APIError(.originNotAllowed, "The Origin header must be an origin of this service.")
        }
        // Fetch Metadata, section 2.4: if a browser reports another site together with one of the service's origins, the
        // request is forged.
        guard !request.headers[values: .secFetchSite].contains(where: { $0.lowercased() == "cross-site" }) else {
            throw APIError(.originNotAllowed, "The request must not come from a page of another site.")
        }
        return origin
    }
}

extension HTTPField.Name {
    fileprivate static let secFetchSite = Self("Sec-Fetch-Site") ?? .origin
}
