import HTTPTypes
import Hummingbird
import WardRelyingParty
import WardWebAuthn

/// The documents that browsers and password managers look for at the RP ID's own host.
///
/// Where the RP ID is a domain above the service's own, as `example.com` is above `login.example.com`, whoever serves that
/// domain hands them on from here.
struct WellKnownRoutes: Sendable {
    private let endpoints: [UInt8]
    private let relatedOrigins: [UInt8]?

    /// Writes the documents, which stay the same for as long as the service runs.
    ///
    /// - Parameter relyingParty: The service; its pages are those of its first origin.
    /// - Throws: ``ServerConfigurationError`` never in fact: the addresses are made from its own origins.
    init(_ relyingParty: RelyingParty) throws(ServerConfigurationError) {
        let related = relyingParty.relatedOrigins
        let account = relyingParty.origins.first { $0.web != nil }.map { "\($0)/account" }
        do {
            // One page makes passkeys and lists them; whoever is not signed in gets to it by the first page.
            endpoints = try PasskeyEndpoints(enroll: account, manage: account, of: relyingParty).json
        } catch {
            throw ServerConfigurationError(error.description)
        }
        relatedOrigins = related.origins.isEmpty ? nil : related.json
    }

    /// Adds `/.well-known/passkey-endpoints` and, where there are related origins, `/.well-known/webauthn`.
    func add(to router: WardRouter) {
        router.get("/.well-known/passkey-endpoints") { _, _ in Self.document(endpoints) }
        if let relatedOrigins {
            router.get("/.well-known/webauthn") { _, _ in Self.document(relatedOrigins) }
        }
    }

    private static func document(_ json: [UInt8]) -> Response {
        var response = Response.json(json)
        // A change is seen within the hour, and a lookup on every visit is answered by caches.
        response.headers[.cacheControl] = "public, max-age=3600"
        return response
    }
}
