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
        router.post("/api/v1/sign-in/password") { request, _ in try await signIn(request) }
        router.put("/api/v1/account/password") { request, context in try await set(request, context) }
        router.delete("/api/v1/account/password") { request, _ in try await remove(request) }
    }

    /// Adds the same routes to a service that accepts no passwords: each answers `passwords_disabled`.
    static func addRefusals(to router: WardRouter, _ origins: OriginPolicy) {
        let refuse: @Sendable (Request, WardRequestContext) async throws -> Response = { request, _ in
            _ = try origins.origin(of: request)
            throw APIError(.passwordsDisabled, "This service accepts no passwords. Use a passkey.")
        }
        router.post("/api/v1/account", use: refuse)
        router.post("/api/v1/sign-in/password", use: refuse)
        router.put("/api/v1/account/password", use: refuse)
        router.delete("/api/v1/account/password", use: refuse)
    }

    // MARK: Without a session

    private func create(_ request: Request, _ context: WardRequestContext) async throws -> Response {
        _ = try deployment.origins.origin(of: request)
        let fields = try JSONFields(await request.jsonBody())
        let typed = try fields.string("password")
        let admission = try Admission(deployment.registration, fields)
        let username = try deployment.names.username(fields.string("username"))
        let displayName = try fields.optionalString("displayName").map { text throws(APIError) in
            try PublicText.displayName(text)
        }
        let account = Account(
            id: .random(using: deployment.effects.randomBytes),
            username: username,
            displayName: displayName ?? username.text,
            userHandle: .random(deployment.effects),
            createdAt: deployment.effects.now()
        )
        let session = NewSession(deployment, request)
        // The invitation is checked before and after hashing, so that strangers cannot make the service hash.
        if admission.invitation != nil {
            try await deployment.store.read { try await admission.check(at: account.createdAt, in: $0) }
        }
        // Hash before the lookup, so that a taken name takes as long as a free one.
        let names = [username.mapped, account.displayName]
        let hash = try await passwords.hash(new: typed, beside: names, context.logger)
        try await deployment.store.write { tx in
            try await admission.check(at: account.createdAt, in: tx)
            try await admission.use(in: tx)
            try await tx.insert(account)
            try await tx.setPassword(PasswordRecord(accountID: account.id, hash: hash, chosenAt: account.createdAt))
            try await session.beginWithPassword(for: account.id, in: tx)
        }
        return signedIn(account, hasPasskey: false, session, status: .created)
    }

    /// One transaction looks up the account and another begins the session.
    ///
    /// The password comparison runs between them, because it takes too long for a transaction.
    private func signIn(_ request: Request) async throws -> Response {
        _ = try deployment.origins.origin(of: request)
        let fields = try JSONFields(await request.jsonBody())
        let (typed, name) = (try fields.string("password"), try fields.string("username"))
        let username = try? Username(name)
        let session = NewSession(deployment, request)
        let match = try await passwords.verify(typed, of: username?.mapped ?? name) {
            let nobody = AccountID.random(using: deployment.effects.randomBytes)
            return try await deployment.store.read { tx in
                let account = try await tx.account(username: username?.mapped ?? name)
                return try await tx.password(of: account?.id ?? nobody)
            }
        }
        guard let match else { throw APIError.wrongPassword }
        let (account, hasPasskey) = try await deployment.store.write { tx in
            // If the password was changed meanwhile, the old one must not sign in.
            guard try await tx.password(of: match.record.accountID) == match.record,
                let account = try await tx.account(id: match.record.accountID)
            else { throw APIError.wrongPassword }
            try account.checkEnabled()
            if let renewed = match.renewed {
                var password = match.record
                password.hash = renewed.text
                try await tx.setPassword(password)
            }
            try await session.beginWithPassword(for: account.id, in: tx)
            return (account, try await tx.hasOpeningPasskey(account.id))
        }
        return signedIn(account, hasPasskey: hasPasskey, session, status: .ok)
    }

    private func signedIn(
        _ account: Account,
        hasPasskey: Bool,
        _ session: NewSession,
        status: HTTPResponse.Status
    ) -> Response {
        let body: JSONValue = ["account": JSONValue(account), "hasPasskey": .bool(hasPasskey)]
        return .json(body.serialized, status: status).setting(deployment.cookie.setting(session.token))
    }

    // MARK: The account's own password

    private func set(_ request: Request, _ context: WardRequestContext) async throws -> Response {
        _ = try deployment.origins.origin(of: request)
        let (tokenHash, now) = (try deployment.tokenHash(of: request), deployment.effects.now())
        let typed = try JSONFields(await request.jsonBody()).string("password")
        // The session is checked before and after hashing, so that strangers cannot make the service hash.
        let account = try await deployment.store.read { tx in
            try await deployment.recentlySignedIn(tokenHash, at: now, in: tx).account
        }
        let names = [account.username.mapped, account.displayName]
        let hash = try await passwords.hash(new: typed, beside: names, context.logger)
        try await deployment.store.write { tx in
            let (session, account) = try await deployment.recentlySignedIn(tokenHash, at: now, in: tx)
            if try await tx.password(of: account.id) != nil { try await tx.endOtherPasswordSessions(than: session) }
            try await tx.setPassword(PasswordRecord(accountID: account.id, hash: hash, chosenAt: now))
        }
        return Response(status: .noContent)
    }

    private func remove(_ request: Request) async throws -> Response {
        _ = try deployment.origins.origin(of: request)
        let (tokenHash, now) = (try deployment.tokenHash(of: request), deployment.effects.now())
        try await deployment.store.write { tx in
            let (session, account) = try await deployment.recentlySignedIn(tokenHash, at: now, in: tx)
            guard try await tx.deletePassword(of: account.id) else {
                throw APIError(.notFound, "The account has no password.")
            }
            // Check after the removal, in the same transaction, as for passkeys: no call may remove the last way to
            // sign in.
            guard try await tx.hasOpeningPasskey(account.id) else {
                throw APIError(
                    .passwordNeeded,
                    "The password is the only way to sign in to this account. Add a passkey first."
                )
            }
            try await tx.endOtherPasswordSessions(than: session)
        }
        return Response(status: .noContent)
    }
}

extension AccountTransaction {
    /// Ends other sessions that began with the old password.
    ///
    /// Sessions that began with a passkey go on.
    fileprivate func endOtherPasswordSessions(than current: Session) async throws {
        for session in try await sessions(of: current.accountID)
        where session.method == .password && session.id != current.id {
            _ = try await deleteSession(id: session.id, of: current.accountID)
        }
    }
}

extension APIError {
    /// The same answer for an unknown name, an account without a password, and a wrong password.
    fileprivate static let wrongPassword = APIError(.signInFailed, "The name or the password is wrong.")
}
