import Hummingbird
import WardRelyingParty
import WardText
import WardWebAuthn

/// The API for the service's settings, which a page or a native client needs before it asks a person.
///
/// Everybody may read it. It contains only values that the sign-in page shows too.
struct ConfigurationAPI: Sendable {
    private let document: [UInt8]

    /// Creates the document.
    ///
    /// It stays the same while the service runs.
    init(_ configuration: ServerConfiguration, _ parts: ConfiguredParts) {
        let relyingParty = parts.relyingParty
        let passwordLength: JSONValue =
            configuration.acceptsPasswords ? .integer(Int64(configuration.passwordLength)) : .null
        let body: JSONValue = [
            "rpId": .string(configuration.rpID),
            "rpName": .string(configuration.rpName),
            "origins": .array(relyingParty.origins.map { .string($0.description) }),
            "methods": ["passkey": true, "password": .bool(configuration.acceptsPasswords)],
            "identityProviders": .array(
                parts.providers.all.map { ["id": .string($0.id), "name": .string($0.name)] }
            ),
            "mail": .bool(parts.mail != nil),
            "registration": .string(configuration.registration.rawValue),
            "userVerification": configuration.requiresUserVerification ? "required" : "preferred",
            "passwordLength": passwordLength,
            "recentSignIn": .integer(SessionLimits.recentSignIn),
            "sessionIdle": .integer(parts.limits.idle),
            "sessionAbsolute": .integer(parts.limits.absolute),
        ]
        document = body.serialized
    }

    func add(to router: WardRouter) {
        router.get("/api/v1/configuration") { _, _ in Response.json(document) }
    }
}
