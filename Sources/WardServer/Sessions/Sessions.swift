import HTTPTypes
import Hummingbird
import Logging
import WardAccounts
import WardText
import WardWebAuthn

/// A session that is about to begin: its token and its record without the account.
struct NewSession: Sendable {
    let token: SessionToken
    /// The session that the browser has had until now.
    ///
    /// It ends, so that its token becomes useless, even if it was leaked.
    let previous: PresentedSession?
    /// The session's ID.
    let id: SessionID
    private let userAgent: String
    private let now: Int64
    private let limits: SessionLimits
    private let policy: SignInPolicy
    /// The client's address for the audit log.
    private let address: String?

    init<Store>(_ deployment: Deployment<Store>, _ request: Request, _ context: WardRequestContext) {
        token = .random(using: deployment.effects.randomBytes)
        id = .random(using: deployment.effects.randomBytes)
        previous = deployment.shownSession(in: request)
        userAgent = Self.userAgent(of: request)
        now = deployment.effects.now()
        limits = deployment.limits
        policy = deployment.policy
        address = deployment.auditAddress(of: request, context)
    }

    /// Ends the browser's old session and starts a new one, after a sign-in with a passkey.
    ///
    /// - Parameters:
    ///   - account: The account.
    ///   - passkey: The passkey.
    ///   - userVerified: Whether the person was verified.
    ///   - wrongPasswords: How many wrong passwords came for the name before.
    ///   - isNewDevice: Whether the browser had not signed in before.
    ///   - tx: The transaction.
    /// - Throws: The store's errors.
    func begin(
        for account: AccountID,
        with passkey: CredentialID,
        userVerified: Bool,
        after wrongPasswords: Int64 = 0,
        onNewDevice isNewDevice: Bool = false,
        in tx: some AccountTransaction
    ) async throws {
        let old: Session? = if let previous { try await tx.session(tokenHash: previous.tokenHash) } else { nil }
        let proof = PasskeyProof(by: passkey, at: now, userVerified: userVerified)
        let details = details(after: wrongPasswords, onNewDevice: isNewDevice)
        try await insert(account, .passkey, proof, nil, replacing: old, details, in: tx)
    }

    /// The details of the row of the audit log.
    func details(after wrongPasswords: Int64, onNewDevice isNewDevice: Bool) -> AuditDetails {
        AuditDetails(session: id, address: address, wrongPasswords: wrongPasswords, isNewDevice: isNewDevice)
    }

    /// Stores the session, with its row of the audit log, in place of the browser's old one.
    func insert(
        _ account: AccountID,
        _ method: Session.Method,
        _ proof: PasskeyProof?,
        _ second: Session.SecondFactor?,
        replacing old: Session?,
        _ details: AuditDetails,
        in tx: some AccountTransaction
    ) async throws {
        // The old one makes room as well, below.
        let limit = SessionLimits.perAccount - (old?.accountID == account ? 0 : 1)
        try await tx.deleteOldestSessions(of: account, keeping: limit)
        let (proven, credential) = method.audited(with: proof)
        var event = AuditEvent(.signedIn, at: now, of: account, method: proven, credential: credential)
        event.details = details
        try await tx.append(event)
        let age = try await longestAge(of: account, in: tx)
        try await tx.insert(
            Session(
                id: id,
                tokenHash: token.hash,
                accountID: account,
                createdAt: now,
                authenticatedAt: now,
                method: method,
                passkeyProof: proof,
                secondFactor: second,
                lastSeenAt: now,
                idleExpiresAt: limits.idleExpiry(at: now),
                expiresAt: now + min(limits.absolute, age),
                userAgent: userAgent
            )
        )
        if let old {
            // Clients of OpenID Connect stay signed in if the same person signs in again.
            if old.accountID == account, isOpen(old) { try await tx.moveOAuthGrants(from: old.id, to: id) }
            try await tx.deleteSession(tokenHash: old.tokenHash)
        }
    }

    /// How long a session of an account lasts at most by the service's rules, in seconds.
    private func longestAge(of account: AccountID, in tx: some AccountTransaction) async throws -> Int64 {
        guard policy.rules.contains(where: { $0.sessionAge != nil }), let account = try await tx.account(id: account)
        else { return .max }
        return policy.requirements(in: account.groups, at: now).sessionAge ?? .max
    }

