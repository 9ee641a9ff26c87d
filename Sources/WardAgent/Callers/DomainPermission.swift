internal import WardAgentClient
internal import WardDomains
internal import WardWebAuthn

extension AppPolicy {
    /// Refuses an app that a domain does not list.
    ///
    /// Every app may use `localhost`, for development. The prompt must then say that the app is unknown.
    ///
    /// - Parameters:
    ///   - app: Who asks.
    ///   - domain: A domain name in lower-case ASCII form; public suffixes are refused.
    /// - Throws: `AgentError` with `appUnknown` for a program that nobody vouches for, `notAssociated` with the reason, or
    ///   `invalidValue` for a text that is not a domain.
    func check(_ app: AppIdentity.Result, mayUse domain: String) async throws(AgentError) {
        let rpID: RelyingPartyID
        do {
            rpID = try RelyingPartyID(domain)
        } catch {
            throw AgentError(.invalidValue, "apps cannot use this domain: \(error)")
        }
        guard !rpID.domain.isLocalhost else { return }
        guard app.kind != .unknown else {
            throw AgentError(
                .appUnknown,
                "nobody vouches for \(app.executable), so it may use localhost only. Register it: ward apps add"
            )
        }
        guard app.domains.isEmpty || app.domains.contains(domain) else {
            throw AgentError(
                .notAssociated,
                "\(app.displayName) was registered for \(app.domains.joined(separator: ", ")), not for \(domain)"
            )
        }
        guard try await appsNamed(rpID).contains(app.identifier) else {
            throw AgentError(
                .notAssociated,
                "https://\(domain)/.well-known/apple-app-site-association does not list \(app.identifier) in webcredentials.apps"
            )
        }
    }
}
