import Foundation
import Synchronization
import WardAgent
import WardAgentClient
import WardDomains
import WardRelyingParty
import WardText
import WardWebAuthn

/// An agent, an app that may use `example.com`, and the service of that domain.
final class SignInFixture: Sendable {
    static let domain = "example.com"
    static let quiet = Authorization(mayPrompt: false)
    static let typed = PromptAnswer.secret(Array(AgentFixture.passphrase.utf8))

    let agent: AgentFixture
    let service: RelyingParty
    let clock = ManualClock()
    private let who: AppCell

    static func app(_ name: String, kind: AppIdentity.Result.Kind = .registered) -> AppIdentity.Result {
        AppIdentity.Result(
            kind: kind,
            identifier: kind == .unknown ? "" : "org.example.\(name)",
            displayName: name,
            executable: "/usr/bin/\(name.lowercased())",
            domains: []
        )
    }

    /// `example.com`, `shop.example.com` and `example.org` name Shiny, and nobody else.
    ///
    /// - Parameter sleep: How time passes; by default a sheet waits for every manager.
    init(
        listing: Duration = .seconds(60),
        use: Duration = .seconds(60),
        sleep: @escaping @Sendable (Duration) async throws -> Void = { duration in
            try await Task.sleep(for: duration == .milliseconds(300) ? .seconds(600) : duration)
        }
    ) async throws {
        let cell = AppCell(Self.app("Shiny"))
        let clock = clock
        who = cell
        agent = try await AgentFixture { apps in
            apps.isManager = { _ in true }
            apps.identify = { _ in cell.app.withLock { $0 } }
            apps.appsNamed = { rpID throws(AgentError) in
                guard ["example.com", "example.org", "shop.example.com"].contains(rpID.description) else {
                    throw AgentError(.notAssociated, "there is no list")
                }
                return ["org.example.Shiny"]
            }
        } configure: { configuration in
            configuration.providerListing = listing
            configuration.providerUse = use
            configuration.sleep = sleep
            configuration.clock = { clock.now }
        }
        service = try RelyingParty(id: Self.domain, name: "Example", origins: ["https://\(Self.domain)"])
    }

    var person: ScriptedPerson { agent.person }

    /// From now on the program is another app.
    func becomes(_ app: AppIdentity.Result) { who.app.withLock { $0 = app } }

    func call<Method: AgentMethod>(_ method: Method) async throws -> Method.Result { try await agent.call(method) }

    /// Lets so much time go by that an app that heard a no may ask again.
    func waitAfterNo() { clock.advance(.seconds(300)) }

    func close() async throws { try await agent.close() }

    func ask(
        _ requests: AppRequest...,
        quiet: Bool = false,
        immediately: Bool = false,
        suggestion: String? = nil
    ) async throws -> AuthorizeApp.Result {
        try await call(
            AuthorizeApp(
                authorization: AppAuthorization(mayPrompt: !quiet),
                requests: requests,
                prefersImmediatelyAvailable: immediately,
                suggestion: suggestion
            )
        )
    }

    /// An item with a password, at `example.com` unless another place is named.
    func keep(_ user: String, _ password: String = "hunter2", at site: String = "https://example.com") async throws {
        var change = ItemChange()
        change.title = site
        change.username = user
        change.password = password
        change.addSites = [site]
        _ = try await call(AddItem(authorization: Self.quiet, change: change))
    }

    // MARK: Passkeys

    static func user(_ name: String) -> PublicKeyCredentialUserEntity {
        .init(id: UserHandle(Array("user-\(name)".utf8))!, name: name, displayName: name.capitalized)
    }

    /// A request to make a passkey, and the ceremony that its answer is for.
    func registration(
        _ name: String = "ada",
        excluding: [PublicKeyCredentialDescriptor] = [],
        isConditional: Bool = false
    ) -> (request: AppRequest, ceremony: Ceremony) {
        var wanted = RegistrationRequest()
        if isConditional { wanted.mediation = .conditional }
        let (options, ceremony) = service.registrationOptions(
            for: Self.user(name),
            excluding: excluding,
            request: wanted
        )
        return (
            AppRequest(
                .passkeyRegistration,
                domain: Self.domain,
                options: String(decoding: options.value.serialized, as: UTF8.self),
                mediation: isConditional ? .conditional : nil
            ), ceremony
        )
    }

    /// A request to use a passkey, and the ceremony that its answer is for.
    func assertion(
        allowing: [PublicKeyCredentialDescriptor] = [],
        _ verification: RelyingPartyPolicy.UserVerification? = nil
    ) -> (request: AppRequest, ceremony: Ceremony) {
        var wanted = AuthenticationRequest()
        wanted.userVerification = verification
        let (options, ceremony) = service.authenticationOptions(allowing: allowing, user: nil, request: wanted)
        let text = String(decoding: options.value.serialized, as: UTF8.self)
        return (AppRequest(.passkeyAssertion, domain: Self.domain, options: text), ceremony)
    }

    func verify(_ result: AuthorizeApp.Result, _ ceremony: Ceremony) throws -> CredentialRecord {
        let response = try RegistrationResponse(json: Array((result.response ?? "").utf8))
        return try service.verify(response, for: ceremony).credential
    }

    @discardableResult
    func verify(
        _ result: AuthorizeApp.Result,
        _ ceremony: Ceremony,
        _ record: CredentialRecord
    ) throws -> AuthenticationResponse {
        let response = try AuthenticationResponse(json: Array((result.response ?? "").utf8))
        _ = try service.verify(response, for: ceremony, record: record)
        return response
    }

    /// A passkey in Ward's own vault.
    func register(_ name: String = "ada") async throws -> CredentialRecord {
        person.will(Self.typed)
        let (request, ceremony) = registration(name)
        return try verify(try await ask(request), ceremony)
    }

    func lock() async throws { _ = try await call(Lock()) }
}

/// Who the program is, at this moment.
private final class AppCell: Sendable {
    let app: Mutex<AppIdentity.Result>
    init(_ first: AppIdentity.Result) { app = Mutex(first) }
}
