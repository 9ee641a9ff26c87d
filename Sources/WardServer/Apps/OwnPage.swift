import Foundation
import Hummingbird

/// A page at the service's own origin that a person returns to after the sign-in.
struct OwnPage: Sendable {
    /// The path, with the query if there is one.
    let path: String

    /// Reads the path.
    ///
    /// - Parameter text: The text: `/`, and then anything but a second `/`, with which a browser would read a host.
    init?(_ text: some StringProtocol) {
        guard text.hasPrefix("/"), !text.hasPrefix("//"), AppPlace.isPlain(text) else { return nil }
        path = String(text)
    }

    /// Reads the query of a request for the sign-in page.
    ///
    /// It is `nil` for a person who comes from an app at another host.
    init?(_ request: Request) {
        guard let text = request.uri.queryParameters["return_to"], let page = OwnPage(String(text)) else { return nil }
        self = page
    }

    /// The query for the address of the sign-in page.
    var query: String { Self.query(path) }

    /// The address of the sign-in page that leads to a path.
    static func address(returningTo path: String) -> String { "\(AppVisit.path)?\(query(path))" }

    private static func query(_ path: String) -> String {
        "return_to=\(path.addingPercentEncoding(withAllowedCharacters: AppVisit.unreserved) ?? "")"
    }
}
