import Crypto
import Hummingbird
import WardAccounts
import WardText

/// The tokens that one request can get, drawn before its transaction.
struct Issue: Sendable {
    /// How long an access token is valid, in seconds.
    static let accessLifetime: Int64 = 600

    let access: SessionToken
    let refresh: SessionToken
    let now: Int64

    init(_ randomBytes: (_ count: Int) -> [UInt8], at now: Int64) {
        access = .random(using: randomBytes)
        refresh = .random(using: randomBytes)
        self.now = now
    }

    /// Stores new tokens of a grant, for a code or for a refresh token.
    ///
    /// Afterwards the grant's code counts as used.
    ///
    /// There is always an access token. There is also a refresh token if the person allowed `offline_access`. It lasts as long
    /// as the session can.
    func tokens(
        _ grant: OAuthGrant,
        for client: OAuthClient,
        _ session: Session,
        _ account: Account,
        nonce: String?,
        in tx: some AccountTransaction
    ) async throws -> Issued {
        let isLasting = grant.scopes.contains("offline_access")
        let end = min(now + Self.accessLifetime, session.expiresAt)
        var grant = grant
        grant.codeUsedAt = grant.codeUsedAt ?? now
        grant.expiresAt = isLasting ? session.expiresAt : max(grant.expiresAt, end)
        try await tx.update(grant)
        try await tx.insert(
            OAuthToken(hash: access.hash, kind: .access, grant: grant.codeHash, createdAt: now, expiresAt: end)
        )
        if isLasting {
            try await tx.insert(
                OAuthToken(
                    hash: refresh.hash,
                    kind: .refresh,
                    grant: grant.codeHash,
                    createdAt: now,
                    expiresAt: session.expiresAt
                )
            )
        }
        guard let key = IDTokenKeys(try await tx.idTokenKeys()).signing(client.idTokenAlgorithm, at: now) else {
            throw StoreError(.damaged, detail: "there are clients, and no key for ID tokens")
        }
        return Issued(
            issue: self,
            grant: grant,
            account: account.id,
            nonce: nonce,
            refresh: isLasting ? refresh : nil,
            expiresIn: end - now,
            key: key
        )
    }
}

/// What a request got.
struct Issued: Sendable {
    let issue: Issue
    let grant: OAuthGrant
    let account: AccountID
    let nonce: String?
    let refresh: SessionToken?
    let expiresIn: Int64
    let key: IDTokenKey

    /// The answer: OpenID Connect Core 1.0,
    /// [section 3.1.3.3](https://openid.net/specs/openid-connect-core-1_0.html#TokenResponse).
    func response(issuer: String) async throws -> Response {
        // Section 3.1.3.6: the left half of the token's hash.
        let half = SHA256.hash(data: Array(issue.access.text.utf8)).prefix(16)
        let claims = IDTokenClaims(
            iss: issuer,
            sub: account.text,
            aud: grant.clientID,
            exp: issue.now + IDTokenKeys.tokenLifetime,
            iat: issue.now,
            auth_time: grant.authenticatedAt,
            nonce: nonce,
            acr: grant.acr,
            amr: grant.amr.isEmpty ? nil : grant.amr,
            at_hash: Base64URL.encode(Array(half))
        )
        var members: [JSONValue.Member] = [
            .init("access_token", .string(issue.access.text)), .init("token_type", "Bearer"),
            .init("expires_in", .integer(expiresIn)), .init("scope", .string(grant.scopes.joined(separator: " "))),
            .init("id_token", .string(try await key.sign(claims))),
        ]
        if let refresh { members.append(.init("refresh_token", .string(refresh.text))) }
        return .json(JSONValue.object(members).serialized)
    }
}
