import HTTPTypes
import Hummingbird
import WardAccounts
import WardText
import WardWebAuthn

/// The API of passwords: create an account with a password, sign in, and set, change or remove the account's own
/// password.
struct PasswordAPI<Store: AccountStore>: Sendable {
    let deployment: Deployment<Store>
    let passwords: Passwords

    func add(to router: WardRouter) {
        router.post("/api/v1/account") { request, context in try await create(request, context) }
        router.post("/api/v1/sign-in/password") { try await signIn($0, $1) }
        router.put("/api/v1/account/password") { request, context in try await set(request, context) }
        router.delete("/api/v1/account/password") { try await remove($0, $1) }
    }

    /// Adds the same routes to a service that accepts no passwords: each answers `passwords_disabled`.
    static func addRefusals(to router: WardRouter, _ origins: OriginPolicy) {
        let refuse: @Sendable (Request, WardRequestContext) async throws -> Response = { request, _ in
            _ = try origins.caller(of: request)
            throw APIError(.passwordsDisabled, "This service accepts no passwords. Use a passkey.")
        }
        router.post("/api/v1/account", use: refuse)
        router.post("/api/v1/sign-in/password", use: refuse)
        router.put("/api/v1/account/password", use: refuse)
        router.delete("/api/v1/account/password", use: refuse)
    }

    // MARK: Without a session

    private func create(_ request: Request, _ context: WardRequestContext) async throws -> Response {
        _ = try deployment.origins.caller(of: request)
        let fields = try JSONFields(await request.jsonBody())
        let typed = try fields.string("password")
        let admission = try Admission(deployment.registration, fields)
        let account = try deployment.newAccount(fields)
        let session = NewSession(deployment, request, context)
        let counter = deployment.newAccounts(of: request, context)
        // Requests of strangers are checked before and after hashing, so that strangers cannot make the service hash without a
        // limit.
        if admission.invitation != nil || counter != nil {
            try await deployment.store.read { tx in
                try await admission.check(at: account.createdAt, in: tx)
                try await counter?.check(at: account.createdAt, in: tx)
            }
        }
        // The password is hashed before the lookup, so that a taken name takes as long as a free one.
        let names = [account.username.mapped, account.displayName]
        let client = PasswordQueue.Client.address(deployment.client(of: request, context))
        let hash = try await passwords.hash(new: typed, beside: names, for: client, context.logger)
        let progress = try await deployment.store.write { tx -> SignInProgress? in
            try await admission.check(at: account.createdAt, in: tx)
            try await counter?.check(at: account.createdAt, in: tx)
            // An attempt costs a hash and shows whether the name is taken. So it is counted in both cases.
            try await counter?.add(at: account.createdAt, in: tx)
            do {
                try await tx.insert(account)
            } catch let error as StoreError where error.code == .usernameTaken {
                return nil
            }
            try await admission.use(in: tx)
            try await tx.setPassword(PasswordRecord(accountID: account.id, hash: hash, chosenAt: account.createdAt))
            let now = account.createdAt
            var event = AuditEvent(.accountCreated, at: now, of: account.id, method: .password)
            event.details = deployment.auditDetails(nil, request, context)
            try await tx.append(event)
            // The service's rules may ask everybody for a passkey.
            return try await deployment.begin(
                .password(chosenAt: now),
                of: account,
                session,
                after: 0,
                onNewDevice: false,
                at: now,
                in: tx
            )
        }
        guard let progress else { throw APIError(StoreError(.usernameTaken)) }
        guard case .opened = progress else {
            var response = deployment.answer(progress, session, request)
            response.status = .created
            return response
        }
        let body: JSONValue = ["account": JSONValue(account), "hasPasskey": false]
        return deployment.signedIn(body, to: account.id, session, request, status: .created)
    }

