import Hummingbird
import WardAccounts
import WardRelyingParty
import WardWebAuthn

/// Making accounts, and adding passkeys to them.
struct RegistrationAPI<Store: AccountStore>: Sendable {
    let deployment: Deployment<Store>

    func add(to router: WardRouter) {
        router.post("/api/v1/registration/options") { request, _ in try await options(request) }
        router.post("/api/v1/registration/verify") { request, context in try await verify(request, context) }
    }

    private func options(_ request: Request) async throws -> Response {
        var ask = RegistrationRequest()
        ask.boundOrigin = try deployment.origins.origin(of: request)
        let fields = try JSONFields(await request.jsonBody())
        ask.mediation = try Self.mediation(fields)
        guard let typed = try fields.optionalString("username") else {
            return try await optionsForOwnAccount(try deployment.tokenHash(of: request), ask)
        }
        guard ask.mediation == .optional else {
            throw APIError(.malformedRequest, "An automatic upgrade is for the own account: leave out \"username\".")
        }
        let username = try PublicText.username(typed)
        let displayName = try fields.optionalString("displayName").map { text throws(APIError) in
            try PublicText.displayName(text)
        }
        // Whether the name is taken is not looked up here: whoever asks learns it only with an authenticator in hand.
        ask.context = CeremonyPurpose.newAccount.context
        let (options, ceremony) = deployment.relyingParty.registrationOptions(
            for: PublicKeyCredentialUserEntity(
                id: .random(deployment.effects),
                name: username.text,
                displayName: displayName ?? username.text
            ),
            request: ask
        )
        try await deployment.store.write { [decoys = deployment.decoys] tx in
            try CeremonyTransaction(tx, decoys: decoys).insert(ceremony)
        }
        return .started(ceremony.id, options.value)
    }

    /// An automatic upgrade, or a registration like any other.
    private static func mediation(_ fields: JSONFields) throws(APIError) -> CredentialMediationRequirement {
        switch try fields.optionalString("mediation") {
        case nil: return .optional
        case "conditional": return .conditional
        default: throw APIError(.malformedRequest, "\"mediation\" is \"conditional\" or left out.")
        }
    }

    private func optionsForOwnAccount(_ tokenHash: [UInt8], _ ask: RegistrationRequest) async throws -> Response {
        let now = deployment.effects.now()
        let start = try await deployment.store.write { [deployment] tx in
            let isUpgrade = ask.mediation == .conditional
            let account =
                isUpgrade
                ? try tx.recentlySignedInWithPassword(tokenHash, at: now)
                : try tx.recentlySignedIn(tokenHash, at: now).account
            guard let user = UserHandle(account.userHandle) else {
                throw StoreError(.damaged, detail: "an account's user handle has no length that can be")
            }
            let view = CeremonyTransaction(tx, decoys: deployment.decoys)
            var ask = ask
            ask.context = (isUpgrade ? CeremonyPurpose.upgrade(account.id) : .newPasskey(account.id)).context
            let (options, ceremony) = deployment.relyingParty.registrationOptions(
                for: .init(id: user, name: account.username.text, displayName: account.displayName),
                excluding: try view.credentials(of: user).map(\.descriptor),
                request: ask
            )
            try view.insert(ceremony)
            return RegistrationStarted(ceremony: ceremony.id, options: options)
        }
        return .started(start.ceremony, start.options.value)
    }

    /// Ends a registration in one trip to the store: the ceremony, the check, and what it was begun for.
    private func verify(_ request: Request, _ context: WardRequestContext) async throws -> Response {
        _ = try deployment.origins.origin(of: request)
        let answer = try CeremonyAnswer(registration: await request.jsonBody())
        let session = NewSession(deployment, request)
        let now = deployment.effects.now()
        let accountID = AccountID.random(using: deployment.effects.randomBytes)
        let result = try await deployment.store.write { [deployment] tx -> Result<Registered, any Error> in
            let view = CeremonyTransaction(tx, decoys: deployment.decoys)
            do {
                let verified = try deployment.relyingParty.finishRegistration(
                    answer.ceremony,
                    answer.response,
                    in: view
                ).get()
                switch CeremonyPurpose(context: verified.ceremony.context) {
                case .newAccount:
                    let account = try Account(accountID, verified.ceremony, at: now, in: tx)
                    let passkey = try tx.keep(verified.credential, of: account, at: now)
                    try session.begin(for: account.id, by: .passkey, in: tx)
                    return .success(Registered(account: account, passkey: passkey, isNewAccount: true))
                case .newPasskey(let owner):
                    let account = try tx.recentlySignedIn(session.previous ?? [], at: now).account
                    guard account.id == owner else { throw APIError.notSignedIn }
                    let passkey = try tx.keep(verified.credential, of: account, at: now)
                    return .success(Registered(account: account, passkey: passkey, isNewAccount: false))
                case .upgrade(let owner):
                    let account = try tx.recentlySignedInWithPassword(session.previous ?? [], at: now)
                    guard account.id == owner else { throw APIError.notSignedIn }
                    let passkey = try tx.keep(verified.credential, of: account, at: now)
                    return .success(Registered(account: account, passkey: passkey, isNewAccount: false))
                default:
                    throw APIError(.malformedRequest, "This ceremony is for something else.")
                }
            } catch let refusal as VerificationError {
                return .failure(refusal)
            } catch let refusal as APIError {
                // Nothing was written before it, but the ceremony stays consumed.
                return .failure(refusal)
            }
        }
        switch result {
        case .failure(let refusal): throw deployment.refusal(of: .registration, refusal, context)
        case .success(let registered):
            let body: JSONValue = ["account": JSONValue(registered.account), "passkey": JSONValue(registered.passkey)]
            let response = Response.json(body.serialized, status: .created)
            return registered.isNewAccount ? response.setting(deployment.cookie.setting(session.token)) : response
        }
    }
}

private struct RegistrationStarted: Sendable {
    let ceremony: CeremonyID
    let options: PublicKeyCredentialCreationOptions
}

private struct Registered: Sendable {
    let account: Account
    let passkey: Passkey
    let isNewAccount: Bool
}

extension Account {
    /// Makes the account a ceremony was begun for, unless its name was taken meanwhile.
    init(_ id: AccountID, _ ceremony: Ceremony, at now: Int64, in tx: some AccountTransaction) throws {
        guard let user = ceremony.user, let username = try? Username(user.name) else {
            throw APIError(.malformedRequest, "This ceremony is for something else.")
        }
        self.init(
            id: id,
            username: username,
            displayName: user.displayName,
            userHandle: user.id.bytes,
            createdAt: now
        )
        guard try tx.account(username: username) == nil else {
            throw APIError(.usernameTaken, "Another account has this name.")
        }
        try tx.insert(self)
    }
}

extension AccountTransaction {
    /// Writes a verified credential down as an account's passkey.
    ///
    /// Until its owner names it, it is called after the authenticator's maker where that is known, with a number where
    /// the account has one of that name.
    func keep(_ credential: CredentialRecord, of account: Account, at now: Int64) throws -> Passkey {
        let taken = Set(try passkeys(of: account.id).map(\.name))
        let maker = credential.aaguid.commonName ?? "Passkey"
        let numbered = (2...taken.count + 2).lazy.map { "\(maker) \($0)" }
        let name = ([maker] + numbered).first { !taken.contains($0) } ?? maker
        let passkey = Passkey(credential, of: account.id, named: name, at: now)
        try insert(passkey)
        return passkey
    }
}
