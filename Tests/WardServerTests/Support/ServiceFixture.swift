import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import WardAccounts
import WardAttestation
import WardServer
import WardTesting

/// One service over one store, without sockets; its clock moves only when a test moves it.
struct ServiceFixture: Sendable {
    let effects: TestEffects
    let client: any TestClientProtocol
    let origins: [String]

    /// A person with a browser and a passkey device, at the first page of the service.
    func visitor(at origin: String? = nil) -> Visitor {
        Visitor(client, at: origin ?? origins[0])
    }
}

/// Runs a service for as long as the body takes.
func withService(
    _ configuration: ServerConfiguration = ServerConfiguration(),
    store: some AccountStore = MemoryAccountStore(),
    passwordQueue: PasswordQueue? = nil,
    ceremonyCeiling: CeremonyCeiling = CeremonyCeiling(),
    tryLimits: Limits = .standard,
    providers: ProviderClient.Connection = .network,
    metadataAnchors: TrustAnchors = .fidoMetadata,
    // Two services over one store must not draw the same bytes.
    effects: TestEffects = TestEffects(seed: "\(UInt64.random(in: .min ... .max))"),
    _ body: @escaping @Sendable (ServiceFixture) async throws -> Void
) async throws {
    let server = try WardServer(
        configuration: configuration,
        store: store,
        effects: effects.effects,
        logger: .silent,
        passwordQueue: passwordQueue,
        ceremonyCeiling: ceremonyCeiling,
        tryLimits: tryLimits,
        providers: providers,
        metadataAnchors: metadataAnchors
    )
    try await server.application().test(.router) { client in
        try await body(ServiceFixture(effects: effects, client: client, origins: configuration.origins))
    }
}

extension ServerConfiguration {
    /// A service where each sign-in needs user verification.
    static var requiringVerification: Self {
        var configuration = Self()
        configuration.requiresUserVerification = true
        return configuration
    }

    /// A service that takes passwords from eight characters on.
    static var shortPasswords: Self {
        var configuration = Self()
        configuration.passwordLength = 8
        return configuration
    }
}

extension Logger {
    static var silent: Logger { Logger(label: "test") { _ in SwiftLogNoOpLogHandler() } }
}
