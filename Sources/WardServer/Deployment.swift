import Hummingbird
import Logging
package import WardAccounts
package import WardAttestation
import WardDomains
package import WardRelyingParty
package import WardWebAuthn

/// One configured service, with the values that every handler needs.
package struct Deployment<Store: AccountStore>: Sendable {
    /// The store for accounts, passkeys and sessions.
    package let store: Store
    /// The relying party that verifies passkeys.
    package let relyingParty: RelyingParty
    /// Clock and randomness.
    package let effects: Effects
    /// The lifetimes of sessions.
    package let limits: SessionLimits
    /// The session cookie.
    package let cookie: SessionCookie
    /// The pages that may send requests for changes.
    package let origins: OriginPolicy
    /// The apps behind proxies.
    let apps: AppOrigins
    /// The origin of the service's pages.
    let page: String
    /// The host of the service's pages, as text for people.
    let host: String
    /// The decoys for unknown names.
    let decoys: DecoyCredentials
    /// The maximum number of open ceremonies.
    package let ceremonies: CeremonyCeiling
    /// Whether people can sign in with passwords.
    let acceptsPasswords: Bool
    /// The rules for names of new accounts.
    let names: NamePolicy
    /// Who may create an account.
    let registration: RegistrationPolicy
    /// The proxies that report who their clients are.
    let proxies: TrustedProxies
    /// The limits on requests of strangers.
    let tryLimits: Limits
    /// The cookie of browsers that signed in before.
    let deviceCookie: DeviceCookie
    /// The sessions that are bound to a device.
    let devices: DeviceSessions
    /// Whether rows of the audit log have the client's address.
    let auditsAddresses: Bool
    /// How long a recovery waits after its notice has left, in seconds.
    let recoveryWait: Int64
    /// Whether people can name others who approve their recovery.
    let usesRecoveryHelpers: Bool
    /// The time between two offers of a passkey to an account, in seconds; 0 for no offers.
    let offerInterval: Int64
    /// The group of the people who may use the admin page; `nil` if there is no admin page.
    let adminGroup: GroupName?
    /// Whether the service sends mail.
    let sendsMail: Bool
    /// The service's rules about sign-ins.
    let policy: SignInPolicy
    /// The metadata of authenticators; `nil` if no rule asks for it.
    let metadata: AuthenticatorMetadata?
    /// The pictures of authenticators on the account page.
    let icons: ProviderIcons
    /// How text messages leave; `nil` if the service sends none.
    let texts: TextRoute?
    /// What the addresses of requests carry that need a new sign-in.
    let beginnings: AuthorizationBeginning
    /// The seal of the ceremonies that the page keeps.
    let seal: CeremonySeal
    /// The identity providers where people may sign in.
    let federation: Federation
    /// The vaults of accounts; `nil` if there is no sync server.
    let vaults: AccountVaults?

    /// Checks the settings and reads the service's own secret from the store, which creates it at the first start.
    ///
    /// The store remembers the RP ID of the service's first start.
    ///
    /// - Throws: ``ServerConfigurationError`` for settings that contradict each other, or another RP ID than the store's; or
    ///   the store's errors.
    package init(
        _ configuration: ServerConfiguration,
        store: Store,
        effects: Effects,
        ceremonies: CeremonyCeiling = CeremonyCeiling(),
        tryLimits: Limits = .standard,
        providers connection: ProviderClient.Connection = .network,
        metadataAnchors: TrustAnchors = .fidoMetadata
    ) async throws {
        let policy =
            try configuration.policy.map { path throws(ServerConfigurationError) in try SignInPolicy(file: path) }
            ?? SignInPolicy()
        let authenticators = try ConfiguredAuthenticators(
            configuration.metadata,
            isNeeded: policy.neededMetadata(configuration.metadata) != nil,
            anchors: metadataAnchors,
            at: effects.now()
        )
        (metadata, icons) = (authenticators.metadata, authenticators.icons)
        let attestation = authenticators.metadata.map { AttestationPolicy.proving($0) } ?? .notRequired
        let parts = try ConfiguredParts(configuration, effects: effects, attestation: attestation)
        self.policy = policy
        relyingParty = parts.relyingParty
        limits = parts.limits
        cookie = parts.cookie
        origins = OriginPolicy(parts.relyingParty.origins, bearers: parts.cors.origins)
        apps = parts.appOrigins
        let origin = parts.relyingParty.origins.lazy.compactMap(\.web).first
        page = origin?.description ?? ""
        host = origin?.host.description ?? configuration.rpID
        acceptsPasswords = configuration.acceptsPasswords
        names = NamePolicy(configuration)
        registration = configuration.registration
        auditsAddresses = configuration.auditsAddresses
        proxies = parts.proxies
        sendsMail = parts.mail != nil
        texts = parts.texts
        adminGroup = parts.adminGroup
        recoveryWait = configuration.recoveryWait.components.seconds
        usesRecoveryHelpers = configuration.usesRecoveryHelpers
        offerInterval = configuration.offerInterval.components.seconds
        vaults = configuration.vaults
        self.tryLimits = tryLimits
        let fresh = effects.randomBytes(DecoyCredentials.secretLength)
        let freshForDevices = effects.randomBytes(DeviceCookie.secretLength)
        let domain = Array(configuration.rpID.utf8)
        let freshForAuthorizations = effects.randomBytes(AuthorizationBeginning.secretLength)
        let freshForCeremonies = effects.randomBytes(CeremonySeal.secretLength)
        let freshForBinding = effects.randomBytes(DeviceSessions.secretLength)
        let freshForProviders = effects.randomBytes(FederatedCookie.secretLength)
        let (kept, secret, browsers, authorizations, sealing, binding, visits) = try await store.write { tx in
            (
                try await tx.insertSecret(named: "rp-id", domain), try await tx.insertSecret(named: "decoys", fresh),
                try await tx.insertSecret(named: "devices", freshForDevices),
                try await tx.insertSecret(named: "authorizations", freshForAuthorizations),
                try await tx.insertSecret(named: "ceremonies", freshForCeremonies),
                try await tx.insertSecret(named: "device-bound-sessions", freshForBinding),
                try await tx.insertSecret(named: "federated", freshForProviders)
            )
        }
        beginnings = AuthorizationBeginning(secret: authorizations)
        deviceCookie = DeviceCookie(beside: parts.cookie, secret: browsers)
        devices = DeviceSessions(
            beside: parts.cookie,
            isOffered: configuration.bindsSessionsToDevices,
            lifetime: configuration.deviceProofLifetime.components.seconds,
            secret: binding
        )
        federation = Federation(
            parts.providers,
            FederatedCookie(isSecure: parts.isSecure, secret: visits),
            origin: page,
            effects: effects,
            connection: connection
        )
        guard kept == domain else {
            let other = String(decoding: kept, as: UTF8.self)
            throw ServerConfigurationError(
                "the database is of \(other), and its passkeys do not work at \(configuration.rpID): start with --rp-id "
                    + "\(other), or name another file with --database"
            )
        }
        guard let decoys = DecoyCredentials(secret: secret, shapes: try await store.decoyShapes()) else {
            throw StoreError(.damaged, detail: "the secret for decoys is too short")
        }
        guard let seal = CeremonySeal(secret: sealing) else {
            throw StoreError(.damaged, detail: "the secret for ceremonies has the wrong length")
        }
        (self.decoys, self.seal) = (decoys, seal)
        self.ceremonies = ceremonies
        self.store = store
        self.effects = effects
    }

    /// Maps a refusal of the relying party to the response and logs the reason.
    ///
    /// The client may get less information than the log.
    private func refusal(of kind: Ceremony.Kind, _ error: any Error, _ context: WardRequestContext) -> any Error {
        guard let error = error as? VerificationError else { return error }
        context.logger.notice(
            "ceremony refused",
            metadata: ["reason": .string(error.code.name), "step": .string(error.step.description)]
        )
        return APIError(error, in: kind)
    }

    /// Finishes a ceremony in one transaction.
    ///
    /// A refusal ends the closure, but not the transaction: the ceremony stays deleted, so that it cannot be answered again.
    /// Any other error rolls the transaction back.
    ///
    /// - Parameters:
    ///   - kind: The kind of the ceremony, for the log.
    ///   - context: The request's context.
    ///   - isStored: Whether the ceremony is one of those in the store, whose number is limited.
    ///   - body: Takes the ceremony, verifies, and writes. It refuses by `VerificationError` or ``APIError``, before it writes.
    /// - Returns: The result of the body.
    /// - Throws: ``APIError`` for a refusal, otherwise the store's errors.
    func finish<Value: Sendable>(
        _ kind: Ceremony.Kind,
        _ context: WardRequestContext,
        isStored: Bool = true,
        _ body: @escaping @Sendable (Store.Transaction) async throws -> Value
    ) async throws -> Value {
        let result = try await store.write { tx -> Result<Value, any Error> in
            do {
                return .success(try await body(tx))
            } catch let refusal as VerificationError {
                return .failure(refusal)
            } catch let refusal as APIError {
                return .failure(refusal)
            }
        }
        // If no ceremony has this ID, the transaction removed none. A transaction that fails throws above.
        if isStored, !result.isUnknownCeremony { ceremonies.taken() }
        do { return try result.get() } catch { throw refusal(of: kind, error, context) }
    }
}

