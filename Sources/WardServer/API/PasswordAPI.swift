import HTTPTypes
import Hummingbird
import WardAccounts
import WardWebAuthn

/// Passwords: an account that begins with one, signing in with one, and the own one.
struct PasswordAPI<Store: AccountStore>: Sendable {
    let deployment: Deployment<Store>
    let passwords: Passwords

    func add(to router: WardRouter) {
        router.post("/api/v1/account") { request, _ in try await create(request) }
        router.post("/api/v1/sign-in/password") { request, _ in try await signIn(request) }
        router.put("/api/v1/account/password") { request, _ in try await set(request) }
        router.delete("/api/v1/account/password") { request, _ in try await remove(request) }
    }

    // MARK: Without a session

    private func create(_ request: Request) async throws -> Response {
        _ = try deployment.origins.origin(of: request)
        let fields = try JSONFields(await request.jsonBody())
        let typed = try fields.string("password")
        let username = try PublicText.username(fields.string("username"))
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
        // Before anything is looked up: a taken name is answered no sooner than a free one.
        let hash = try await passwords.hash(new: typed, beside: [username.mapped, account.displayName])
        try await deployment.store.write { tx in
            try await tx.insert(account)
            try await tx.setPassword(PasswordRecord(accountID: account.id, hash: hash, chosenAt: account.createdAt))
            try await session.begin(for: account.id, by: .password, in: tx)
        }
        return signedIn(account, hasPasskey: false, session, status: .created)
    }

    /// One trip to look up and one to begin the session: between them stands the comparison, which takes too long for a
    /// transaction.
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
            // Whoever changed the password meanwhile did not want this one to work any more.
            guard try await tx.password(of: match.record.accountID) == match.record,
                let account = try await tx.account(id: match.record.accountID)
            else { throw APIError.wrongPassword }
            if let renewed = match.renewed {
                var password = match.record
                password.hash = renewed.text
                try await tx.setPassword(password)
            }
            try await session.begin(for: account.id, by: .password, in: tx)
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

    // MARK: The own password

    private func set(_ request: Request) async throws -> Response {
        _ = try deployment.origins.origin(of: request)
        let (tokenHash, now) = (try deployment.tokenHash(of: request), deployment.effects.now())
        let typed = try JSONFields(await request.jsonBody()).string("password")
        // Asked twice: strangers are not to make the service hash.
        let account = try await deployment.store.read { try await $0.recentlySignedIn(tokenHash, at: now).account }
        let hash = try await passwords.hash(new: typed, beside: [account.username.mapped, account.displayName])
        try await deployment.store.write { tx in
            let (session, account) = try await tx.recentlySignedIn(tokenHash, at: now)
            if try await tx.password(of: account.id) != nil { try await tx.endOtherPasswordSessions(than: session) }
            try await tx.setPassword(PasswordRecord(accountID: account.id, hash: hash, chosenAt: now))
        }
        return Response(status: .noContent)
    }

    private func remove(_ request: Request) async throws -> Response {
        _ = try deployment.origins.origin(of: request)
        let (tokenHash, now) = (try deployment.tokenHash(of: request), deployment.effects.now())
        try await deployment.store.write { tx in
            let (session, account) = try await tx.recentlySignedIn(tokenHash, at: now)
            guard try await tx.deletePassword(of: account.id) else {
                throw APIError(.notFound, "The account has no password.")
            }
            // After the fact and in the same transaction, like its counterpart: nothing leaves an account without a way in.
            guard try await tx.hasOpeningPasskey(account.id) else {
                throw APIError(.passwordNeeded, "Without a passkey the password is the only way into the account.")
            }
            try await tx.endOtherPasswordSessions(than: session)
        }
        return Response(status: .noContent)
    }
}

extension AccountTransaction {
    /// Ends what the old password opened elsewhere; sessions that began with a passkey do not depend on it.
    fileprivate func endOtherPasswordSessions(than current: Session) async throws {
        for session in try await sessions(of: current.accountID)
        where session.method == .password && session.id != current.id {
            _ = try await deleteSession(id: session.id, of: current.accountID)
        }
    }
}

extension APIError {
    /// The same for a name that nobody has, an account without a password, and a wrong password.
    fileprivate static let wrongPassword = APIError(.signInFailed, "The name or the password is wrong.")
}
