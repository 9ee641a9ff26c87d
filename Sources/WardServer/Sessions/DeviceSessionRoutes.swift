import HTTPTypes
import Hummingbird
import Logging
import WardAccounts
import WardCOSE
import WardText
import WardWebAuthn

/// The two addresses that browsers call by themselves to bind a session to their device, and to prove again that they have the key.
///
/// [Device Bound Session Credentials](https://w3c.github.io/webappsec-dbsc/). A browser that does not know them never comes here, and
/// its sessions stay as they are.
struct DeviceSessionRoutes<Store: AccountStore>: Sendable {
    let deployment: Deployment<Store>

    static var registration: String { "/device-session/registration" }
    static var refresh: String { "/device-session/refresh" }

    /// Paths that need no proof: files that are the same for everybody, and addresses for other programs.
    private static var outside: [String] { ["/assets", "/.well-known", "/healthz", "/readyz"] }

    func add(to router: WardRouter) {
        router.post("\(Self.registration)") { try await register($0, $1) }
        router.post("\(Self.refresh)") { try await refresh($0, $1) }
    }

    // MARK: Registration

    /// Takes the public key of a session that began a moment ago.
    ///
    /// Only the answer to the sign-in has the challenge, and a session takes one key. So a cookie that is stolen later cannot register
    /// another key.
    private func register(_ request: Request, _ context: WardRequestContext) async throws -> Response {
        let origin = try deployment.origins.origin(of: request)
        guard let presented = deployment.shownCookies(in: request) else { throw APIError.notSignedIn }
        guard let text = request.structuredString(.secureSessionResponse) else { throw APIError.deviceProofMissing }
        let now = deployment.effects.now()
        let session = try await deployment.store.read {
            try await $0.signedIn(presented, under: deployment.sessionRules, at: now).session
        }
        let key: COSEKey
        do {
            let proof = try DeviceProof(text)
            guard deployment.devices.isCurrent(proof.challenge, for: session.id, after: nil, at: now) else {
                throw DeviceProofError.challenge
            }
            guard let own = proof.key else { throw DeviceProofError.key }
            try proof.check(key: own, session: session.id.text, address: "\(origin)\(Self.registration)")
            key = own
        } catch let error as DeviceProofError {
            throw refused(error, context)
        }
        try await deployment.store.write { tx in
            let (session, account) = try await tx.signedIn(presented, under: deployment.sessionRules, at: now)
            let binding = SessionBinding(publicKey: key.encoded, boundAt: now)
            guard try await tx.bindSession(id: session.id, to: binding) else { throw APIError.sessionBound }
            let details = deployment.auditDetails(session.id, request, context)
            try await tx.append(AuditEvent(.sessionBound, at: now, of: account.id, details: details))
        }
        return proven(session.id, at: now)
    }

    // MARK: Refresh

    /// Answers a browser whose cookie has ended, or ends soon: first with a challenge, then with a new cookie.
    private func refresh(_ request: Request, _ context: WardRequestContext) async throws -> Response {
        let origin = try deployment.origins.origin(of: request)
        guard let text = request.structuredString(.secureSessionID), let id = SessionID(text: text) else {
            throw APIError(.malformedRequest, "The Sec-Secure-Session-Id header must be the ID of a session.")
        }
        let now = deployment.effects.now()
        // The session must be the one of the cookie: the ID is no secret.
        let tokenHash = deployment.cookie.token(in: request)?.hash
        let session = try await deployment.store.read { tx -> Session? in
            guard let tokenHash else { return nil }
            return try await tx.signedIn(tx.session(tokenHash: tokenHash), under: deployment.sessionRules, at: now)?
                .session
        }
        guard let session, session.id == id, let binding = session.binding else { return Self.ended(id) }
        guard let text = request.structuredString(.secureSessionResponse) else {
            return challenge(id, binding, at: now)
        }
        do {
            let proof = try DeviceProof(text)
            guard deployment.devices.isCurrent(proof.challenge, for: id, after: binding.proofs, at: now) else {
                return challenge(id, binding, at: now)
            }
            guard let key = try? COSEKey(binding.publicKey) else {
                throw StoreError(.damaged, detail: "the key of a session cannot be read")
            }
            try proof.check(key: key, session: id.text, address: "\(origin)\(Self.refresh)")
        } catch let error as DeviceProofError {
            throw refused(error, context)
        }
        let isFirst = try await deployment.store.write { try await $0.countProof(ofSession: id, after: binding.proofs) }
        guard isFirst else {
            // Another answer to the same challenge came first, or the session has ended.
            let current = try await deployment.store.read { try await $0.session(id: id)?.binding }
            return current.map { challenge(id, $0, at: now) } ?? Self.ended(id)
        }
        return proven(id, at: now)
    }

