internal import Logging
internal import WardAgentClient
internal import WardVault
internal import WardWebAuthn

extension SheetDesk {
    /// Something that can be made, and where it will be kept.
    private struct Place: Sendable {
        var request: SignInRequest.Wanted
        /// `nil` for Ward's own vault, which need not be open yet.
        var provider: SocketProvider?

        var name: String { provider?.name ?? "Ward" }
    }

    /// A registration that shows nothing, and either answers or errs.
    func makeSilently() async throws -> AuthorizeApp.Result {
        guard let request = sheet.requests.first, case .registration(let options, _) = request.subject,
            let domain = request.domains.first
        else { throw AgentError(.invalidCombination, "only the registration of a passkey can be conditional") }
        guard signIn.providers.arePasskeysOn else { throw signIn.providers.passkeysOff }
        // The vault is not opened for it: while it is locked, no password of it was handed out moments ago.
        var providers: [any CredentialProvider] = []
        let vault = try await openVault(isNeeded: false)
        if let vault { providers.append(VaultProvider(vault: vault, effects: signIn.session.effects)) }
        providers += signIn.providers.others
        for provider in providers where provider.capabilities.contains([.passkeys, .conditionalRegistration]) {
            let handedOut = signIn.handedOut.latest(
                by: provider.identifier,
                to: sheet.app,
                for: options.user.name,
                at: domain
            )
            guard let handedOut, await provider.stillHas(handedOut) else { continue }
            let consent = consent(provider.name, vault, isConfirmed: false, upgrade: handedOut)
            let response = try await provider.makePasskey(options, page(request), isConditional: true, consent)
            await signIn.asking.notify(
                title: "A passkey was made",
                text:
                    "You sign in to \(domain.domainForPrompt) as \(options.user.name.cleanedForPrompt) with it from now on. Your password stays.",
                .app(app)
            )
            return AuthorizeApp.Result(
                request: request.index,
                response: String(decoding: response.json, as: UTF8.self)
            )
        }
        throw AgentError(.nothingAvailable, Self.noUpgrade)
    }

    static let noUpgrade =
        "no automatic upgrade: the account already has a passkey, or its password was not filled in for this app in the last 5 minutes"

    func make() async throws -> AuthorizeApp.Result {
        let places = try places()
        guard let first = places.first else {
            throw AgentError(.nothingAvailable, "nothing here could keep it yet: ward init makes a vault")
        }
        let account = try await newAccount(places)
        var place = first
        var isConfirmed = false
        if places.count > 1 {
            place = places[try await pick(places.map { text($0, account) })]
            isConfirmed = true
        }
        switch place.request.subject {
        case .registration(var options, let wanted):
            if wanted != nil, let account {
                options.user.name = account.contact
                options.user.displayName = account.name ?? account.contact
            }
            var result = try await makePasskey(place, options, isConfirmed: isConfirmed)
            if wanted != nil, let account {
                result.user = account.contact
                result.personName = account.name
            }
            return result
        case .newPassword(let user): return try await makePassword(place.request, user, isConfirmed: isConfirmed)
        default: throw AgentError(.failed, "nothing is made for this kind")
        }
    }

    /// Where what is asked for could be kept: for each request Ward's own vault, then the others.
    private func places() throws(AgentError) -> [Place] {
        let hasVault = signIn.hasVault
        var places: [Place] = []
        var areOff = false
        for request in sheet.requests {
            switch request.subject {
            case .registration:
                guard signIn.providers.arePasskeysOn else {
                    areOff = true
                    continue
                }
                if hasVault { places.append(Place(request: request)) }
                let others = signIn.providers.others.filter { $0.capabilities.contains(.passkeys) }
                places += others.map { Place(request: request, provider: $0) }
            case .newPassword:
                if hasVault { places.append(Place(request: request)) }
            default: continue
            }
        }
        if places.isEmpty, areOff { throw signIn.providers.passkeysOff }
        return places
    }

    private func makePasskey(
        _ place: Place,
        _ options: PublicKeyCredentialCreationOptions,
        isConfirmed: Bool
    ) async throws -> AuthorizeApp.Result {
        let response: RegistrationResponse
        if let provider = place.provider {
            let vault = try await verifyingVault(nil)
            let consent = consent(provider.name, vault, isConfirmed: isConfirmed)
            response = try await provider.makePasskey(options, page(place.request), isConditional: false, consent)
        } else {
            let vault = try await requiredVault()
            let provider = VaultProvider(vault: vault, effects: signIn.session.effects)
            let consent = consent(provider.name, vault, isConfirmed: isConfirmed)
            response = try await provider.makePasskey(options, page(place.request), isConditional: false, consent)
        }
        return AuthorizeApp.Result(
            request: place.request.index,
            response: String(decoding: response.json, as: UTF8.self)
        )
    }

