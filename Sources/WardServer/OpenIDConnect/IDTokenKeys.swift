internal import JWTKit
package import WardAccounts
import WardText

/// The keys that sign ID tokens: a row of them for each algorithm.
///
/// A new key is in the key set before it signs, so that clients know it in time. An old key leaves the key set when nothing
/// that it signed is valid any more.
package struct IDTokenKeys: Sendable {
    /// How long an ID token is valid, in seconds.
    static let tokenLifetime: Int64 = 600
    /// How long clients may keep the key set, in seconds.
    package static let cacheLifetime: Int64 = 900
    /// How long after the last ID token a key leaves the key set: time for clocks that are not exact.
    private static let grace: Int64 = 3_600

    private let keys: [IDTokenKey]

    /// - Parameter keys: All keys that the store has.
    package init(_ keys: [IDTokenKey]) {
        self.keys = keys
    }

    /// The key that signs now: the last one that may.
    func signing(_ algorithm: IDTokenAlgorithm, at now: Int64) -> IDTokenKey? {
        let row = keys.filter { $0.algorithm == algorithm }
        return row.last { $0.activeFrom <= now && ($0.expiresAt ?? .max) > now } ?? row.first
    }

    /// The keys of the key set.
    package func published(at now: Int64) -> [IDTokenKey] { keys.filter { ($0.expiresAt ?? .max) > now } }

    /// The key set: RFC 7517, [section 5](https://www.rfc-editor.org/rfc/rfc7517#section-5).
    func json(at now: Int64) -> JSONValue {
        ["keys": .array(published(at: now).compactMap(\.publicJSON))]
    }

    /// Verifies an ID token of this service that a client sends back, also if it has expired.
    ///
    /// - Returns: Its claims, or `nil` if no key of the key set signed it.
    func verified(_ token: String, at now: Int64) async -> IDTokenClaims? {
        guard token.utf8.count <= 8_192 else { return nil }
        let collection = JWTKeyCollection()
        for key in published(at: now) { await key.add(to: collection) }
        return try? await collection.verify(token, as: IDTokenClaims.self)
    }
}

// MARK: Changing

extension IDTokenKeys {
    /// Makes a key for each algorithm that has none.
    package func drawMissing() throws -> [IDTokenKey] {
        try IDTokenAlgorithm.allCases.filter { algorithm in !keys.contains { $0.algorithm == algorithm } }.map {
            try .make($0, activeFrom: 0)
        }
    }

    /// Adds the keys whose algorithm has none; they sign from now on.
    ///
    /// - Parameters:
    ///   - fresh: One new key for each algorithm that may have none.
    ///   - now: Seconds since 1970.
    ///   - actor: Who wants it, for the audit log.
    ///   - tx: The transaction.
    /// - Throws: ``StoreError`` if the store failed.
    package static func prepare(
        _ fresh: [IDTokenKey],
        at now: Int64,
        by actor: AuditEvent.Actor = .operator,
        in tx: some AccountTransaction
    ) async throws {
        let known = Set(try await tx.idTokenKeys().map(\.algorithm))
        let missing = fresh.filter { !known.contains($0.algorithm) }
        for var key in missing {
            key.activeFrom = now
            try await tx.setIDTokenKey(key)
        }
        if !missing.isEmpty { try await tx.append(AuditEvent(.keyRotated, at: now, by: actor, of: nil)) }
    }

    /// Adds keys, and lets the others of their algorithms end.
    ///
    /// - Parameters:
    ///   - fresh: One new key for each algorithm whose key is replaced.
    ///   - isAtOnce: Whether the others end now, because somebody else may have them; tokens that they signed are not
    ///     accepted any more.
    ///   - now: Seconds since 1970.
    ///   - actor: Who wants it, for the audit log.
    ///   - tx: The transaction.
    /// - Returns: The new keys, with the time from when they sign.
    /// - Throws: ``StoreError`` if the store failed.
    @discardableResult
    package static func rotate(
        to fresh: [IDTokenKey],
        atOnce isAtOnce: Bool,
        at now: Int64,
        by actor: AuditEvent.Actor = .operator,
        in tx: some AccountTransaction
    ) async throws -> [IDTokenKey] {
        let all = try await tx.idTokenKeys()
        var added: [IDTokenKey] = []
        for var key in fresh {
            let old = all.filter { $0.algorithm == key.algorithm }
            let current = IDTokenKeys(old).signing(key.algorithm, at: now)?.id
            key.activeFrom = isAtOnce || old.isEmpty ? now : now + cacheLifetime
            for var known in old {
                if isAtOnce || (known.expiresAt ?? .max) <= now || known.activeFrom > now {
                    // One that never signed is replaced as well.
                    try await tx.deleteIDTokenKey(id: known.id)
                } else if known.id == current {
                    known.expiresAt = key.activeFrom + tokenLifetime + grace
                    try await tx.setIDTokenKey(known)
                }
            }
            try await tx.setIDTokenKey(key)
            added.append(key)
        }
        try await tx.append(AuditEvent(.keyRotated, at: now, by: actor, of: nil))
        return added
    }

    /// The algorithms whose newest key has signed for as long as a key may.
    private func due(every interval: Int64, at now: Int64) -> [IDTokenAlgorithm] {
        IDTokenAlgorithm.allCases.filter { algorithm in
            guard let newest = keys.last(where: { $0.algorithm == algorithm }) else { return false }
            return newest.activeFrom <= now - interval
        }
    }

    /// Replaces keys that have signed for long enough, makes those that an older version did not know, and deletes those that
    /// have left the key set.
    ///
    /// Several processes may do it at once: each looks again in its transaction.
    ///
    /// - Parameters:
    ///   - store: The store.
    ///   - interval: How long a key signs, in seconds.
    ///   - now: Seconds since 1970.
    /// - Throws: The store's errors; the library's errors.
    package static func keepNew(_ store: some AccountStore, every interval: Int64, at now: Int64) async throws {
        let (keys, hasClients) = try await store.read { tx in
            (try await tx.idTokenKeys(), try await !tx.oauthClients().isEmpty)
        }
        let known = IDTokenKeys(keys)
        let missing = hasClients ? try known.drawMissing() : []
        let fresh = try known.due(every: interval, at: now).map { try IDTokenKey.make($0, activeFrom: 0) }
        let isOver = keys.contains { ($0.expiresAt ?? .max) <= now }
        guard !missing.isEmpty || !fresh.isEmpty || isOver else { return }
        try await store.write { tx in
            try await prepare(missing, at: now, by: .service, in: tx)
            let due = IDTokenKeys(try await tx.idTokenKeys()).due(every: interval, at: now)
            let wanted = fresh.filter { due.contains($0.algorithm) }
            if !wanted.isEmpty { try await rotate(to: wanted, atOnce: false, at: now, by: .service, in: tx) }
            for key in try await tx.idTokenKeys() where (key.expiresAt ?? .max) <= now {
                try await tx.deleteIDTokenKey(id: key.id)
            }
        }
    }
}

/// The claims of an ID token: OpenID Connect Core 1.0,
/// [section 2](https://openid.net/specs/openid-connect-core-1_0.html#IDToken).
struct IDTokenClaims: JWTPayload, Equatable {
    let iss: String
    let sub: String
    let aud: String
    let exp: Int64
    let iat: Int64
    let auth_time: Int64
    var nonce: String?
    var acr: String?
    var amr: [String]?
    var at_hash: String?

    /// The signature is all that the library checks: a hint may have expired.
    func verify(using algorithm: some JWTAlgorithm) {}
}