    // MARK: Answers

    private func proven(_ id: SessionID, at now: Int64) -> Response {
        let outside: [JSONValue] = Self.outside.map { path in
            ["type": "exclude", "domain": "*", "path": .string(path)]
        }
        let body: JSONValue = [
            "session_identifier": .string(id.text), "refresh_url": .string(Self.refresh),
            "scope": ["include_site": false, "scope_specification": .array(outside)],
            "credentials": [
                [
                    "type": "cookie", "name": .string(deployment.devices.cookieName),
                    "attributes": .string(deployment.devices.attributes),
                ]
            ],
        ]
        return Response.json(body.serialized)
            .setting(deployment.devices.setting(for: id, at: now, deployment.effects.randomBytes))
    }

    /// The browser signs the challenge and comes again.
    private func challenge(_ id: SessionID, _ binding: SessionBinding, at now: Int64) -> Response {
        var response = APIError.deviceChallenge.response
        let challenge = deployment.devices.challenge(for: id, after: binding.proofs, at: now)
        response.headers[.secureSessionChallenge] = "\"\(challenge)\";id=\"\(id.text)\""
        return response
    }

    /// The browser forgets the session and its key.
    private static func ended(_ id: SessionID) -> Response {
        let body: JSONValue = ["session_identifier": .string(id.text), "continue": false]
        return .json(body.serialized)
    }

    private func refused(_ error: DeviceProofError, _ context: WardRequestContext) -> APIError {
        context.logger.notice("device proof refused", metadata: ["reason": .string(error.rawValue)])
        return APIError(.deviceProofNotValid, "The proof is not one of the device to which this session is bound.")
    }
}

extension Deployment {
    /// Asks the browser to bind a new session to its device; browsers that cannot ignore it.
    func offeringBinding(_ response: Response, of session: SessionID) -> Response {
        guard cookie.isSecure, devices.isOffered else { return response }
        let algorithms = DeviceProof.algorithms.map(\.name).joined(separator: " ")
        let challenge = devices.challenge(for: session, after: nil, at: effects.now())
        var response = response
        response.headers[.secureSessionRegistration] =
            "(\(algorithms));path=\"\(DeviceSessionRoutes<Store>.registration)\";challenge=\"\(challenge)\""
        return response
    }
}

extension APIError {
    fileprivate static let deviceProofMissing = APIError(
        .malformedRequest,
        "The Secure-Session-Response header is missing. Browsers send it."
    )
    fileprivate static let deviceChallenge = APIError(
        .deviceChallenge,
        "Sign the challenge in Secure-Session-Challenge with the key of this session, and send the request again."
    )
    fileprivate static let sessionBound = APIError(.sessionBound, "This session is already bound to a device.")
}

extension HTTPField.Name {
    static let secureSessionRegistration = known("Secure-Session-Registration")
    static let secureSessionChallenge = known("Secure-Session-Challenge")
    static let secureSessionResponse = known("Secure-Session-Response")
    static let secureSessionID = known("Sec-Secure-Session-Id")
}
