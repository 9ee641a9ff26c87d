import Hummingbird
import WardAccounts
import WardText
import WardWebAuthn

/// The API of what an account has beside passkeys and the password: an authenticator app, codes in messages, recovery codes.
///
/// Each change needs the proof of a sensitive change, because it decides who can sign in.
struct FactorAPI<Store: AccountStore>: Sendable {
    let deployment: Deployment<Store>
    /// The service's name, which authenticator apps show.
    let service: String

    func add(to router: WardRouter) {
        router.post("/api/v1/account/authenticator-app") { try await beginApp($0, $1) }
        router.put("/api/v1/account/authenticator-app") { try await confirmApp($0, $1) }
        router.delete("/api/v1/account/authenticator-app") { request, context in
            try await change(request, context) { change, tx in
                try await remove(.authenticatorApp, change, in: tx, missing: "The account has no authenticator app.")
                try await removed(.authenticatorApp, change, in: tx)
            }
            return Response(status: .noContent)
        }
        router.put("/api/v1/account/mail-codes") { try await setMailCodes($0, $1) }
        router.delete("/api/v1/account/mail-codes") { request, context in
            try await change(request, context) { change, tx in
                try await remove(.mailCodes, change, in: tx, missing: "The account gets no codes by e-mail.")
                try await removed(.mailCodes, change, in: tx)
            }
            return Response(status: .noContent)
        }
        addTexts(to: router)
        router.post("/api/v1/account/recovery-codes") { try await makeRecoveryCodes($0, $1) }
        router.delete("/api/v1/account/recovery-codes") { request, context in
            try await change(request, context) { change, tx in
                guard try await tx.deleteFactors(.recoveryCode, of: change.account.id) > 0 else {
                    throw APIError(.notFound, "The account has no recovery codes.")
                }
                try await removed(.recoveryCode, change, in: tx)
            }
            return Response(status: .noContent)
        }
    }

    // MARK: Authenticator app

    /// Makes a secret for an app.
    ///
    /// It counts for nothing until a code of the app was typed, so a set-up that is broken off locks nobody out.
    private func beginApp(_ request: Request, _ context: WardRequestContext) async throws -> Response {
        let (app, username) = try await change(request, context) { change, tx in
            let old = try await tx.factors(of: change.account.id)
            for factor in old where factor.kind == .authenticatorApp && factor.confirmedAt == nil {
                try await tx.deleteFactor(factor.kind, key: factor.key, of: factor.accountID)
            }
            let record = AuthenticatorApp.new(
                of: change.account.id,
                at: change.now,
                randomBytes: deployment.effects.randomBytes
            )
            try await tx.setFactor(record)
            return (AuthenticatorApp(record: record), change.account.username.text)
        }
        let link = app.link(for: username, at: service)
        let body: JSONValue = [
            "secret": .string(Base32.encode(app.record.payload)), "link": .string(link),
            "qr": QRCode(link)?.json ?? .null,
        ]
        return .json(body.serialized, status: .created)
    }

    /// Takes the first code of the new app, which replaces an app from before.
    private func confirmApp(_ request: Request, _ context: WardRequestContext) async throws -> Response {
        let typed = try JSONFields(await request.jsonBody()).string("code")
        let isRight = try await change(request, context) { change, tx in
            let counter = Counter(.wrongCodes, of: change.account.id.bytes, deployment.tryLimits.wrongCodes)
            try await counter.check(at: change.now, in: tx)
            let apps = try await tx.factors(of: change.account.id).filter { $0.kind == .authenticatorApp }
            guard let pending = apps.first(where: { $0.confirmedAt == nil }) else {
                throw APIError(.notFound, "No authenticator app waits for its first code. Begin again.")
            }
            guard let confirmed = AuthenticatorApp(record: pending).accepting(typed, at: change.now) else {
                try await counter.add(at: change.now, in: tx)
                return false
            }
            try await counter.reset(in: tx)
            for app in apps where app.confirmedAt != nil {
                try await tx.deleteFactor(app.kind, key: app.key, of: app.accountID)
            }
            try await tx.setFactor(confirmed)
            try await added(.authenticatorApp, change, in: tx)
            return true
        }
        guard isRight else {
            // The session is right, so this is not 401.
            throw APIError(
                .typedCodeWrong,
                "The code is wrong. Compare the clock of your device, and type the newest code."
            )
        }
        return Response(status: .noContent)
    }

