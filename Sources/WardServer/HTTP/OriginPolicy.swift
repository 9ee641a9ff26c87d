import HTTPTypes
import Hummingbird
package import WardWebAuthn

/// Which pages may change something: those of the service's own origins.
///
/// Every call that changes something has to name its origin. Browsers do so by themselves on every request that is
/// not `GET` or `HEAD` (Fetch, [§3.2](https://fetch.spec.whatwg.org/#origin-header)), and a page cannot change it;
/// with the `SameSite=Lax` cookie that is two independent defences against forged requests. A missing `Origin` is
/// refused rather than guessed at: programs that are no browsers send the header themselves.
///
/// The origin a ceremony begins at is bound into it, so that one page of the service cannot finish what another began.
package struct OriginPolicy: Sendable {
    private let allowed: [String: Origin]

    /// Allows exactly these.
    package init(_ origins: [Origin]) {
        allowed = Dictionary(origins.map { ($0.description, $0) }) { first, _ in first }
    }

    /// The origin a request comes from.
    ///
    /// - Parameter request: Any request that changes something.
    /// - Returns: The one of the service's origins that it names, compared as the browser serialised it.
    /// - Throws: ``APIError`` with `origin_not_allowed`.
    func origin(of request: Request) throws(APIError) -> Origin {
        let values = request.headers[values: .origin]
        guard values.count == 1, let value = values.first, let origin = allowed[value] else {
            throw APIError(.originNotAllowed, "The Origin header has to name an origin of this service.")
        }
        return origin
    }
}
