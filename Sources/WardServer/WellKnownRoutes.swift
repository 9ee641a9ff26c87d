import HTTPTypes
import Hummingbird
import WardDomains
import WardRelyingParty
import WardWebAuthn

/// The documents that browsers and password managers read at the RP ID's own host.
///
/// If the RP ID is a parent domain of the service's host (`example.com` for `login.example.com`), the parent domain's
/// server must forward these paths to the service.
struct WellKnownRoutes: Sendable {
    private let endpoints: [UInt8]
    private let relatedOrigins: [UInt8]?
    private let apps: [UInt8]?
    private let androidApps: [UInt8]?
    private let changesPasswords: Bool

    /// Creates the documents.
    ///
    /// They stay the same while the service runs.
    ///
    /// - Parameters:
    ///   - relyingParty: The relying party; the documents name pages of its first origin.
    ///   - configuration: The other settings.
    /// - Throws: ``ServerConfigurationError``, in practice never: the addresses come from the service's own origins.
    init(_ relyingParty: RelyingParty, _ configuration: ServerConfiguration) throws(ServerConfigurationError) {
        let related = relyingParty.relatedOrigins
        let account = relyingParty.origins.first { $0.web != nil }.map { "\($0)/account" }
        do {
            // One page is used to create and to list passkeys. People who are not signed in sign in on the first page and are
            // then sent to this one.
            endpoints = try PasskeyEndpoints(enroll: account, manage: account, of: relyingParty).json
        } catch {
            throw ServerConfigurationError(error.description)
        }
        let parts = try ConfiguredParts(configuration)
        (apps, androidApps) = (parts.apps?.json, parts.androidApps?.json)
        changesPasswords = configuration.acceptsPasswords
        relatedOrigins = related.origins.isEmpty ? nil : related.json
    }

    /// Adds `/.well-known/passkey-endpoints`; `/.well-known/webauthn` if there are related origins,
    /// `/.well-known/apple-app-site-association` and `/.well-known/assetlinks.json` if there are apps, and
    /// `/.well-known/change-password` if the service accepts passwords.
    func add(to router: WardRouter) {
        router.get("/.well-known/passkey-endpoints") { _, _ in Self.document(endpoints) }
        if let relatedOrigins {
            router.get("/.well-known/webauthn") { _, _ in Self.document(relatedOrigins) }
        }
        if let apps {
            router.get("/.well-known/apple-app-site-association") { _, _ in Self.document(apps) }
        }
        if let androidApps {
            router.get("/.well-known/assetlinks.json") { _, _ in Self.document(androidApps) }
        }
        if changesPasswords {
            // https://w3c.github.io/webappsec-change-password-url/. People who are not signed in sign in on the first page
            // first.
            router.get("/.well-known/change-password") { _, _ in Response.redirect(to: "/account") }
        }
    }

    private static func document(_ json: [UInt8]) -> Response {
        var response = Response.json(json)
        // Clients notice a change within an hour, and caches answer the requests of most visits.
        response.headers[.cacheControl] = "public, max-age=3600"
        return response
    }
}
