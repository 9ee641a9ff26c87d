internal import WardAgentClient
internal import WardWebAuthn

extension Agent {
    /// Who the kernel says the caller is.
    ///
    /// - Throws: `AgentError` with `appUnknown` for a program that is not what it says: changed since it was registered,
    ///   traced, gone, or in a sandbox that nobody made. A program that says nothing is no error but
    ///   `AppIdentity.Result.Kind.unknown`.
    nonisolated func identity(of caller: AgentCaller) async throws(AgentError) -> AppIdentity.Result {
        try await configuration.apps.identify(caller.peer)
    }

    /// That app, if it may use this RP ID or domain: the domain names it.
    ///
    /// `localhost` names nobody and everybody: the development override, which a prompt has to say.
    ///
    /// - Parameters:
    ///   - caller: Who asks.
    ///   - domain: A domain name in lower-case ASCII form; public suffixes are refused.
    /// - Returns: The app.
    /// - Throws: `AgentError` with `appUnknown` as ``identity(of:)`` and for a program that nobody vouches for,
    ///   `notAssociated` with the reason, or `invalidValue` for what is no domain.
    nonisolated func app(
        _ caller: AgentCaller,
        mayUse domain: String
    ) async throws(AgentError) -> AppIdentity.Result {
        let app = try await identity(of: caller)
        let rpID: RelyingPartyID
        do {
            rpID = try RelyingPartyID(domain)
        } catch {
            throw AgentError(.invalidValue, "an app cannot ask for this domain: \(error)")
        }
        guard !rpID.domain.isLocalhost else { return app }
        guard app.kind != .unknown else {
            throw AgentError(
                .appUnknown,
                "nobody vouches for \(app.executable), so it may speak for localhost alone: ward apps add registers it"
            )
        }
        guard app.domains.isEmpty || app.domains.contains(domain) else {
            throw AgentError(
                .notAssociated,
                "\(app.displayName) was registered for \(app.domains.joined(separator: ", ")), not for \(domain)"
            )
        }
        guard try await configuration.apps.appsNamed(rpID).contains(app.identifier) else {
            throw AgentError(
                .notAssociated,
                "https://\(domain)/.well-known/apple-app-site-association does not list \(app.identifier) in webcredentials.apps"
            )
        }
        return app
    }
}
