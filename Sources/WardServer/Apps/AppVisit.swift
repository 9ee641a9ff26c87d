import Foundation
import HTTPTypes
import Hummingbird
import WardAccounts
import WardText
import WardWebAuthn

/// The data of a person on the way from an app to the service and back: the page to return to, and the browser that started.
struct AppVisit: Sendable {
    /// The page to return to.
    let place: AppPlace
    /// The hash of the secret in the cookie at the app's host.
    let browser: [UInt8]

    /// The address, at the service, of the page where the person signs in.
    static let path = "/continue"

    init(to place: AppPlace, from browser: [UInt8]) {
        self.place = place
        self.browser = browser
    }

    /// Reads the query of a request for the sign-in page.
    ///
    /// - Throws: ``APIError`` with `app_not_allowed` if the address is not in an app, `malformed_request` if the browser is
    ///   missing.
    init(_ request: Request, _ apps: AppOrigins) throws(APIError) {
        let query = request.uri.queryParameters
        guard let text = query["return_to"], let place = apps.place(String(text)) else {
            throw APIError(.appNotAllowed, "This service does not know the app that you come from.")
        }
        guard let browser = query["browser"].flatMap({ Base64URL.decode(String($0)) }),
            browser.count == SessionToken.byteCount
        else { throw APIError(.malformedRequest, "A part of this address is missing. Open the app again.") }
        self.init(to: place, from: browser)
    }

    /// The query for the address of the sign-in page.
    var query: String {
        let address = place.address.addingPercentEncoding(withAllowedCharacters: Self.unreserved) ?? ""
        return "return_to=\(address)&browser=\(Base64URL.encode(browser))"
    }

    /// RFC 3986, [section 2.3](https://www.rfc-editor.org/rfc/rfc3986#section-2.3), in ASCII.
    static let unreserved = CharacterSet(
        charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
    )
}

extension Deployment {
    /// Gives the person a code for the app, if the person has a session.
    ///
    /// - Returns: The address, at the app's host, that takes the code; `nil` if nobody is signed in.
    func handOver(_ visit: AppVisit, _ request: Request) async throws -> String? {
        guard let presented = shownCookies(in: request) else { return nil }
        let (code, now) = (SessionToken.random(using: effects.randomBytes), effects.now())
        let isSignedIn = try await store.write { tx in
            guard let (session, _) = try await tx.opened(by: presented, under: sessionRules, at: now) else {
                return false
            }
            let stored = AppCode(for: session.id, browser: visit.browser, address: visit.place.address, at: now)
            try await ceremonies.insert(stored.record(of: code), in: tx)
            return true
        }
        return isSignedIn ? "\(visit.place.origin)\(AppRoutes<Store>.callback)?code=\(code.text)" : nil
    }
}
