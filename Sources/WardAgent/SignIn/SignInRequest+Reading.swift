internal import WardAgentClient
internal import WardClient
internal import WardDomains
internal import WardText
internal import WardWebAuthn

extension AppSignIn {
    /// Reads what an app asks for, and checks every domain.
    ///
    /// - Throws: `AgentError` with `invalidRequest`, `invalidValue`, `invalidCombination`, or what the app's identity and
    ///   domains bring: `appUnknown`, `notAssociated`.
    func read(_ requests: [AppRequest], of app: AppProgram) async throws -> SignInRequest {
        guard !requests.isEmpty, requests.count <= SignInRequest.limit else {
            throw AgentError(.invalidRequest, "a sheet has 1 to \(SignInRequest.limit) requests")
        }
        try RequestCombination.check(requests)
        var read: [SignInRequest.Wanted] = []
        for (index, request) in requests.enumerated() {
            guard let request = try await self.request(index, request, app.identity) else { continue }
            read.append(request)
        }
        var request = SignInRequest(requester: .app(app), requests: read)
        request.isConditional = requests.contains {
            $0.mediation == .conditional
        }
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
            // It belongs to no domain, so that the app's identity is all that the person can go by.
            guard app.kind != .unknown else {
                throw AgentError(
                    .appUnknown,
                    "only a registered app or a Flatpak gets text: ward apps add registers one"
                )
            }
        default:
            guard let domain = request.domain ?? SignInRequest.domain(of: subject) else {
                throw AgentError(.invalidRequest, "the request names no domain")
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

    /// The domains whose passwords and codes are meant: the one that is named, or all that are known to be the app's.
    ///
    /// Those are the ones it was registered for; for a Flatpak those that the person gave it; and where there are no limits,
    /// those that are remembered to name it and those that its identifier is made of, if they name it.
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
            "no domain is known to name \(app.identifier), so the request must name one"
                + (app.kind == .flatpak ? ", or: ward apps add --flatpak \(app.identifier) --domain DOMAIN" : "")
                + (failure.map { ". Asked: \($0.message)" } ?? "")
        )
    }
}

extension SignInRequest {
    /// What a request is about; `nil` for kinds that later versions know.
    static func subject(of request: AppRequest) throws -> Wanted.Subject? {
        switch request.kind {
        case .passkeyAssertion:
            let read = try TolerantOptions<PublicKeyCredentialRequestOptions>(json: try options(request))
            return .assertion(read.options)
        case .passkeyRegistration:
            let read = try TolerantOptions<PublicKeyCredentialCreationOptions>(json: try options(request))
            return .registration(read.options, nil)
        case .accountCreation:
            let value = try NewAccountOptions.completed(try options(request))
            let read = try TolerantOptions<PublicKeyCredentialCreationOptions>(value)
            let contacts = (request.contacts ?? []).filter { NewAccountOptions.known.contains($0) }
            guard !contacts.isEmpty else {
                throw AgentError(.invalidRequest, "contacts says what names a new account: email, phoneNumber")
            }
            return .registration(read.options, NewAccount(contacts: contacts, wantsName: request.wantsName ?? false))
        case .password: return .password
        case .oneTimeCode: return .oneTimeCode
        case .otherAccount: return .elsewhere
        case .textToInsert: return .text
        case .newPassword:
            let user = request.user ?? ""
            guard user.utf8.count <= SocketProvider.maximumUser else {
                throw AgentError(.invalidValue, "a user name has at most \(SocketProvider.maximumUser) bytes")
            }
            return .newPassword(user: user)
        case .securityKeyAssertion, .securityKeyRegistration: return .securityKey
        default: return nil
        }
    }

    private static func options(_ request: AppRequest) throws(AgentError) -> [UInt8] {
        guard let options = request.options, options.utf8.count <= 64 << 10 else {
            throw AgentError(.invalidRequest, "\(request.kind.rawValue) needs options of at most 64 KiB")
        }
        return Array(options.utf8)
    }

    /// The RP ID that options name.
    static func domain(of subject: Wanted.Subject) -> String? {
        switch subject {
        case .assertion(let options): options.rpID
        case .registration(let options, _): options.rp.id
        default: nil
        }
    }

    /// The options for the domain that was checked, and no other.
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
        default: return subject
        }
    }

    /// What client data names: the domain itself, and for `localhost` what the app says it serves.
    static func origin(_ said: String?, _ domain: String) throws(AgentError) -> WebOrigin? {
        guard let said else { return try? WebOrigin("https://" + domain) }
        guard let origin = try? WebOrigin(said), origin.host.isLocalhost, origin.host.description == domain else {
            throw AgentError(.invalidValue, "only for localhost an origin can be named, such as http://localhost:8080")
        }
        return origin
    }
}

/// Options of an account that has no name yet.
enum NewAccountOptions {
    /// What an account can be named after.
    static let known = ["email", "phoneNumber"]

    /// The options with an empty name where there is none: the person gives it.
    static func completed(_ json: [UInt8]) throws(AgentError) -> JSONValue {
        guard let value = try? JSONValue(json), let members = value.objectValue else {
            throw AgentError(.invalidValue, "the options are no JSON object")
        }
        guard let user = value["user"]?.objectValue else { return value }
        var complete = user
        for name in ["name", "displayName"] where !user.contains(where: { $0.name == name }) {
            complete.append(.init(name, ""))
        }
        return .object(members.map { $0.name == "user" ? .init("user", .object(complete)) : $0 })
    }
}