extension Result where Failure == any Error {
    /// Whether the answer was for a ceremony that does not exist.
    fileprivate var isUnknownCeremony: Bool {
        guard case .failure(let error as VerificationError) = self else { return false }
        return error.code == .challengeNotFound
    }
}

/// The values that depend only on the configuration.
struct ConfiguredParts {
    let relyingParty: RelyingParty
    let limits: SessionLimits
    let cookie: SessionCookie
    let isSecure: Bool
    let apps: AppleAppSiteAssociation?
    let androidApps: AssetLinks?
    let appOrigins: AppOrigins
    let proxies: TrustedProxies
    let cors: CORSPolicy
    let mail: MailRoute?
    let webhooks: WebhookRoute?
    let texts: TextRoute?
    let adminGroup: GroupName?
    let providers: IdentityProviders

    init(
        _ configuration: ServerConfiguration,
        effects: Effects = .live,
        attestation: AttestationPolicy = .notRequired
    ) throws(ServerConfigurationError) {
        guard !configuration.servesFIDOConformance || configuration.rpID == "localhost" || configuration.storeIsInMemory
        else {
            throw ServerConfigurationError(
                "the FIDO conformance API lets every caller sign in to every account of \(configuration.rpID): use it with "
                    + "the RP ID "
                    + "localhost, or with a database in memory (--database :memory:)"
            )
        }
        androidApps = try AssetLinks(configuration.androidApps)
        var policy = RelyingPartyPolicy()
        policy.userVerification = configuration.requiresUserVerification ? .required : .preferred
        policy.algorithms = configuration.algorithms.algorithms
        policy.attestation = attestation
        do {
            relyingParty = try RelyingParty(
                id: configuration.rpID,
                name: configuration.rpName,
                origins: configuration.origins + (androidApps?.originTexts ?? []),
                relatedOrigins: configuration.relatedOrigins,
                policy: policy,
                effects: effects
            )
        } catch {
            throw ServerConfigurationError(error.description)
        }
        for (name, address) in [("metrics", configuration.metricsListen), ("admin", configuration.adminListen)] {
            guard address?.isFromSystemd != true else {
                throw ServerConfigurationError(
                    "--\(name)-listen cannot be systemd: only --listen can. Use HOST:PORT or unix:PATH"
                )
            }
        }
        proxies = try TrustedProxies(configuration.trustedProxies)
        guard !configuration.auditsAddresses || proxies.knowsClients else {
            throw ServerConfigurationError(
                "the audit log can have addresses only where they are known: name the proxies in front of the service with "
                    + "--trusted-proxies, or say --trusted-proxies none"
            )
        }
        try DeviceSessions.check(lifetime: configuration.deviceProofLifetime)
        try configuration.passwordEffort.check()
        guard (8...64).contains(configuration.passwordLength) else {
            throw ServerConfigurationError(
                "the minimum length of passwords must be 8 to 64, not \(configuration.passwordLength)"
            )
        }
        guard (.seconds(86_400)...Duration.seconds(3_650 * 86_400)).contains(configuration.auditRetention) else {
            throw ServerConfigurationError(
                "the audit log's rows can stay 1d to 3650d, not \(configuration.auditRetention.components.seconds) seconds"
            )
        }
        guard (.seconds(86_400)...Duration.seconds(3_650 * 86_400)).contains(configuration.keyRotation) else {
            throw ServerConfigurationError(
                "a key can sign ID tokens for 1d to 3650d, not \(configuration.keyRotation.components.seconds) seconds"
            )
        }
        guard (.seconds(3_600)...Duration.seconds(30 * 86_400)).contains(configuration.recoveryWait) else {
            throw ServerConfigurationError(
                "a recovery can wait 1h to 30d, not \(configuration.recoveryWait.components.seconds) seconds"
            )
        }
        guard (.zero...Duration.seconds(365 * 86_400)).contains(configuration.offerInterval) else {
            throw ServerConfigurationError(
                "a passkey can be offered every 0d (never) to 365d, not every \(configuration.offerInterval.components.seconds) "
                    + "seconds"
            )
        }
        if let setting = configuration.breachedPasswords { _ = try BreachedPasswords(setting) }
        _ = try PageBrand(configuration)
        do {
            let document = try AppleAppSiteAssociation(apps: configuration.apps)
            apps = configuration.apps.isEmpty ? nil : document
        } catch {
            throw ServerConfigurationError(error.description)
        }
        do {
            adminGroup = try configuration.adminGroup.map { name throws(GroupNameError) in try GroupName(name) }
        } catch {
            throw ServerConfigurationError("the group of the admin page cannot be used: \(error)")
        }
        mail = try configuration.mail.map { settings throws(ServerConfigurationError) in
            try MailRoute(settings, name: configuration.rpName)
        }
        guard !configuration.usesRecoveryHelpers || mail != nil else {
            throw ServerConfigurationError(
                "helpers approve only recoveries whose link was mailed: set --mail, or leave --recovery-helpers out"
            )
        }
        webhooks = try configuration.webhooks.map { settings throws(ServerConfigurationError) in
            try WebhookRoute(settings)
        }
        texts = try configuration.texts.map { settings throws(ServerConfigurationError) in try TextRoute(settings) }
        providers =
            try configuration.identityProviders.map { path throws(ServerConfigurationError) in
                try IdentityProviders(path: path)
            } ?? .none
        cors = try CORSPolicy(configuration.corsOrigins)
        let related = relyingParty.relatedOrigins.origins.map { Origin.web($0) }
        appOrigins = try AppOrigins(configuration.appOrigins, besides: relyingParty.origins + related)
        limits = try SessionLimits(idle: configuration.sessionIdle, absolute: configuration.sessionAbsolute)
        // An http origin can only be localhost. The relying party refuses all others.
        isSecure = relyingParty.origins.allSatisfy { $0.web.map { $0.scheme == .https } ?? true }
        cookie = SessionCookie(isSecure: isSecure, lifetime: limits.absolute)
    }
}
