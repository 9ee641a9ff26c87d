import Hummingbird
import WardAccounts
import WardText
import WardWebAuthn

/// The API of the ways back into an account: a mailed link, the operator's link, recovery codes.
///
/// What a link needs beside itself is decided by ``RecoveryVerdict``. When it is open, `registration/options` with the link adds a
/// passkey, ends all sessions and opens a new one.
struct RecoveryAPI<Store: AccountStore>: Sendable {
    let deployment: Deployment<Store>
    /// Compares passwords; `nil` if the service accepts none.
    let passwords: Passwords?

    func add(to router: WardRouter) {
        router.post("/api/v1/recovery") { try await request($0, $1) }
        router.post("/api/v1/recovery/state") { request, _ in try await state(request) }
        router.post("/api/v1/recovery/proof") { try await prove($0, $1) }
        router.post("/api/v1/recovery/wait") { try await wait($0, $1) }
        router.post("/api/v1/account/recovery") { try await begin($0, $1) }
        router.delete("/api/v1/account/recovery") { try await stop($0, $1) }
    }

    // MARK: Without a session

    /// Mails a link to the account of a name.
    ///
    /// The answer is the same for every name, and so is the work: lookups, counts and one new row.
    private func request(_ request: Request, _ context: WardRequestContext) async throws -> Response {
        _ = try deployment.origins.caller(of: request)
        let typed = try JSONFields(await request.jsonBody()).string("username")
        guard deployment.sendsMail else {
            throw APIError(.mailDisabled, "This service sends no mail. Ask the people who run it for a recovery link.")
        }
        let username = try? Username(typed)
        let now = deployment.effects.now()
        let language = PageLanguage.wanted(by: request).rawValue
        let nobody = AccountID.random(using: deployment.effects.randomBytes)
        let byAddress = deployment.recoveryRequests(of: request, context)
        try await deployment.store.write { tx in
            for counter in byAddress {
                try await counter.check(at: now, in: tx)
                try await counter.add(at: now, in: tx)
            }
            let name = username?.mapped ?? typed
            let account = try await tx.account(username: name)
            let id = account?.id ?? nobody
            let email = try await tx.email(of: id)
            let running = try await tx.recoveryLinks(of: id).contains { $0.wait != .none && !$0.isExpired(at: now) }
            let byName = Counter(.recoveriesOfName, of: Array(name.utf8), deployment.tryLimits.recoveriesOfName)
            let stopped = Counter(.stoppedRecoveries, of: id.bytes, deployment.tryLimits.stoppedRecoveries)
            let (wait, isStopped) = (try await byName.wait(at: now, in: tx), try await stopped.wait(at: now, in: tx))
            // A refused request is not counted, or strangers could make the owner wait for as long as they like.
            if wait == nil { try await byName.add(at: now, in: tx) }
            guard let account, account.disabledAt == nil, let address = email?.confirmed?.address, !running,
                wait == nil,
                isStopped == nil
            else {
                // One row as well, which the next sweep deletes.
                _ = try await tx.insertUse(deployment.effects.randomBytes(32), until: now)
                return
            }
            try await deployment.post(
                .recoveryLink,
                account,
                to: .email(address),
                in: email?.language ?? language,
                at: now,
                in: tx
            )
        }
        return Response(status: .accepted)
    }

    private func state(_ request: Request) async throws -> Response {
        let (token, now) = (try await token(request), deployment.effects.now())
        let body = try await deployment.store.read { tx in
            let recovery = try await deployment.liveRecovery(token.hash, at: now, in: tx)
            return JSONValue(recovery, at: now)
        }
        return .json(body.serialized)
    }

    /// Takes a proof beside the link.
    private func prove(_ request: Request, _ context: WardRequestContext) async throws -> Response {
        let fields = try await fields(request)
        let (token, typed) = (try Self.token(fields), try fields.string("code"))
        guard let proof = RecoveryProof(rawValue: try fields.string("method")) else {
            throw APIError(.malformedRequest, "\"method\" is not a proof of a recovery.").at("method")
        }
        let isRight = proof == .password ? try await isPassword(typed, of: token, request, context) : nil
        let details = deployment.auditDetails(nil, request, context)
        let now = deployment.effects.now()
        let result = try await deployment.store.write { tx -> Result<JSONValue, APIError> in
            var recovery = try await deployment.liveRecovery(token.hash, at: now, in: tx)
            guard case .ask(let proofs) = recovery.verdict(at: now), proofs.contains(proof) else {
                throw APIError(.stepNotAllowed, "This recovery does not ask for this now.")
            }
            let counter = Counter(.recoveryProofs, of: recovery.account.id.bytes, deployment.tryLimits.recoveryProofs)
            try await counter.check(at: now, in: tx)
            let step = proof == .recoveryCode ? SignInStep.recoveryCode : .authenticatorApp
            let accepted =
                if let isRight { isRight } else {
                    try await deployment.accepts(typed, step, of: recovery.account, details, at: now, in: tx)
                }
            guard accepted else {
                try await counter.add(at: now, in: tx)
                return .failure(APIError(.codeWrong, "This is wrong, was used already, or has expired."))
            }
            recovery.link.proofs.append(proof.rawValue)
            try await tx.setRecoveryLink(recovery.link)
            return .success(JSONValue(recovery, at: now))
        }
        return .json(try result.get().serialized)
    }

