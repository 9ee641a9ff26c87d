import Hummingbird
import WardAccounts
import WardRelyingParty
import WardText
import WardWebAuthn

/// The API that creates accounts and adds passkeys to them.
struct RegistrationAPI<Store: AccountStore>: Sendable {
    let deployment: Deployment<Store>

    func add(to router: WardRouter) {
        router.post("/api/v1/registration/options") { request, _ in try await options(request) }
        router.post("/api/v1/registration/verify") { request, context in try await verify(request, context) }
    }

    private func options(_ request: Request) async throws -> Response {
        var ask = RegistrationRequest()
        ask.boundOrigin = try deployment.origins.caller(of: request)
        let fields = try JSONFields(await request.jsonBody())
        ask.mediation = try Self.mediation(fields)
        if let link = try fields.optionalString("recovery") {
            guard fields["username"] == nil, ask.mediation == .optional else {
                throw APIError(
                    .malformedRequest,
                    "A request with a recovery link must have no other members. Leave them out."
                )
            }
            return try await optionsForRecovery(link, ask)
        }
        if let flow = try fields.optionalString("flow") {
            guard fields["username"] == nil, ask.mediation == .optional else {
                throw APIError(
                    .malformedRequest,
                    "A request of a sign-in in steps must have no other members. Leave them out."
                )
            }
            return try await optionsForEnrolment(flow, ask)
        }
        guard let typed = try fields.optionalString("username") else {
            return try await optionsForOwnAccount(try deployment.presentedSession(in: request), ask)
        }
        guard ask.mediation == .optional else {
            throw APIError(
                .malformedRequest,
                "With \"mediation\", the passkey is for the signed-in account. Leave out \"username\"."
            )
        }
        let admission = try Admission(deployment.registration, fields)
        let username = try deployment.names.username(typed)
        let displayName = try fields.optionalString("displayName").map { text throws(APIError) in
            try PublicText.displayName(text)
        }
        // It is not checked here whether the name is taken: a caller learns that only at the end, and needs an authenticator
        // for it.
        ask.context = CeremonyPurpose.newAccount(invitation: admission.invitation).context
        let now = deployment.effects.now()
        // A new account is in no group.
        ask.attestation = deployment.attestation(in: [], at: now)
        let (options, ceremony) = deployment.relyingParty.registrationOptions(
            for: PublicKeyCredentialUserEntity(
                id: .random(deployment.effects),
                name: username.text,
                displayName: displayName ?? username.text
            ),
            request: ask
        )
        try await deployment.store.write { tx in
            try await admission.check(at: now, in: tx)
            try await deployment.ceremonies.insert(ceremony, in: tx)
        }
        return .started(ceremony.id.description, options.value)
    }

    /// Reads `mediation`: a passkey without a prompt, or an ordinary registration.
    private static func mediation(_ fields: JSONFields) throws(APIError) -> RequestMediation {
        switch try fields.optionalString("mediation") {
        case nil: return .optional
        case "conditional": return .conditional
        default: throw APIError(.malformedRequest, "\"mediation\" must be \"conditional\" or absent.").at("mediation")
        }
    }

    private func optionsForOwnAccount(_ presented: PresentedSession, _ ask: RegistrationRequest) async throws
        -> Response
    {
        let now = deployment.effects.now()
        let start = try await deployment.store.write { tx in
            var ask = ask
            guard ask.mediation == .conditional else {
                let account = try await deployment.recentlySignedIn(presented, at: now, in: tx).account
                ask.context = CeremonyPurpose.newPasskey(account.id).context
                return try await begin(for: account, ask, in: tx)
            }
            switch try await deployment.silentRegistration(presented, at: now, in: tx) {
            case .upgrade(let account):
                ask.context = CeremonyPurpose.upgrade(account.id).context
                let start = try await begin(for: account, ask, in: tx)
                try await tx.count(.asked, at: now)
                return start
            case .succession(let account, let succession):
                let predecessor = succession.predecessor.record.id
                ask.context = CeremonyPurpose.succession(account.id, of: predecessor).context
                ask.algorithms = succession.algorithms
                return try await begin(for: account, ask, in: tx, beside: predecessor)
            }
        }
        return .started(start.ceremony.description, start.options.value)
    }