    // MARK: Codes by e-mail

    private func setMailCodes(_ request: Request, _ context: WardRequestContext) async throws -> Response {
        try await change(request, context) { change, tx in
            guard deployment.sendsMail, try await tx.email(of: change.account.id)?.confirmed != nil else {
                throw APIError(.addressNeeded, "Codes by e-mail need a confirmed address. Add one first.")
            }
            let id = change.account.id
            guard try await tx.factor(.mailCodes, key: id.bytes) == nil else { return }
            try await tx.setFactor(
                FactorRecord(
                    accountID: id,
                    kind: .mailCodes,
                    key: id.bytes,
                    payload: [],
                    createdAt: change.now,
                    confirmedAt: change.now
                )
            )
            try await added(.mailCodes, change, in: tx)
        }
        return Response(status: .noContent)
    }

    // MARK: Recovery codes

    /// Makes ten codes, which replace those from before, and shows them once.
    private func makeRecoveryCodes(_ request: Request, _ context: WardRequestContext) async throws -> Response {
        let texts = try await change(request, context) { change, tx in
            let (id, now) = (change.account.id, change.now)
            try await tx.deleteFactors(.recoveryCode, of: id)
            let (texts, records) = RecoveryCodes.new(of: id, at: now, randomBytes: deployment.effects.randomBytes)
            for record in records { try await tx.setFactor(record) }
            try await deployment.tell(.recoveryCodesMade, change.account, at: now, in: tx)
            try await tx.append(AuditEvent(.recoveryCodesMade, at: now, of: id, details: change.details))
            return texts
        }
        let body: JSONValue = ["codes": .array(texts.map { .string($0) })]
        return .json(body.serialized, status: .created)
    }

    // MARK: Changes

    /// A change of the account's owner.
    struct Change: Sendable {
        let account: Account
        let now: Int64
        let details: AuditDetails
    }

    @discardableResult
    func change<Value: Sendable>(
        _ request: Request,
        _ context: WardRequestContext,
        _ body: @escaping @Sendable (Change, Store.Transaction) async throws -> Value
    ) async throws -> Value {
        _ = try deployment.origins.caller(of: request)
        let (presented, now) = (try deployment.presentedSession(in: request), deployment.effects.now())
        return try await deployment.store.write { tx in
            let (session, account) = try await deployment.recentlySignedIn(presented, at: now, in: tx)
            let details = deployment.auditDetails(session.id, request, context)
            return try await body(Change(account: account, now: now, details: details), tx)
        }
    }

    /// Removes a second step, unless the service's rules need it.
    func remove(
        _ kind: FactorRecord.Kind,
        _ change: Change,
        in tx: Store.Transaction,
        missing: String
    ) async throws {
        try await deployment.keepingRules(of: change.account, at: change.now, in: tx) {
            guard try await tx.deleteFactors(kind, of: change.account.id) > 0 else {
                throw APIError(.notFound, missing)
            }
        }
    }

    func added(_ kind: FactorRecord.Kind, _ change: Change, in tx: Store.Transaction) async throws {
        try await note(.factorAdded, .factorAdded, kind, change, in: tx)
    }

    func removed(_ kind: FactorRecord.Kind, _ change: Change, in tx: Store.Transaction) async throws {
        try await note(.factorRemoved, .factorRemoved, kind, change, in: tx)
    }

    private func note(
        _ mail: OutboxMail.Kind,
        _ event: AuditEvent.Kind,
        _ kind: FactorRecord.Kind,
        _ change: Change,
        in tx: Store.Transaction
    ) async throws {
        try await deployment.tell(mail, change.account, at: change.now, in: tx)
        let details = change.details.with(factor: kind.rawValue)
        try await tx.append(AuditEvent(event, at: change.now, of: change.account.id, details: details))
    }
}