    /// One transaction looks up the account and another begins the session.
    ///
    /// The password is compared between the two transactions, because the comparison takes too long for a transaction.
    private func signIn(_ request: Request, _ context: WardRequestContext) async throws -> Response {
        _ = try deployment.origins.caller(of: request)
        let fields = try JSONFields(await request.jsonBody())
        let typed = try fields.string("password")
        if let flow = try fields.optionalString("flow") {
            return try await continueSignIn(flow, typed, request, context)
        }
        let name = try fields.string("username")
        let username = try? Username(name)
        let session = NewSession(deployment, request, context)
        let nobody = AccountID.random(using: deployment.effects.randomBytes)
        let (record, attempt) = try await deployment.store.read { tx in
            let account = try await tx.account(username: username?.mapped ?? name)
            let id = account?.id ?? nobody
            let attempt = deployment.passwordTry(username?.mapped ?? name, of: id, request, context)
            // An attempt that must wait takes no place in the queue.
            try await attempt.check(at: deployment.effects.now(), in: tx)
            return (try await tx.password(of: id), attempt)
        }
        let match = try await deployment.compare(typed, with: record, attempt, passwords)
        guard let match else { throw APIError.wrongPassword }
        let progress = try await deployment.store.write { tx in
            let account = try await owner(of: match, in: tx)
            let now = deployment.effects.now()
            let tries = try await deployment.wrongPasswords(for: account, at: now, in: tx)
            let wrong = max(0, tries - attempt.countsForName)
            try await attempt.succeeded(at: now, in: tx)
            let isNew = deployment.isNewDevice(request, of: account.id, at: now)
            return try await deployment.begin(
                .password(chosenAt: match.record.chosenAt),
                of: account,
                session,
                after: wrong,
                onNewDevice: isNew,
                at: now,
                in: tx
            )
        }
        return deployment.answer(progress, session, request)
    }

    /// Takes the password after a passkey that verified nobody.
    ///
    /// As in ``signIn(_:_:)``, the password is compared between two transactions. The flow stays in the store meanwhile.
    private func continueSignIn(
        _ token: String,
        _ typed: String,
        _ request: Request,
        _ context: WardRequestContext
    ) async throws -> Response {
        let session = NewSession(deployment, request, context)
        let (record, attempt) = try await deployment.store.write { tx in
            let now = deployment.effects.now()
            let taken = try await deployment.takeFlow(token, at: now, in: tx)
            if let refusal = taken.flow.refusal(of: .password, taken.terms, at: now) { throw APIError(refusal) }
            let (name, id) = (taken.account.username.mapped, taken.account.id)
            let attempt = deployment.passwordTry(name, of: id, request, context)
            try await attempt.check(at: now, in: tx)
            try await deployment.keep(taken.flow, under: taken.token, in: tx)
            return (try await tx.password(of: id), attempt)
        }
        let match = try await deployment.compare(typed, with: record, attempt, passwords)
        let result = try await deployment.store.write { tx -> Result<SignInProgress, APIError> in
            let now = deployment.effects.now()
            var taken = try await deployment.takeFlow(token, at: now, in: tx)
            guard let match else {
                if case .refuse(.wrong) = taken.flow.answerWrongly(.password, taken.terms, at: now) {
                    try await deployment.keep(taken.flow, under: taken.token, in: tx)
                }
                return .failure(.wrongPassword)
            }
            let account = try await owner(of: match, in: tx)
            guard account.id == taken.account.id else { throw APIError.flowNotValid }
            let action = taken.flow.answer(.password, taken.terms, at: now)
            if case .refuse(let refusal) = action { throw APIError(refusal) }
            let tries = try await deployment.wrongPasswords(for: account, at: now, in: tx)
            try await attempt.succeeded(at: now, in: tx)
            return .success(
                try await deployment.proceed(
                    taken.flow,
                    action,
                    to: account,
                    session,
                    after: max(0, tries - attempt.countsForName),
                    onNewDevice: deployment.isNewDevice(request, of: account.id, at: now),
                    at: now,
                    in: tx
                )
            )
        }
        return deployment.answer(try result.get(), session, request)
    }

