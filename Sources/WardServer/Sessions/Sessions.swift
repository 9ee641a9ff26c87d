import HTTPTypes
import Hummingbird
import Logging
import WardAccounts
import WardText
import WardWebAuthn

/// A session that is about to begin: its token and its record without the account.
struct NewSession: Sendable {
    let token: SessionToken
    /// The browser's session until now.
    ///
    /// It ends, so that an old leaked token becomes useless.
    let previous: [UInt8]?
    private let id: SessionID
    private let userAgent: String
    private let now: Int64
    private let limits: SessionLimits

    init<Store>(_ deployment: Deployment<Store>, _ request: Request) {
        token = .random(using: deployment.effects.randomBytes)
        id = .random(using: deployment.effects.randomBytes)
        previous = deployment.sessionToken(in: request)?.hash
        userAgent = Self.userAgent(of: request)
        now = deployment.effects.now()
        limits = deployment.limits
    }

    /// Ends the browser's old session and begins this one with a proof by a passkey.
    func begin(
        for account: AccountID,
        with passkey: CredentialID,
        userVerified: Bool,
        in tx: some AccountTransaction
    ) async throws {
        if let previous { try await tx.deleteSession(tokenHash: previous) }
        try await insert(account, .passkey, PasskeyProof(by: passkey, at: now, userVerified: userVerified), in: tx)
    }

    /// Ends the browser's old session and begins this one with a password.
    ///
    /// If the browser already proved a passkey of the account, the proof stays, with its time.
    func beginWithPassword(for account: AccountID, in tx: some AccountTransaction) async throws {
        var proof: PasskeyProof?
        if let previous {
            let old = try await tx.liveSession(tokenHash: previous, at: now)
            if old?.accountID == account { proof = old?.passkeyProof }
            try await tx.deleteSession(tokenHash: previous)
        }
        try await insert(account, .password, proof, in: tx)
    }

    private func insert(
        _ account: AccountID,
        _ method: Session.Method,
        _ proof: PasskeyProof?,
        in tx: some AccountTransaction
    ) async throws {
        try await tx.deleteOldestSessions(of: account, keeping: SessionLimits.perAccount - 1)
        let (proven, credential) = method.audited(with: proof)
        try await tx.append(AuditEvent(.signedIn, at: now, of: account, method: proven, credential: credential))
        try await tx.insert(
            Session(
                id: id,
                tokenHash: token.hash,
                accountID: account,
                createdAt: now,
                authenticatedAt: now,
                method: method,
                passkeyProof: proof,
                lastSeenAt: now,
                idleExpiresAt: limits.idleExpiry(at: now),
                expiresAt: now + limits.absolute,
                userAgent: userAgent
            )
        )
    }

    /// The browser's `User-Agent`, printable and of bounded length.
    ///
    /// Only the account's owner sees it.
    private static func userAgent(of request: Request) -> String {
        guard let value = request.headers[.userAgent] else { return "" }
        let printable = value.unicodeScalars.lazy.filter { $0.properties.generalCategory != .control }
        return String(String.UnicodeScalarView(printable.prefix(256)))
    }
}

extension Session.Method {
    /// What the audit log says about the sign-in.
    fileprivate func audited(with proof: PasskeyProof?) -> (AuditEvent.Method, CredentialID?) {
        switch self {
        case .passkey: (.passkey, proof?.credentialID)
        case .password: (.password, nil)
        }
    }
}

extension Deployment {
    /// The hash of a request's session token.
    ///
    /// - Throws: ``APIError`` with `not_signed_in` if the request has no token.
    func tokenHash(of request: Request) throws(APIError) -> [UInt8] {
        guard let token = sessionToken(in: request) else { throw .notSignedIn }
        return token.hash
    }

    /// Records the session's use, at most once a minute.
    ///
    /// A store that cannot write at the moment, such as one on a full disk, is no reason to refuse a reader. The
    /// session then ends as early as if it was not used.
    func touch(_ session: Session, _ context: WardRequestContext) async {
        let now = effects.now()
        guard now - session.lastSeenAt >= limits.touchInterval else { return }
        let idleExpiresAt = limits.idleExpiry(at: now)
        do {
            _ = try await store.write { tx in
                try await tx.touchSession(id: session.id, lastSeenAt: now, idleExpiresAt: idleExpiresAt)
            }
        } catch {
            let reason = (error as? StoreError)?.description ?? String(reflecting: type(of: error))
            context.logger.warning("session's use not recorded", metadata: ["error": .string(reason)])
        }
    }
}

extension AccountTransaction {
    /// The session of a token, and its account.
    ///
    /// - Throws: ``APIError`` with `not_signed_in` if no valid session has this token.
    func signedIn(_ tokenHash: [UInt8], at now: Int64) async throws -> (session: Session, account: Account) {
        guard let found = try await signedIn(session(tokenHash: tokenHash), at: now) else { throw APIError.notSignedIn }
        return found
    }

    /// A session and its account, or `nil` unless the session is valid.
    func signedIn(_ session: Session?, at now: Int64) async throws -> (session: Session, account: Account)? {
        guard let session, !session.isExpired(at: now), let account = try await account(id: session.accountID),
            account.disabledAt == nil
        else { return nil }
        return (session, account)
    }
}

extension Account {
    /// Refuses a sign-in to a disabled account.
    ///
    /// Call it only after the proof was checked: so strangers do not learn that the account exists, and its owner learns why
    /// a right passkey or password does not help. It tells the holder of a stolen password no more than a sign-in to an
    /// enabled account would.
    ///
    /// - Throws: ``APIError`` with `account_disabled`.
    func checkEnabled() throws(APIError) {
        guard disabledAt == nil else {
            throw APIError(.accountDisabled, "This account is disabled. Ask the people who run this service.")
        }
    }
}

extension APIError {
    static let notSignedIn = APIError(.notSignedIn, "This needs a session. Sign in first.")
}

extension Deployment {
    /// The answer to a browser that signed in: with the session's cookie, and the one that names the browser.
    func signedIn(
        _ response: Response,
        to account: AccountID,
        _ session: NewSession,
        _ request: Request
    ) -> Response {
        let fresh = effects.randomBytes(DeviceCookie.nameLength)
        return response.setting(cookie.setting(session.token))
            .setting(deviceCookie.setting(for: account, request, at: effects.now(), fresh: fresh))
    }
}