    /// The options for the account of a recovery link.
    ///
    /// The link stays valid until the passkey is stored.
    private func optionsForRecovery(_ link: String, _ ask: RegistrationRequest) async throws -> Response {
        guard let token = LinkToken(text: link) else { throw APIError.recoveryLinkNotValid }
        let now = deployment.effects.now()
        let start = try await deployment.store.write { tx in
            let link = try await deployment.openRecovery(token.hash, at: now, in: tx)
            guard let account = try await tx.account(id: link.accountID) else { throw APIError.recoveryLinkNotValid }
            var ask = ask
            ask.context = CeremonyPurpose.recovery(link).context
            return try await begin(for: account, ask, in: tx, isRecovery: true)
        }
        return .started(start.ceremony.description, start.options.value)
    }

    /// The options for a sign-in in steps that opens nothing before the account has a passkey.
    private func optionsForEnrolment(_ flow: String, _ ask: RegistrationRequest) async throws -> Response {
        let now = deployment.effects.now()
        let start = try await deployment.store.write { tx in
            let taken = try await deployment.takeFlow(flow, at: now, in: tx)
            guard taken.flow.next(taken.terms, at: now) == .enrol else { throw APIError(.notNow) }
            try await deployment.keep(taken.flow, under: taken.token, in: tx)
            var ask = ask
            ask.context = CeremonyPurpose.enrolment(taken).context
            return try await begin(for: taken.account, ask, in: tx)
        }
        return .started(start.ceremony.description, start.options.value)
    }

    /// Begins a registration for an account that exists.
    ///
    /// - Parameters:
    ///   - account: The account.
    ///   - ask: The options.
    ///   - tx: The transaction.
    ///   - isRecovery: Whether a recovery link adds the passkey.
    ///   - predecessor: The passkey that the authenticator may have already: the new one succeeds it.
    /// - Returns: The ceremony's ID and the options.
    /// - Throws: ``APIError`` with `too_many_passkeys`, or the store's errors.
    private func begin(
        for account: Account,
        _ ask: RegistrationRequest,
        in tx: Store.Transaction,
        isRecovery: Bool = false,
        beside predecessor: CredentialID? = nil
    ) async throws -> RegistrationStarted {
        let passkeys = try await tx.passkeys(of: account.id)
        try PasskeyLimits.check(passkeys, isRecovery: isRecovery)
        var ask = ask
        ask.attestation = deployment.attestation(in: account.groups, at: deployment.effects.now())
        let (options, ceremony) = deployment.relyingParty.registrationOptions(
            for: .init(id: account.userHandle, name: account.username.text, displayName: account.displayName),
            excluding: passkeys.filter { $0.record.id != predecessor }.map(\.record.descriptor),
            request: ask
        )
        try await deployment.ceremonies.insert(ceremony, in: tx)
        return RegistrationStarted(ceremony: ceremony.id, options: options)
    }

