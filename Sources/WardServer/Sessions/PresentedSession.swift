import Hummingbird
import WardAccounts
import WardWebAuthn

/// What a request shows of its session: the token, and the cookie of a browser that has the key of a bound session.
///
/// The token alone finds a session, but does not open a bound one.
struct PresentedSession: Sendable {
    /// The hash of the session's token.
    let tokenHash: [UInt8]
    private let boundCookie: String?
    private let devices: DeviceSessions

    init(_ token: SessionToken, boundCookie: String?, _ devices: DeviceSessions) {
        tokenHash = token.hash
        self.boundCookie = boundCookie
        self.devices = devices
    }

    /// Whether the request shows all that the session needs.
    func opens(_ session: Session, at now: Int64) -> Bool { devices.opens(session, with: boundCookie, at: now) }
}

extension Deployment {
    /// What a request shows of its session, or `nil` if it has no token.
    ///
    /// A client that stores the token itself has no key, so a bound session does not open for it.
    func shownSession(in request: Request) -> PresentedSession? {
        guard request.usesBearerToken else { return shownCookies(in: request) }
        return request.bearerToken.map { PresentedSession($0, boundCookie: nil, devices) }
    }

    /// What a browser's cookies show of its session, or `nil` if there is no token.
    func shownCookies(in request: Request) -> PresentedSession? {
        cookie.token(in: request).map {
            PresentedSession($0, boundCookie: request.cookie(named: devices.cookieName), devices)
        }
    }

    /// What a request shows of its session.
    ///
    /// - Throws: ``APIError`` with `not_signed_in` if the request has no token.
    func presentedSession(in request: Request) throws(APIError) -> PresentedSession {
        guard let presented = shownSession(in: request) else { throw .notSignedIn }
        return presented
    }
}

extension Deployment {
    /// The cookie of the page that lets a browser prove that it has the key of its session, or `nil` if that is not needed.
    ///
    /// The cookie says for some seconds that the browser had its chance. So a browser without the key gets the page only once.
    func renewal(for request: Request) async throws -> String? {
        guard request.cookie(named: devices.renewalName) == nil, let presented = shownCookies(in: request) else {
            return nil
        }
        let now = effects.now()
        let isLocked = try await store.read { tx in
            guard
                let found = try await tx.signedIn(
                    tx.session(tokenHash: presented.tokenHash),
                    under: sessionRules,
                    at: now
                )
            else {
                return false
            }
            return !presented.opens(found.session, at: now)
        }
        return isLocked ? devices.renewing : nil
    }
}

extension AccountTransaction {
    /// The session that a request opens, and its account.
    ///
    /// - Throws: ``APIError`` with `not_signed_in` if no valid session has this token, `device_proof_required` if the session is bound
    ///   to a device and the request does not come from there.
    func signedIn(
        _ presented: PresentedSession,
        under rules: SessionRules,
        at now: Int64
    ) async throws -> (session: Session, account: Account) {
        guard let found = try await signedIn(session(tokenHash: presented.tokenHash), under: rules, at: now) else {
            throw APIError.notSignedIn
        }
        guard presented.opens(found.session, at: now) else { throw APIError.deviceProofRequired }
        return found
    }

    /// The session that a page's request opens, and its account; `nil` if it opens none.
    func opened(
        by presented: PresentedSession?,
        under rules: SessionRules,
        at now: Int64
    ) async throws -> (session: Session, account: Account)? {
        guard let presented,
            let found = try await signedIn(session(tokenHash: presented.tokenHash), under: rules, at: now),
            presented.opens(found.session, at: now)
        else { return nil }
        return found
    }
}

extension APIError {
    static let deviceProofRequired = APIError(
        .deviceProofRequired,
        "This session is bound to a device, and the request has no proof that it comes from there. Sign in again."
    )
}
