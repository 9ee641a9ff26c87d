public import Hummingbird
public import WardAccounts
import WardWebAuthn

/// Who is signed in, and how; all checks of the service have passed.
public struct VerifiedSession: Hashable, Sendable {
    /// The account.
    ///
    /// It never changes and belongs to nobody else. Keep data by this ID.
    public let accountID: AccountID
    /// The user name.
    ///
    /// People change it, and another person may take the old one.
    public let username: String
    /// The display name.
    public let displayName: String
    /// The groups that the account is in, by which the application decides what the person may do.
    public let groups: [GroupName]
    /// The session's ID, as in the person's list of sessions.
    public let sessionID: SessionID
    /// The time when the person signed in, in seconds since 1970.
    public let authenticatedAt: Int64
    /// The methods of the sign-in.
    ///
    /// Both are there if the person used a passkey and the password within five minutes.
    public let methods: Set<Session.Method>
    /// Whether the authenticator verified the person in this sign-in, with a PIN, a fingerprint or similar.
    ///
    /// A password verifies nobody in this sense.
    public let userVerified: Bool

    init(_ session: Session, _ account: Account) {
        accountID = account.id
        username = account.username.text
        displayName = account.displayName
        groups = account.groups
        sessionID = session.id
        authenticatedAt = session.authenticatedAt
        let proof = session.signInProof
        methods = proof == nil ? [session.method] : [session.method, .passkey]
        userVerified = proof?.userVerified ?? false
    }
}

extension WardRoutes {
    /// The session of a request, for routes of your own.
    ///
    /// The session is read from the store each time, so one that ended a moment ago does not count. A session that is bound to a device
    /// counts only with the proof of the device. The use is recorded, so the session does not become idle.
    ///
    /// A request that may change something (any method other than `GET`, `HEAD` and `OPTIONS`) must come from a page of the service's own
    /// origins, or from a client that stores the session's token itself. Otherwise a page of somebody else could use the cookie.
    ///
    /// - Parameter request: A request for a path of the application.
    /// - Returns: The session, or `nil` if nobody is signed in, or if the request does not come from a page of the service's origins.
    /// - Throws: The store's errors.
    public func session(of request: Request) async throws -> VerifiedSession? {
        if request.mayChange {
            do { _ = try deployment.origins.caller(of: request) } catch { return nil }
        }
        let (presented, now) = (deployment.shownSession(in: request), deployment.effects.now())
        let found = try await deployment.store.read {
            try await $0.opened(by: presented, under: deployment.sessionRules, at: now)
        }
        guard let (session, account) = found else { return nil }
        await deployment.touch(session, logger)
        return VerifiedSession(session, account)
    }
}

extension Request {
    fileprivate var mayChange: Bool { method != .get && method != .head && method != .options }
}