    /// Finishes a registration in one transaction: takes the ceremony, verifies the response, and creates the account or adds
    /// the passkey.
    private func verify(_ request: Request, _ context: WardRequestContext) async throws -> Response {
        _ = try deployment.origins.caller(of: request)
        let answer = try CeremonyAnswer(registration: await request.jsonBody())
        let session = NewSession(deployment, request, context)
        let now = deployment.effects.now()
        let newcomer = Newcomer(
            id: .random(using: deployment.effects.randomBytes),
            counter: deployment.newAccounts(of: request, context)
        )
        let registered = try await deployment.finish(.registration, context) { tx in
            let (verified, passkey) = try await deployment.relyingParty.finishRegistration(
                answer.ceremony,
                answer.response,
                in: tx
            ) { verified in
                // The person did not choose a passkey that is created without a prompt. So it must be good enough for sensitive
                // changes. The same holds for a passkey that a sign-in asks for instead of a second factor.
                let kind = CeremonyPurpose(context: verified.ceremony.context)?.kind
                let mustVerify = kind == .upgrade || kind == .succession || kind == .enrolment
                guard !mustVerify || verified.canBeVerified else { throw APIError.neverVerified }
                let ceremony = verified.ceremony
                let recipient = CeremonyPurpose(context: ceremony.context)?.account
                let model = verified.verifiedModel(at: now)
                try await deployment.checkCounts(verified.credential, of: model, for: recipient, at: now, in: tx)
                let previous = session.previous
                let owner = try await deployment.owner(of: ceremony, newAs: newcomer, previous, at: now, in: tx)
                var passkey = try await tx.newPasskey(
                    verified.credential,
                    of: owner.account,
                    named: answer.passkeyName,
                    at: now,
                    isRecovery: kind == .recovery
                )
                passkey.succeeds = owner.predecessor
                passkey.verifiedModel = model
                return passkey
            }.get()
            guard let account = try await tx.account(id: passkey.accountID) else { throw APIError.notSignedIn }
            let kind = CeremonyPurpose(context: verified.ceremony.context)?.kind
            let what: AuditEvent.Kind = kind == .newAccount ? .accountCreated : .passkeyAdded
            let method: AuditEvent.Method? = kind == .recovery ? .recoveryLink : nil
            // All refusals come before this point. After it only the store can fail, and then everything is rolled back.
            if kind == .recovery {
                try await tx.deleteRecoveryLinks(of: account.id)
                try await tx.endSessions(of: account.id)
            }
            let isOwn = kind == .newPasskey || kind == .upgrade || kind == .succession
            let current = isOwn ? try await tx.session(tokenHash: session.previous?.tokenHash ?? []) : nil
            var event = AuditEvent(what, at: now, of: account.id, method: method, credential: passkey.record.id)
            event.details = deployment.auditDetails(current?.id, request, context)
            try await tx.append(event)
            if kind == .upgrade { try await tx.count(.upgraded, at: now) }
            if kind != .newAccount {
                try await deployment.tell(kind == .recovery ? .recoveryUsed : .passkeyAdded, account, at: now, in: tx)
            }
            let opens = kind == .newAccount || kind == .recovery || kind == .enrolment
            if opens {
                let (id, userVerified) = (passkey.record.id, verified.userVerified)
                try await session.begin(for: account.id, with: id, userVerified: userVerified, in: tx)
            }
            return Registered(
                account: account,
                passkey: passkey,
                userVerified: verified.userVerified,
                opensSession: opens
            )
        }
        let body: JSONValue = [
            "account": JSONValue(registered.account), "passkey": JSONValue(registered.passkey),
            "userVerified": .bool(registered.userVerified),
        ]
        guard registered.opensSession else { return .json(body.serialized, status: .created) }
        return deployment.signedIn(body, to: registered.account.id, session, request, status: .created)
    }
}

/// The values of a new account, and the limit that counts it.
private struct Newcomer: Sendable {
    let id: AccountID
    let counter: Counter?
}

/// Who gets a new passkey.
private struct NewOwner: Sendable {
    let account: AccountID
    /// The passkey that the new one succeeds, if any.
    var predecessor: CredentialID?
}

private struct RegistrationStarted: Sendable {
    let ceremony: CeremonyID
    let options: PublicKeyCredentialCreationOptions
}

private struct Registered: Sendable {
    let account: Account
    let passkey: Passkey
    let userVerified: Bool
    let opensSession: Bool
}

