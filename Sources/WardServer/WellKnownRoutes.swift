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
    private let apps: [UInt8]?
    private let changesPasswords: Bool

    /// Writes the documents, which stay the same for as long as the service runs.
    ///
    /// - Parameters:
    ///   - relyingParty: The service; its pages are those of its first origin.
    ///   - configuration: What else it is set up with.
    /// - Throws: ``ServerConfigurationError`` never in fact: the addresses are made from its own origins.
    init(_ relyingParty: RelyingParty, _ configuration: ServerConfiguration) throws(ServerConfigurationError) {
        let related = relyingParty.relatedOrigins
        let account = relyingParty.origins.first { $0.web != nil }.map { "\($0)/account" }
        do {
            // One page makes passkeys and lists them; whoever is not signed in gets to it by the first page.
            endpoints = try PasskeyEndpoints(enroll: account, manage: account, of: relyingParty).json
        } catch {
            throw ServerConfigurationError(error.description)
        }
        apps = try ConfiguredParts(configuration).apps?.json
        changesPasswords = configuration.acceptsPasswords
        relatedOrigins = related.origins.isEmpty ? nil : related.json
    }

    /// Adds `/.well-known/passkey-endpoints`; `/.well-known/webauthn` where there are related origins,
    /// `/.well-known/apple-app-site-association` where there are apps, and `/.well-known/change-password` where there are
    /// passwords.
    func add(to router: WardRouter) {
        router.get("/.well-known/passkey-endpoints") { _, _ in Self.document(endpoints) }
        if let relatedOrigins {
            router.get("/.well-known/webauthn") { _, _ in Self.document(relatedOrigins) }
        }
        if let apps {
            router.get("/.well-known/apple-app-site-association") { _, _ in Self.document(apps) }
        }
        if changesPasswords {
            // https://w3c.github.io/webappsec-change-password-url/; whoever is not signed in gets to it by the first page.
            router.get("/.well-known/change-password") { _, _ in Response.redirect(to: "/account") }
        }
    }

    private static func document(_ json: [UInt8]) -> Response {
        var response = Response.json(json)
        // A change is seen within the hour, and a lookup on every visit is answered by caches.
        response.headers[.cacheControl] = "public, max-age=3600"
        return response
    }
}