    /// Whether the browser could still use its old session.
    ///
    /// The holder of a stolen cookie takes over nothing from a session that is bound to a device.
    func isOpen(_ old: Session) -> Bool { !old.isExpired(at: now) && previous?.opens(old, at: now) == true }

    /// The browser's `User-Agent`, printable and of bounded length.
    ///
    /// Only the owner of the account sees it.
    private static func userAgent(of request: Request) -> String {
        guard let value = request.headers[.userAgent] else { return "" }
        let printable = value.unicodeScalars.lazy.filter { $0.properties.generalCategory != .control }
        return String(String.UnicodeScalarView(printable.prefix(256)))
    }
}

extension Session.Method {
    /// The words of the audit log for the sign-in.
    fileprivate func audited(with proof: PasskeyProof?) -> (AuditEvent.Method, CredentialID?) {
        switch self {
        case .passkey: (.passkey, proof?.credentialID)
        case .password: (.password, nil)
        case .federated: (.federated, nil)
        }
    }
}

extension Deployment {
    /// Records the session's use, at most once a minute.
    ///
    /// If the store cannot write at the moment, for example because the disk is full, reading still works. The session then
    /// expires as if it had not been used.
    func touch(_ session: Session, _ context: WardRequestContext) async { await touch(session, context.logger) }

    /// Records the session's use, as the other call does.
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - logger: Logs that the store cannot write.
    func touch(_ session: Session, _ logger: Logger) async {
        let now = effects.now()
        guard now - session.lastSeenAt >= limits.touchInterval else { return }
        let idleExpiresAt = limits.idleExpiry(at: now)
        do {
            _ = try await store.write { tx in
                try await tx.touchSession(id: session.id, lastSeenAt: now, idleExpiresAt: idleExpiresAt)
            }
        } catch {
            let reason = (error as? StoreError)?.description ?? String(reflecting: type(of: error))
            logger.warning("session's use not recorded", metadata: ["error": .string(reason)])
        }
    }
}

extension Session {
    /// The proof with a passkey that belongs to this sign-in, or `nil`.
    ///
    /// An old proof stays in a session that a later password sign-in began. It says nothing about that sign-in.
    var signInProof: PasskeyProof? {
        passkeyProof.flatMap { SessionLimits.isRecent($0.provenAt, at: authenticatedAt) ? $0 : nil }
    }
}

extension AccountTransaction {
    /// A session and its account, or `nil` if the session is not valid, or not any more under the service's rules.
    ///
    /// It does not check what a request shows: see ``PresentedSession``.
    func signedIn(
        _ session: Session?,
        under rules: SessionRules,
        at now: Int64
    ) async throws -> (session: Session, account: Account)? {
        guard let session, !session.isExpired(at: now), let account = try await account(id: session.accountID),
            account.disabledAt == nil, try await rules.keeps(session, of: account, at: now, in: self)
        else { return nil }
        return (session, account)
    }
}

extension Account {
    /// Refuses a sign-in to a disabled account.
    ///
    /// Call it only after the proof was checked. So strangers do not learn that the account exists, and its owner learns why a
    /// right passkey or password is refused. The holder of a stolen password learns no more than from a sign-in to an enabled
    /// account.
    ///
    /// - Throws: ``APIError`` with `account_disabled`.
    func checkEnabled() throws(APIError) {
        guard disabledAt == nil else {
            throw APIError(.accountDisabled, "This account is disabled. Ask the people who run this service.")
        }
    }
}

extension APIError {
    static let notSignedIn = APIError(.notSignedIn, "This request needs a session. Sign in first.")
}

extension Deployment {
    /// Whether a browser has not signed in to an account before.
    func isNewDevice(_ request: Request, of account: AccountID, at now: Int64) -> Bool {
        deviceCookie.device(of: request, for: account, at: now) == nil
    }

    /// The answer to a browser that signed in.
    ///
    /// It has the session's cookie and the cookie that identifies the browser, and asks the browser to bind the session.
    func signedIn(
        _ response: Response,
        to account: AccountID,
        _ session: NewSession,
        _ request: Request
    ) -> Response {
        let fresh = effects.randomBytes(DeviceCookie.nameLength)
        let signedIn = response.setting(cookie.setting(session.token))
            .setting(deviceCookie.setting(for: account, request, at: effects.now(), fresh: fresh))
        return offeringBinding(signedIn, of: session.id)
    }
}
