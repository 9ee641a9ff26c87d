import Hummingbird
import Logging
package import WardAccounts
package import WardRelyingParty
package import WardWebAuthn

/// One service as it was set up: what every handler works with.
package struct Deployment<Store: AccountStore>: Sendable {
    /// Where everything is kept.
    package let store: Store
    /// What decides about passkeys.
    package let relyingParty: RelyingParty
    /// Clock and randomness.
    package let effects: Effects
    /// How long sessions last.
    package let limits: SessionLimits
    /// The cookie they are carried in.
    package let cookie: SessionCookie
    /// Which pages may change something.
    package let origins: OriginPolicy
    /// What names without an account are answered with.
    let decoys: DecoyCredentials
    /// Whether a password opens anything here.
    let acceptsPasswords: Bool

    /// Checks what was configured and fetches the service's own secret from the store, which makes it at the first start.
    ///
    /// - Throws: ``ServerConfigurationError`` for settings that contradict each other, or what the store throws.
    package init(_ configuration: ServerConfiguration, store: Store, effects: Effects) async throws {
        let parts = try ConfiguredParts(configuration, effects: effects)
        relyingParty = parts.relyingParty
        limits = parts.limits
        cookie = parts.cookie
        origins = OriginPolicy(parts.relyingParty.origins)
        acceptsPasswords = configuration.acceptsPasswords
        let fresh = effects.randomBytes(DecoyCredentials.secretLength)
        let secret = try await store.write { try await $0.insertSecret(named: "decoys", fresh) }
        guard let decoys = DecoyCredentials(secret: secret) else {
            throw StoreError(.damaged, detail: "the secret for decoys is too short")
        }
        self.decoys = decoys
        self.store = store
        self.effects = effects
    }

    /// Turns a refusal of the relying party into the answer, and notes why: the client may learn less than the log.
    func refusal(of kind: Ceremony.Kind, _ error: any Error, _ context: WardRequestContext) -> any Error {
        guard let error = error as? VerificationError else { return error }
        context.logger.notice(
            "ceremony refused",
            metadata: ["reason": .string(error.code.name), "step": .string(error.step.description)]
        )
        return APIError(error, in: kind)
    }
}

/// What follows from the configuration alone.
struct ConfiguredParts {
    let relyingParty: RelyingParty
    let limits: SessionLimits
    let cookie: SessionCookie
    let isSecure: Bool
    let apps: AppleAppSiteAssociation?

    init(_ configuration: ServerConfiguration, effects: Effects = .live) throws(ServerConfigurationError) {
        do {
            relyingParty = try RelyingParty(
                id: configuration.rpID,
                name: configuration.rpName,
                origins: configuration.origins,
                relatedOrigins: configuration.relatedOrigins,
                effects: effects
            )
        } catch {
            throw ServerConfigurationError(error.description)
        }
        try configuration.passwordEffort.check()
        do {
            let document = try AppleAppSiteAssociation(apps: configuration.apps)
            apps = configuration.apps.isEmpty ? nil : document
        } catch {
            throw ServerConfigurationError(error.description)
        }
        limits = try SessionLimits(idle: configuration.sessionIdle, absolute: configuration.sessionAbsolute)
        // An http origin can only be localhost: the relying party refuses any other.
        isSecure = relyingParty.origins.allSatisfy { $0.web.map { $0.scheme == .https } ?? true }
        cookie = SessionCookie(isSecure: isSecure, lifetime: limits.absolute)
    }
}
