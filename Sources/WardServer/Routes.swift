import Hummingbird
package import Logging
import WardAccounts
import WardText
import WardWebAuthn

extension Deployment {
    /// The router with all routes of the service.
    ///
    /// - Parameters:
    ///   - configuration: The settings of the service.
    ///   - pages: The pages for people.
    ///   - passwordQueue: The queue for password checks.
    ///   - logger: Logs why the service is not ready.
    /// - Returns: The router.
    /// - Throws: ``ServerStartError`` if a file of the program is missing.
    package func router(
        _ configuration: ServerConfiguration,
        pages: PageRoutes? = nil,
        passwordQueue: PasswordQueue = PasswordQueue(),
        logger: Logger = Logger(label: "ward")
    ) throws -> WardRouter {
        let router = WardRouter(context: WardRequestContext.self, options: .autoGenerateHeadEndpoints)
        router.get("/healthz") { _, _ in
            let body: JSONValue = ["status": "ok"]
            return Response.json(body.serialized)
        }
        let readiness = Readiness(now: effects.now) { [store] in
            do {
                try await store.probe()
            } catch {
                logger.error("not ready", metadata: ["error": "\(error)"])
                throw error
            }
        }
        router.get("/readyz") { _, _ in
            do {
                try await readiness.check()
            } catch {
                throw APIError(.unavailable, "The service cannot write to its database. The log has the reason.")
            }
            let body: JSONValue = ["status": "ready"]
            return Response.json(body.serialized)
        }
        try OpenAPIDescription().add(to: router)
        ConfigurationAPI(configuration, try ConfiguredParts(configuration)).add(to: router)
        RegistrationAPI(deployment: self).add(to: router)
        SignInAPI(deployment: self).add(to: router)
        SignInStepsAPI(deployment: self).add(to: router)
        AccountAPI(deployment: self).add(to: router)
        OfferAPI(deployment: self).add(to: router)
        FactorAPI(deployment: self, service: configuration.rpName).add(to: router)
        FederationAPI(deployment: self).add(to: router)
        PasskeyAPI(deployment: self).add(to: router)
        SessionAPI(deployment: self).add(to: router)
        DeviceSessionRoutes(deployment: self).add(to: router)
        ActivityAPI(deployment: self).add(to: router)
        VaultAPI(deployment: self).add(to: router)
        EmailAPI(deployment: self).add(to: router)
        AppRoutes(deployment: self).add(to: router)
        DiscoveryRoutes(deployment: self).add(to: router)
        AuthorizationRoutes(deployment: self).add(to: router)
        TokenEndpoint(deployment: self).add(to: router)
        DeviceRoutes(deployment: self).add(to: router)
        AccessTokenRoutes(deployment: self).add(to: router)
        LogoutRoutes(deployment: self).add(to: router)
        var comparing: Passwords?
        if acceptsPasswords {
            let passwords = Passwords(
                configuration.passwordEffort,
                queue: passwordQueue,
                names: [configuration.rpName, configuration.rpID],
                minimumLength: configuration.passwordLength,
                breached: try configuration.breachedPasswords.map { try BreachedPasswords($0) },
                effects: effects
            )
            PasswordAPI(deployment: self, passwords: passwords).add(to: router)
            comparing = passwords
        } else {
            PasswordAPI<Store>.addRefusals(to: router, origins)
        }
        HelperAPI(deployment: self).add(to: router)
        HelpAPI(deployment: self).add(to: router)
        RecoveryAPI(deployment: self, passwords: comparing).add(to: router)
        if let adminGroup { try AdminAPI(self, for: adminGroup).addForPeople(to: router, configuration) }
        if configuration.servesFIDOConformance { ConformanceAPI(deployment: self).add(to: router) }
        try WellKnownRoutes(relyingParty, configuration).add(to: router)
        try (pages ?? PageRoutes(self, configuration)).add(to: router)
        return router
    }
}