    /// Makes a password, keeps it and hands it out; where the account is known, in its item.
    private func makePassword(
        _ request: SignInRequest.Wanted,
        _ user: String,
        isConfirmed: Bool
    ) async throws -> AuthorizeApp.Result {
        let vault = try await requiredVault()
        guard let domain = request.domains.first else {
            throw AgentError(.invalidRequest, "the request names no domain")
        }
        let known = try await vault.logins(of: user, at: domain)
        let home = known.count == 1 ? known.first?.id : nil
        if !isConfirmed {
            var text = newPasswordText(user, domain)
            if home != nil { text += "\nIt takes the place of the one you have, which stays in the history." }
            try await confirm(text, agree: "Make password")
        }
        let password = RandomPassword.make(length: Self.passwordLength, symbols: true)
        let now = signIn.session.effects.now()
        let id: ItemID
        if let home {
            try await vault.write { transaction in
                try transaction.update(home) { item in
                    if item.password == nil { item.password = Password(SecretText(password), changedAt: now) }
                    item.password?.change(to: SecretText(password), at: now)
                    item.tags.removeAll { $0 == AppSignal.unusedPasswordTag }
                }
            }
            id = home
        } else {
            let item = Item(
                .login,
                title: domain,
                sites: [Site("https://" + domain)],
                username: user,
                password: Password(SecretText(password), changedAt: now)
            )
            try await vault.write { try $0.add(item) }
            id = item.id
        }
        noteHandedOut(by: VaultProvider.identifier, id.text, domain, user)
        return AuthorizeApp.Result(request: request.index, user: user, password: password)
    }

    private func requiredVault() async throws -> Vault {
        guard let vault = try await openVault(isNeeded: true) else {
            throw AgentError(.nothingAvailable, "there is no vault on this machine yet: ward init makes one")
        }
        return vault
    }

    // MARK: Words

    private func text(_ place: Place, _ account: (contact: String, name: String?)?) -> String {
        let domain = (place.request.domains.first ?? "").domainForPrompt
        switch place.request.subject {
        case .registration(let options, let wanted):
            let names = [wanted == nil ? "" : account?.contact ?? "", options.user.name, options.user.displayName]
            let name = names.map(\.cleanedForPrompt).first { !$0.isEmpty } ?? "your account"
            return "Make a passkey for \(name) at \(domain), kept in \(place.name.cleanedForPrompt)?"
        case .newPassword(let user): return newPasswordText(user, domain)
        default: return ""
        }
    }

    private func newPasswordText(_ user: String, _ domain: String) -> String {
        let name = user.cleanedForPrompt
        return "Make a strong password\(name.isEmpty ? "" : " for \(name)") at \(domain.domainForPrompt), kept in Ward?"
    }

    /// As `ward add --generate` makes them.
    private static let passwordLength = 20

    // MARK: A new account

    /// What a new account is named after, if one of the requests is for one.
    private func newAccount(_ places: [Place]) async throws -> (contact: String, name: String?)? {
        for place in places {
            guard case .registration(_, let wanted?) = place.request.subject else { continue }
            let vault = try await openVault(isNeeded: true)
            let people = try await People(vault)
            let domain = (place.request.domains.first ?? "").domainForPrompt
            let contact = try await contact(wanted.contacts, people, domain)
            let name = wanted.wantsName ? try await personName(people, domain) : nil
            return (contact, name)
        }
        return nil
    }

    private func contact(_ wanted: [String], _ people: People, _ domain: String) async throws -> String {
        let known = wanted.flatMap { $0 == "email" ? people.emails : people.telephones }
        if !known.isEmpty {
            let typing = "Give \(domain) something else, that you type?"
            let index = try await pick(known.map { "Give \(domain) \($0.cleanedForPrompt)?" } + [typing])
            if known.indices.contains(index) { return known[index] }
        }
        let isEmail = wanted.first == "email"
        return try await type(
            isEmail ? "E-mail" : "Telephone",
            "\(domain) makes a new account. Type the \(isEmail ? "e-mail address" : "telephone number") for it.\nYou see it again before anything is made.",
            { isEmail ? People.problem(email: $0) : People.problem(telephone: $0) }
        )
    }

    private func personName(_ people: People, _ domain: String) async throws -> String? {
        let lines = people.names.map { "Tell \(domain) that you are \($0.cleanedForPrompt)?" }
        let index = try await pick(lines + ["Tell \(domain) a name that you type?", "Tell \(domain) no name?"])
        if people.names.indices.contains(index) { return people.names[index] }
        guard index == people.names.count else { return nil }
        return try await type("Name", "Type your name for \(domain).") { name in
            (1...256).contains(name.utf8.count) && name.utf8.count == name.printable.utf8.count
                ? nil : "A name has 1 to 256 bytes, and no control characters."
        }
    }
}
