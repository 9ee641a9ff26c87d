import WardAccounts
import WardWebAuthn

extension TokenEndpoint {
    /// The `grant_type` of devices: RFC 8628, [section 3.4](https://www.rfc-editor.org/rfc/rfc8628#section-3.4).
    static var deviceGrant: String { ClientMetadata.deviceGrant }

    /// A device asks whether the person has answered, and uses the device code up if so.
    ///
    /// The answers are those of [section 3.5](https://www.rfc-editor.org/rfc/rfc8628#section-3.5).
    func poll(
        _ fields: FormFields,
        _ client: OAuthClient,
        _ issue: Issue,
        in tx: Store.Transaction
    ) async throws -> Result<Issued, OAuthError> {
        guard client.allowsDevices else {
            return .failure(OAuthError("unauthorized_client", "The client may not sign in devices with a code."))
        }
        guard let code = fields["device_code"] else { return .failure(.invalidRequest("device_code is missing.")) }
        let (hash, now) = (SessionToken(text: code)?.hash ?? [], issue.now)
        switch try await DeviceCodes.poll(hash, of: client.id, at: now, in: tx) {
        case .unknown:
            // A device whose answer was lost asks once more, or a thief does: what the code gave ends, as with other codes.
            if let grant = try await tx.oauthGrant(codeHash: hash), grant.clientID == client.id, grant.isOfDevice {
                try await end(grant, at: now, in: tx)
            }
            return .failure(.invalidGrant("The device code was used, or is not of this client."))
        case .expired:
            return .failure(OAuthError("expired_token", "The device code has expired."))
        case .tooEarly(let interval):
            return .failure(OAuthError("slow_down", "Poll at most once in \(interval) seconds."))
        case .pending:
            return .failure(OAuthError("authorization_pending", "The person has not answered yet."))
        case .refused:
            return .failure(OAuthError("access_denied", "The person did not agree."))
        case .allowed(let device, let session):
            guard
                let (proof, account) = try await tx.signedIn(
                    tx.session(id: session),
                    under: deployment.sessionRules,
                    at: now
                )
            else {
                return .failure(.invalidGrant("The session of the person has ended."))
            }
            return .success(try await begin(device, client, proof, account, issue, in: tx))
        }
    }

    /// Begins the device's own session, which the person sees and can end, and gives its tokens.
    ///
    /// It has the proof of the session in which the person agreed: what ends all sessions of a passkey ends this one too.
    private func begin(
        _ device: DeviceAuthorization,
        _ client: OAuthClient,
        _ proof: Session,
        _ account: Account,
        _ issue: Issue,
        in tx: Store.Transaction
    ) async throws -> Issued {
        let (now, limits, effects) = (issue.now, deployment.limits, deployment.effects)
        let isLasting = device.scopes.contains("offline_access")
        let authentication = try await Authentication(of: proof, in: tx)
        // The proof is the one of the session in which the person agreed, so it does not become younger here.
        let age = deployment.policy.requirements(in: account.groups, at: now).sessionAge
        let proofEnd = age.map { proof.authenticatedAt + $0 } ?? .max
        let session = Session(
            id: .random(using: effects.randomBytes),
            // Nobody has this token.
            tokenHash: SessionToken.random(using: effects.randomBytes).hash,
            accountID: account.id,
            createdAt: now,
            authenticatedAt: proof.authenticatedAt,
            method: proof.method,
            passkeyProof: proof.passkeyProof,
            secondFactor: proof.secondFactor,
            lastSeenAt: now,
            idleExpiresAt: limits.idleExpiry(at: now),
            // Without a refresh token nothing is left of it then.
            expiresAt: min(now + (isLasting ? limits.absolute : Issue.accessLifetime), proofEnd),
            userAgent: client.name,
            clientID: client.id
        )
        try await tx.deleteOldestSessions(of: account.id, keeping: SessionLimits.perAccount - 1)
        try await tx.insert(session)
        let grant = OAuthGrant(
            codeHash: device.deviceHash,
            clientID: client.id,
            sessionID: session.id,
            scopes: device.scopes,
            redirectURI: "",
            codeChallenge: [],
            nonce: nil,
            authenticatedAt: proof.authenticatedAt,
            acr: authentication.context?.rawValue,
            amr: authentication.methods,
            createdAt: now,
            codeUsedAt: now,
            expiresAt: now + Issue.accessLifetime
        )
        try await tx.insert(grant)
        let issued = try await issue.tokens(grant, for: client, session, account, nonce: nil, in: tx)
        let details = AuditDetails(session: session.id)
        try await tx.append(AuditEvent(.clientSignedIn, at: now, of: account.id, details: details))
        return issued
    }
}

extension OAuthGrant {
    /// Whether it came from a device code, which goes to no redirect URI.
    var isOfDevice: Bool { redirectURI.isEmpty }
}

extension AccountTransaction {
    /// Ends all that came from a grant; a device's session is nothing without it.
    func end(_ grant: OAuthGrant) async throws {
        if grant.isOfDevice, let session = try await session(id: grant.sessionID), session.clientID == grant.clientID {
            try await deleteSession(tokenHash: session.tokenHash)
        }
        try await deleteOAuthGrant(codeHash: grant.codeHash)
    }
}
