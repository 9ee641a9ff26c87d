internal import WardAgentClient
internal import WardText
internal import WardVault
internal import WardWebAuthn

/// A signal of a service, after its values were checked.
enum AppSignal: Sendable {
    /// The tag of a login whose password is no longer used, as its service reports.
    static let unusedPasswordTag = "unused password"

    case unknown(UnknownCredentialOptions)
    case accepted(AllAcceptedCredentialsOptions)
    case details(CurrentUserDetailsOptions)
    case unusedPassword(domain: String, user: String)

    init(_ method: SignalFromApp) throws(AgentError) {
        let json = Array(method.options.utf8)
        do {
            switch method.kind {
            case .unknownCredential: self = .unknown(try UnknownCredentialOptions(json: json))
            case .allAcceptedCredentials: self = .accepted(try AllAcceptedCredentialsOptions(json: json))
            case .currentUserDetails: self = .details(try CurrentUserDetailsOptions(json: json))
            case .unusedPassword:
                let members = try JSONMembers(try JSONValue(json), in: "options")
                self = .unusedPassword(domain: try members.string("rpId"), user: try members.string("name"))
            }
        } catch {
            throw AgentError(.invalidValue, "the signal's options are not valid: \(error)")
        }
    }

    var domain: String {
        switch self {
        case .unknown(let options): options.rpID
        case .accepted(let options): options.rpID
        case .details(let options): options.rpID
        case .unusedPassword(let domain, _): domain
        }
    }

    func apply(to vault: Vault) async throws {
        switch self {
        case .unknown(let options):
            try await vault.hidePasskey(credentialID: options.credentialID, rpID: options.rpID)
        case .accepted(let options):
            try await vault.hidePasskeys(
                rpID: options.rpID,
                userHandle: options.userID,
                exceptFor: options.allAcceptedCredentialIDs
            )
        case .details(let options):
            try await vault.renamePasskeys(
                rpID: options.rpID,
                userHandle: options.user.id,
                userName: options.user.name,
                userDisplayName: options.user.displayName
            )
        case .unusedPassword(let domain, let user):
            let logins = try await vault.logins(of: user, at: domain).filter {
                $0.hasPassword && !$0.tags.contains(Self.unusedPasswordTag)
            }
            try await vault.write { transaction in
                for login in logins {
                    try transaction.update(login.id, change: .signalled) { $0.tags.append(Self.unusedPasswordTag) }
                }
            }
        }
    }
}

extension Vault {
    /// The logins of an account that an app of a domain may change.
    ///
    /// Their site, or the RP ID of one of their passkeys, is the domain or a domain below it.
    ///
    /// The item's own matching rule would also find logins of other domains, above or beside this one.
    func logins(of user: String, at domain: String) throws -> [ItemSummary] {
        let domain = try DomainName(domain)
        return try summaries(at: "https://\(domain)").filter { summary in
            let hosts = summary.sites.compactMap(\.host) + summary.passkeys.map(\.rpID)
            return summary.isLogin(of: user)
                && hosts.contains { (try? DomainName($0))?.isEqualToOrBelow(domain) ?? false }
        }
    }
}