extension VerifiedRegistration {
    /// Whether a sign-in with the new passkey can count as verified.
    ///
    /// It cannot if the passkey is bound to one device and was created without verification.
    fileprivate var canBeVerified: Bool { userVerified || credential.backupEligible }
}

extension APIError {
    fileprivate static let otherPurpose = APIError(
        .malformedRequest,
        "This ceremony was started for another purpose. Start again."
    )
    fileprivate static let neverVerified = APIError(
        Code("user_not_verified", .badRequest),
        "This passkey cannot be used here: it is bound to one device and was created without user verification."
    )
}

extension Account {
    /// Creates the account of the ceremony, unless another account took the name in the meantime.
    init(_ id: AccountID, _ ceremony: Ceremony, at now: Int64, in tx: some AccountTransaction) async throws {
        guard let user = ceremony.user, let username = try? Username(user.name) else { throw APIError.otherPurpose }
        self.init(
            id: id,
            username: username,
            displayName: user.displayName,
            userHandle: user.id,
            createdAt: now
        )
        // The store would refuse the name too, but its error would roll back the deletion of the challenge.
        guard try await tx.account(username: username) == nil else {
            throw APIError(.usernameTaken, "Another account has this name.")
        }
        try await tx.insert(self)
    }
}

extension Deployment {
    /// The account that gets the new passkey.
    ///
    /// The registration creates a new account.
    ///
    /// - Parameters:
    ///   - ceremony: The ceremony that was answered.
    ///   - fresh: For the account if it is new.
    ///   - presented: What the caller shows of its session, if there is one.
    ///   - now: Seconds since 1970.
    ///   - tx: The transaction.
    /// - Returns: The account, and the passkey that the new one succeeds.
    /// - Throws: ``APIError`` if the ceremony's account is not the signed-in one, its name is taken, or no new account
    ///   may be created.
    fileprivate func owner(
        of ceremony: Ceremony,
        newAs fresh: Newcomer,
        _ presented: PresentedSession?,
        at now: Int64,
        in tx: Store.Transaction
    ) async throws -> NewOwner {
        let purpose = CeremonyPurpose(context: ceremony.context)
        let signedIn: AccountID
        var predecessor: CredentialID?
        guard let purpose else { throw APIError.otherPurpose }
        switch purpose.kind {
        case .newAccount:
            let admission = try Admission(registration, purpose)
            try await admission.check(at: now, in: tx)
            try await fresh.counter?.check(at: now, in: tx)
            let account = try await Account(fresh.id, ceremony, at: now, in: tx)
            try await admission.use(in: tx)
            try await fresh.counter?.add(at: now, in: tx)
            return NewOwner(account: account.id)
        case .newPasskey:
            guard let presented else { throw APIError.notSignedIn }
            signedIn = try await recentlySignedIn(presented, at: now, in: tx).account.id
        case .upgrade:
            guard let presented else { throw APIError.notSignedIn }
            signedIn = try await recentlySignedInWithPassword(presented, at: now, in: tx).id
        case .succession:
            guard let presented else { throw APIError.notSignedIn }
            let continued = try await continuedSuccession(ceremony, purpose, presented, at: now, in: tx)
            signedIn = continued.account
            predecessor = continued.predecessor
        case .recovery:
            // The link replaces the sign-in that other changes require.
            signedIn = try await openRecovery(purpose.link ?? [], at: now, in: tx).accountID
        case .enrolment:
            // The flow replaces the sign-in that other changes require, and is used up.
            let (flow, account, terms) = try await takeFlow(tokenHash: purpose.link ?? [], at: now, in: tx)
            guard flow.next(terms, at: now) == .enrol else { throw APIError(.notNow) }
            signedIn = account.id
        case .signIn, .decoy, .conformance:
            throw APIError.otherPurpose
        }
        guard purpose.account == signedIn else { throw APIError.notSignedIn }
        return NewOwner(account: signedIn, predecessor: predecessor)
    }
}
