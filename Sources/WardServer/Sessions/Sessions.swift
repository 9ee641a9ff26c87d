import HTTPTypes
import Hummingbird
import WardAccounts
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
        previous = deployment.cookie.token(in: request)?.hash
        userAgent = Self.userAgent(of: request)
        now = deployment.effects.now()
        limits = deployment.limits
    }

    /// Ends the browser's old session and begins this one.
    func begin(for account: AccountID, by method: Session.Method, in tx: some AccountTransaction) async throws {
        if let previous { try await tx.deleteSession(tokenHash: previous) }
        try await tx.insert(
            Session(
                id: id,
                tokenHash: token.hash,
                accountID: account,
                createdAt: now,
                authenticatedAt: now,
                method: method,
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

extension Deployment {
    /// The hash of a request's session token.
    ///
    /// - Throws: ``APIError`` with `not_signed_in` if the request has no token.
    func tokenHash(of request: Request) throws(APIError) -> [UInt8] {
        guard let token = cookie.token(in: request) else { throw .notSignedIn }
        return token.hash
    }

    /// Records the session's use, at most once a minute.
    func touch(_ session: Session) async throws {
        let now = effects.now()
        guard now - session.lastSeenAt >= limits.touchInterval else { return }
        let idleExpiresAt = limits.idleExpiry(at: now)
        _ = try await store.write { tx in
            try await tx.touchSession(id: session.id, lastSeenAt: now, idleExpiresAt: idleExpiresAt)
        }
    }
}

extension AccountTransaction {
    /// The session of a token, and its account.
    ///
    /// - Throws: ``APIError`` with `not_signed_in` if no valid session has this token.
    func signedIn(_ tokenHash: [UInt8], at now: Int64) async throws -> (session: Session, account: Account) {
        guard let session = try await liveSession(tokenHash: tokenHash, at: now),
            let account = try await account(id: session.accountID)
        else { throw APIError.notSignedIn }
        return (session, account)
    }

    /// The session and account, if the sign-in was within the last minutes.
    ///
    /// - Throws: ``APIError`` with `not_signed_in` or `recent_sign_in_required`.
    func recentlySignedIn(_ tokenHash: [UInt8], at now: Int64) async throws -> (session: Session, account: Account) {
        let signedIn = try await signedIn(tokenHash, at: now)
        guard SessionLimits.isRecent(signedIn.session, at: now) else {
            throw APIError(
                .recentSignInRequired,
                "This needs a sign-in within the last five minutes. Sign in again first."
            )
        }
        return signedIn
    }

    /// The session and account, if the recent sign-in used a password.
    ///
    /// Only then may the browser create a passkey without a prompt.
    ///
    /// - Throws: ``APIError`` with `not_signed_in`, `recent_sign_in_required` or `password_sign_in_required`.
    func recentlySignedInWithPassword(_ tokenHash: [UInt8], at now: Int64) async throws -> Account {
        let (session, account) = try await recentlySignedIn(tokenHash, at: now)
        guard session.method == .password else {
            throw APIError(.passwordSignInRequired, "An automatic upgrade needs a session that began with a password.")
        }
        return account
    }
}

extension APIError {
    static let notSignedIn = APIError(.notSignedIn, "This needs a session. Sign in first.")
}