    /// Compares the password of the link's account, with the limits of a sign-in.
    private func isPassword(
        _ typed: String,
        of token: LinkToken,
        _ request: Request,
        _ context: WardRequestContext
    ) async throws -> Bool {
        guard let passwords else { throw APIError(.stepNotAllowed, "This service accepts no passwords.") }
        let (record, attempt) = try await deployment.store.read { tx in
            let now = deployment.effects.now()
            let account = try await deployment.liveRecovery(token.hash, at: now, in: tx).account
            let attempt = deployment.passwordTry(account.username.mapped, of: account.id, request, context)
            try await attempt.check(at: now, in: tx)
            return (try await tx.password(of: account.id), attempt)
        }
        guard let match = try await deployment.compare(typed, with: record, attempt, passwords) else { return false }
        return try await deployment.store.write { tx in
            try await attempt.succeeded(at: deployment.effects.now(), in: tx)
            return try await tx.password(of: match.record.accountID) == match.record
        }
    }

    /// Asks for the wait that replaces another proof.
    private func wait(_ request: Request, _ context: WardRequestContext) async throws -> Response {
        let (token, now) = (try await token(request), deployment.effects.now())
        let details = deployment.auditDetails(nil, request, context)
        let body = try await deployment.store.write { tx in
            let recovery = try await deployment.liveRecovery(token.hash, at: now, in: tx)
            // A thief of the password must not get further by waiting: this link needs the recovery code.
            guard recovery.link.source != .session, case .ask = recovery.verdict(at: now) else {
                throw APIError(.stepNotAllowed, "This recovery does not ask for a wait now.")
            }
            let link = try await deployment.beginWait(of: recovery, at: now, in: tx)
            let method: AuditEvent.Method = link.source == .mail ? .mailLink : .recoveryLink
            try await tx.append(
                AuditEvent(.recoveryWaiting, at: now, of: link.accountID, method: method, details: details)
            )
            return JSONValue(link, recovery.terms, at: now)
        }
        return .json(body.serialized)
    }

    private func fields(_ request: Request) async throws -> JSONFields {
        _ = try deployment.origins.caller(of: request)
        return try JSONFields(await request.jsonBody())
    }

    private func token(_ request: Request) async throws -> LinkToken { try Self.token(try await fields(request)) }

    private static func token(_ fields: JSONFields) throws(APIError) -> LinkToken {
        guard let token = LinkToken(text: try fields.string("token")) else { throw .recoveryLinkNotValid }
        return token
    }

    // MARK: With a session

    /// Begins a recovery in a session that a password opened moments ago: a recovery code is the second proof.
    ///
    /// It is for a person who lost every passkey and whose service sends no mail.
    private func begin(_ request: Request, _ context: WardRequestContext) async throws -> Response {
        _ = try deployment.origins.caller(of: request)
        let (presented, now) = (try deployment.presentedSession(in: request), deployment.effects.now())
        let token = LinkToken.random(using: deployment.effects.randomBytes)
        let body = try await deployment.store.write { tx in
            let (session, account) = try await tx.signedIn(presented, under: deployment.sessionRules, at: now)
            guard session.method == .password, SessionLimits.isRecent(session.authenticatedAt, at: now) else {
                throw APIError(.passwordSignInRequired, "Sign in with the password first: it is one of the two proofs.")
            }
            let link = RecoveryLink(
                accountID: account.id,
                source: .session,
                tokenHash: token.hash,
                createdAt: now,
                expiresAt: now + RecoveryLink.lifetime,
                needsProof: true
            )
            let terms = try await deployment.recoveryTerms(of: account.id, in: tx)
            let running = try await tx.recoveryLinks(of: account.id).contains { other in
                other.source == .session && other.wait != .none && !other.isExpired(at: now)
            }
            guard !running else { throw APIError(.stepNotAllowed, "A recovery of this account waits already.") }
            try await tx.setRecoveryLink(link)
            let details = deployment.auditDetails(session.id, request, context)
            try await tx.append(
                AuditEvent(.recoveryLinkMade, at: now, of: account.id, method: .password, details: details)
            )
            let members = JSONValue(link, terms, at: now).objectValue ?? []
            return JSONValue.object([.init("token", .string(token.text))] + members)
        }
        return .json(body.serialized, status: .created)
    }

    /// Stops what waits, from any session: whoever is signed in may say that it was not them.
    private func stop(_ request: Request, _ context: WardRequestContext) async throws -> Response {
        _ = try deployment.origins.caller(of: request)
        let (presented, now) = (try deployment.presentedSession(in: request), deployment.effects.now())
        try await deployment.store.write { tx in
            let (session, account) = try await tx.signedIn(presented, under: deployment.sessionRules, at: now)
            guard try await deployment.stopRecoveries(of: account.id, at: now, in: tx) else {
                throw APIError(.notFound, "No recovery of this account waits.")
            }
            try await deployment.tell(.recoveryStopped, account, at: now, in: tx)
            let details = deployment.auditDetails(session.id, request, context)
            try await tx.append(AuditEvent(.recoveryStopped, at: now, of: account.id, details: details))
        }
        return Response(status: .noContent)
    }
}

extension Deployment {
    /// The counts of requests for a mailed link: from one address, and from all together.
    fileprivate func recoveryRequests(of request: Request, _ context: WardRequestContext) -> [Counter] {
        let overall = Counter(.allRecoveries, of: [], tryLimits.allRecoveries)
        guard proxies.knowsClients, let client = client(of: request, context) else { return [overall] }
        return [Counter(.recoveriesFromAddress, of: client.bytes, tryLimits.recoveriesFromAddress), overall]
    }
}
