import Hummingbird
import WardAccounts
import WardWebAuthn

extension Deployment {
    /// A router with everything the service answers.
    ///
    /// - Throws: ``ServerStartError`` if a file of the program is missing.
    package func router(_ configuration: ServerConfiguration) throws -> WardRouter {
        let router = WardRouter(context: WardRequestContext.self, options: .autoGenerateHeadEndpoints)
        router.get("/healthz") { _, _ in
            let body: JSONValue = ["status": "ok"]
            return Response.json(body.serialized)
        }
        try OpenAPIDescription().add(to: router)
        RegistrationAPI(deployment: self).add(to: router)
        SignInAPI(deployment: self).add(to: router)
        PasskeyAPI(deployment: self).add(to: router)
        SessionAPI(deployment: self).add(to: router)
        if configuration.servesFIDOConformance { ConformanceAPI(deployment: self).add(to: router) }
        try WellKnownRoutes(relyingParty).add(to: router)
        try PageRoutes(self, configuration).add(to: router)
        return router
    }
}
