internal import WardAgentClient
internal import WardClient
internal import WardDomains
internal import WardText
internal import WardWebAuthn

extension AppSignIn {
    /// Reads an app's request, and checks every domain.
    ///
    /// - Throws: `AgentError` with `invalidRequest`, `invalidValue`, `invalidCombination`, or what the app's identity and
    ///   domains bring: `appUnknown`, `notAssociated`.
    func read(_ requests: [AppRequest], of app: AppProgram) async throws -> SignInRequest {
        guard !requests.isEmpty, requests.count <= SignInRequest.limit else {
            throw AgentError(.invalidRequest, "an authorization must have 1 to \(SignInRequest.limit) requests")
        }
        try RequestCombination.check(requests)
        var read: [SignInRequest.Wanted] = []
        for (index, request) in requests.enumerated() {
            guard let request = try await self.request(index, request, app.identity) else { continue }
            read.append(request)
        }
        var request = SignInRequest(requester: .app(app), requests: read)
        request.vaultIsKnownToHelp = parts.memory.vaultKnows(request.domains)
        return request
    }

    private func request(
        _ index: Int,
        _ request: AppRequest,
        _ app: AppIdentity.Result
    ) async throws -> SignInRequest.Wanted? {
        guard let subject = try SignInRequest.subject(of: request) else { return nil }
        var domains: [String] = []
        switch subject {
        case .password, .oneTimeCode:
            domains = try await self.domains(request.domain, app)
        case .elsewhere: break
        case .text:
            // The request belongs to no domain. So the app must be identified, because the person can decide only by its
            // identity.
            guard app.kind != .unknown else {
                throw AgentError(
                    .appUnknown,
                    "only a registered app or a Flatpak can request a text for a field. To register the app: ward apps add"
                )
            }
        default:
            guard let domain = request.domain ?? SignInRequest.domain(of: subject) else {
                throw AgentError(.invalidRequest, "the request has no domain")
            }
            try await policy.check(app, mayUse: domain)
            domains = [domain]
        }
        return SignInRequest.Wanted(
            index: index,
            subject: try SignInRequest.fitted(subject, to: domains.first ?? ""),
            domains: domains,
            origin: try SignInRequest.origin(request.origin, domains.first ?? "")
        )
    }

    /// The domains for passwords and codes: the requested domain, or all known domains of the app.
    ///
    /// For a registered app these are its registered domains; for a Flatpak the domains that the person gave it. If there is no
    /// such list, they are the domains that are remembered to list the app, and the domains in its identifier if they list it.
    private func domains(
        _ named: String?,
        _ app: AppIdentity.Result
    ) async throws -> [String] {
        let given = app.kind == .flatpak ? policy.registry.read().domains(ofFlatpak: app.identifier) : []
        if let named {
            if !given.contains(named) { try await policy.check(app, mayUse: named) }
            return [named]
        }
        var candidates = app.domains
        if candidates.isEmpty {
            candidates = await policy.domainsNaming(app.identifier).map(\.description)
            candidates += AppIdentifier.homes(app.identifier)
        }
        var good = given
        var failure: AgentError?
        for domain in candidates.prefix(SignInRequest.limit) where !good.contains(domain) {
            do {
                try await policy.check(app, mayUse: domain)
                good.append(domain)
            } catch {
                failure = failure ?? error
            }
        }
        guard good.isEmpty else { return good }
        if let failure, !app.domains.isEmpty { throw failure }
        throw AgentError(
            .notAssociated,
            "no known domain lists \(app.identifier), so the request must have a domain"
                + (app.kind == .flatpak ? ", or: ward apps add --flatpak \(app.identifier) --domain DOMAIN" : "")
                + (failure.map { ". Asked: \($0.message)" } ?? "")
        )
    }
}

