import HTTPTypes
import Testing
import WardAccounts
import WardCOSE
import WardServer
import WardTesting
import WardText
import WardWebAuthn

/// A service that wants ML-DSA-65, and a person with an ES256 passkey in a credential manager that can do both.
struct ChangeOverFixture {
    static let silent: JSONValue = ["mediation": "conditional"]

    let world: ServiceFixture
    let store: MemoryAccountStore

    static func with(
        _ list: String = "ML-DSA-65,ES256,RS256",
        _ configuration: ServerConfiguration = ServerConfiguration(),
        _ body: @escaping @Sendable (ChangeOverFixture) async throws -> Void
    ) async throws {
        var configuration = configuration
        configuration.algorithms = try AlgorithmList(settingText: list)
        let store = MemoryAccountStore()
        try await withService(configuration, store: store) { world in
            try await body(ChangeOverFixture(world: world, store: store))
        }
    }

    /// A person who has just made an account with an ES256 passkey, and signed in with it.
    func member(_ name: String = "ada") async throws -> Visitor {
        let visitor = world.visitor()
        visitor.authenticator.behaviour.aaguid = try #require(AAGUID([UInt8](1...16)))
        visitor.authenticator.behaviour.algorithms = [.es256]
        #expect(try await visitor.register(name).status == .created)
        world.effects.advance(by: 1)
        #expect(try await visitor.signIn().status == .ok)
        visitor.authenticator.behaviour.algorithms = [.mlDSA65, .es256]
        return visitor
    }

    /// Begins the silent registration, and answers it as a credential manager does: nobody is present, nobody is verified.
    @discardableResult
    func change(_ visitor: Visitor, spoil: (inout VirtualAuthenticator) -> Void = { _ in }) async throws -> Answer {
        let start = try await visitor.beginRegistration(Self.silent)
        return try await finish(visitor, start, spoil: spoil)
    }

    func finish(
        _ visitor: Visitor,
        _ start: Started<PublicKeyCredentialCreationOptions>,
        spoil: (inout VirtualAuthenticator) -> Void = { _ in }
    ) async throws -> Answer {
        let before = visitor.authenticator.behaviour
        visitor.authenticator.behaviour.isUserPresent = false
        visitor.authenticator.behaviour.isUserVerified = false
        spoil(&visitor.authenticator)
        let response = try visitor.authenticator.create(start.options)
        visitor.authenticator.behaviour = before
        return try await visitor.finishRegistration(start.ceremony, response)
    }

    /// Signs in with one of the passkeys on the device.
    func signIn(_ visitor: Visitor, with passkey: String) async throws -> Answer {
        var start = try await visitor.beginSignIn()
        let id = try #require(CredentialID(base64URL: passkey))
        start.options.allowCredentials = [.init(id: id)]
        return try await visitor.finishSignIn(start.ceremony, visitor.authenticator.get(start.options))
    }

    /// The events of the audit log, oldest first.
    func events() async throws -> [AuditEvent] {
        try await store.read { try $0.auditEntries(after: 0, limit: 999).map(\.event) }
    }
}
