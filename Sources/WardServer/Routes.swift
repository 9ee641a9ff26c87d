import Hummingbird
import WardAccounts
import WardWebAuthn

extension Deployment {
    /// A router with everything the service answers.
    package func router(_ configuration: ServerConfiguration) -> WardRouter {
        let router = WardRouter(context: WardRequestContext.self, options: .autoGenerateHeadEndpoints)
        router.get("/healthz") { _, _ in
            let body: JSONValue = ["status": "ok"]
            return Response.json(body.serialized)
        }
        RegistrationAPI(deployment: self).add(to: router)
        SignInAPI(deployment: self).add(to: router)
        PasskeyAPI(deployment: self).add(to: router)
        SessionAPI(deployment: self).add(to: router)
        return router
    }
}