extension SignInRequest {
    /// The purpose of a request, or `nil` for kinds of later versions.
    static func subject(of request: AppRequest) throws -> Wanted.Subject? {
        switch request.kind {
        case .passkeyAssertion:
            let read = try TolerantOptions<PublicKeyCredentialRequestOptions>(json: try options(request))
            return .assertion(read.options)
        case .passkeyRegistration:
            let read = try TolerantOptions<PublicKeyCredentialCreationOptions>(json: try options(request))
            return request.mediation == .conditional ? .upgrade(read.options) : .registration(read.options, nil)
        case .accountCreation:
            let value = try NewAccountOptions.completed(try options(request))
            let read = try TolerantOptions<PublicKeyCredentialCreationOptions>(value)
            let contacts = (request.contacts ?? []).filter { NewAccountOptions.known.contains($0) }
            guard !contacts.isEmpty else {
                throw AgentError(.invalidRequest, "contacts must contain email, phoneNumber or both")
            }
            return .registration(read.options, NewAccount(contacts: contacts, wantsName: request.wantsName ?? false))
        case .password: return .password
        case .oneTimeCode: return .oneTimeCode
        case .otherAccount: return .elsewhere
        case .textToInsert: return .text
        case .newPassword:
            let user = request.user ?? ""
            guard user.utf8.count <= SocketProvider.maximumUser else {
                throw AgentError(.invalidValue, "a user name can have at most \(SocketProvider.maximumUser) bytes")
            }
            return .newPassword(user: user)
        case .securityKeyAssertion, .securityKeyRegistration: return .securityKey
        default: return nil
        }
    }

    private static func options(_ request: AppRequest) throws(AgentError) -> [UInt8] {
        guard let options = request.options, options.utf8.count <= 64 << 10 else {
            throw AgentError(.invalidRequest, "\(request.kind.rawValue) needs options, at most 64 KiB long")
        }
        return Array(options.utf8)
    }

    /// The RP ID in the options.
    static func domain(of subject: Wanted.Subject) -> String? {
        switch subject {
        case .assertion(let options): options.rpID
        case .registration(let options, _), .upgrade(let options): options.rp.id
        default: nil
        }
    }

    /// The options for exactly the domain that was checked.
    static func fitted(_ subject: Wanted.Subject, to domain: String) throws(AgentError) -> Wanted.Subject {
        if let named = Self.domain(of: subject), !named.utf8.elementsEqual(domain.utf8) {
            throw AgentError(.invalidRequest, "the options are for another RP ID than the request")
        }
        switch subject {
        case .assertion(var options):
            options.rpID = domain
            return .assertion(options)
        case .registration(var options, let account):
            options.rp.id = domain
            return .registration(options, account)
        case .upgrade(var options):
            options.rp.id = domain
            return .upgrade(options)
        default: return subject
        }
    }

    /// The origin in the client data: the domain itself, or for `localhost` the origin that the app reports.
    static func origin(_ said: String?, _ domain: String) throws(AgentError) -> WebOrigin? {
        guard let said else { return try? WebOrigin("https://" + domain) }
        guard let origin = try? WebOrigin(said), origin.host.isLocalhost, origin.host.description == domain else {
            throw AgentError(.invalidValue, "origin is allowed only for localhost, such as http://localhost:8080")
        }
        return origin
    }
}

/// The options of an account that has no name yet.
enum NewAccountOptions {
    /// The kinds of contact that can name an account.
    static let known = ["email", "phoneNumber"]

    /// The options with an empty name if the name is missing.
    ///
    /// The person chooses the name.
    static func completed(_ json: [UInt8]) throws(AgentError) -> JSONValue {
        guard let value = try? JSONValue(json), let members = value.objectValue else {
            throw AgentError(.invalidValue, "the options must be a JSON object")
        }
        guard let user = value["user"]?.objectValue else { return value }
        var complete = user
        for name in ["name", "displayName"] where !user.contains(where: { $0.name == name }) {
            complete.append(.init(name, ""))
        }
        return .object(members.map { $0.name == "user" ? .init("user", .object(complete)) : $0 })
    }
}