    /// The account of a right password, which gets a stronger hash if the settings have grown.
    ///
    /// The password's use is noted.
    ///
    /// - Throws: ``APIError`` with `sign_in_failed` if the password was changed in the meantime, `account_disabled` if the account is.
    private func owner(of match: Passwords.Match, in tx: Store.Transaction) async throws -> Account {
        guard try await tx.password(of: match.record.accountID) == match.record,
            let account = try await tx.account(id: match.record.accountID)
        else { throw APIError.wrongPassword }
        try account.checkEnabled()
        if let renewed = match.renewed {
            var password = match.record
            password.hash = renewed.text
            try await tx.setPassword(password)
        }
        try await tx.touchPassword(of: account.id, lastUsedAt: deployment.effects.now())
        return account
    }

    // MARK: The account's own password

    private func set(_ request: Request, _ context: WardRequestContext) async throws -> Response {
        _ = try deployment.origins.caller(of: request)
        let (presented, now) = (try deployment.presentedSession(in: request), deployment.effects.now())
        let typed = try JSONFields(await request.jsonBody()).string("password")
        // The session is checked before and after hashing, so that strangers cannot make the service hash.
        let account = try await deployment.store.read { tx in
            try await deployment.recentlySignedIn(presented, at: now, in: tx).account
        }
        let names = [account.username.mapped, account.displayName]
        let hash = try await passwords.hash(new: typed, beside: names, for: .account(account.id), context.logger)
        try await deployment.store.write { tx in
            let (session, account) = try await deployment.recentlySignedIn(presented, at: now, in: tx)
            if try await tx.password(of: account.id) != nil { try await tx.endOtherPasswordSessions(than: session) }
            try await tx.setPassword(PasswordRecord(accountID: account.id, hash: hash, chosenAt: now))
            try await deployment.tell(.passwordSet, account, at: now, in: tx)
            let details = deployment.auditDetails(session.id, request, context)
            try await tx.append(AuditEvent(.passwordSet, at: now, of: account.id, details: details))
        }
        return Response(status: .noContent)
    }

    private func remove(_ request: Request, _ context: WardRequestContext) async throws -> Response {
        _ = try deployment.origins.caller(of: request)
        let (presented, now) = (try deployment.presentedSession(in: request), deployment.effects.now())
        try await deployment.store.write { tx in
            let (session, account) = try await deployment.recentlySignedIn(presented, at: now, in: tx)
            guard try await tx.deletePassword(of: account.id) else {
                throw APIError(.notFound, "The account has no password.")
            }
            // The check comes after the removal, in the same transaction, as for passkeys: no call may remove the last way to
            // sign in.
            guard try await tx.hasOpeningPasskey(account.id) else {
                throw APIError(
                    .passwordNeeded,
                    "The password is the only way to sign in to this account. To remove it, add a passkey first."
                )
            }
            guard try await deployment.passwordlessJourney(of: account.id, in: tx).done.contains(.wayBack) else {
                throw APIError(
                    .wayBackNeeded,
                    "If this passkey is lost, nothing leads back into the account. Add a second passkey or make recovery codes first."
                )
            }
            try await tx.endOtherPasswordSessions(than: session)
            try await deployment.tell(.passwordRemoved, account, at: now, in: tx)
            let details = deployment.auditDetails(session.id, request, context)
            try await tx.append(AuditEvent(.passwordRemoved, at: now, of: account.id, details: details))
        }
        return Response(status: .noContent)
    }
}

extension AccountTransaction {
    /// Ends all other sessions that began with the old password.
    ///
    /// Sessions that began with a passkey continue.
    fileprivate func endOtherPasswordSessions(than current: Session) async throws {
        for session in try await sessions(of: current.accountID)
        where session.method == .password && session.id != current.id {
            _ = try await deleteSession(id: session.id, of: current.accountID)
        }
    }
}

extension APIError {
    /// The answer is the same for an unknown name, an account without a password, and a wrong password.
    fileprivate static let wrongPassword = APIError(.signInFailed, "The user name or the password is wrong.")
}
