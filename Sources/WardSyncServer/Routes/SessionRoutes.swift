import Crypto
import HTTPTypes
import Hummingbird
import NIOCore
import WardCBOR
import WardLog
import WardSyncRecords
import WardWebAuthn

/// Sessions of devices: a challenge, and its signature.
struct SessionRoutes {
    let desk: SyncDesk

    func add(to router: Router<SyncRequestContext>) {
        router.post("/sync/v1/vaults/{vault}/challenge") { [desk] request, context in
            let vault = try context.vault()
            try desk.countOpening(request, context)
            // A vault that does not exist has challenges too.
            let (challenge, time) = desk.challenges.make(for: vault)
            return Response.cbor([1: .bytes(challenge), 2: .integer(time), 3: .text(desk.host)])
        }
        router.post("/sync/v1/vaults/{vault}/session") { [desk] request, context in
            let vault = try context.vault()
            try desk.countOpening(request, context)
            return try await Self.open(try await request.map(), vault, desk)
        }
        router.delete("/sync/v1/vaults/{vault}/session") { [desk] request, context in
            let session = try await desk.visit(request, try context.vault()).session
            try await desk.store.close(session.token)
            desk.news.tell(session.vault)
            return Response(status: .noContent)
        }
    }

    private static func open(_ body: CBORValue, _ vault: VaultID, _ desk: SyncDesk) async throws -> Response {
        let statement = try SignedStatement(body)
        let key = try await desk.prove(statement, .session, vault, introducedBy: try introduction(body))
        guard key.isAllowed else {
            throw SyncError(.deviceRemoved, "The device is not in the circle any more.")
        }
        guard let token = SyncToken(desk.effects.randomBytes(SyncToken.byteCount)) else {
            throw SyncError(.internalError, "The service failed.")
        }
        let now = desk.effects.now()
        let session = SyncSession(
            token: token.hash,
            vault: vault,
            subject: key.subject,
            createdAt: now,
            expiresAt: now + SyncLimits.sessionLifetime
        )
        do {
            try await desk.store.open(session, limit: SyncLimits.sessionsOfDevice)
        } catch let error as SyncStoreError where error.code == .keyNotAllowed {
            // It was removed a moment ago.
            throw SyncError(.deviceRemoved, "The device is not in the circle any more.")
        }
        var pairs = [
            CBORPair(key: 1, value: .text(token.text)), CBORPair(key: 2, value: .integer(SyncLimits.sessionLifetime)),
        ]
        let room = try await desk.room(of: vault, for: key.subject.device)
        for (index, number) in room.enumerated() {
            pairs.append(CBORPair(key: .integer(Int64(index) + 3), value: .integer(number)))
        }
        return Response.cbor(.map(pairs))
    }
}

extension SessionRoutes {
    /// The first entry of a device that came back with a recovery key, which nobody has brought yet; `nil` if there is none.
    private static func introduction(_ body: CBORValue) throws -> SignedEntry? {
        guard let value = body[6] else { return nil }
        guard let bytes = value.bytesValue, let entry = try? SignedEntry(encoded: bytes) else {
            throw SyncError(.malformedRequest, "The first entry of the device is malformed.")
        }
        return entry
    }
}

/// A statement that a device signed, as it arrives.
struct SignedStatement: Sendable {
    let subject: SyncSubject
    let challenge: [UInt8]
    let time: UInt64
    let signature: [UInt8]

    /// - Throws: ``SyncError`` with `malformed_request`.
    init(_ body: CBORValue) throws {
        guard let subject = body[1]?.bytesValue.flatMap({ SyncSubject($0) }), let challenge = body[2]?.bytesValue,
            challenge.count == Challenges.length, case .unsigned(let time) = body[3],
            let signature = body[4]?.bytesValue, signature.count == LogEntry.signatureLength
        else {
            throw SyncError(.malformedRequest, "The body needs a device, a challenge, a time and a signature.")
        }
        self.subject = subject
        self.challenge = challenge
        self.time = time
        self.signature = signature
    }
}

extension SyncDesk {
    /// The invitation with which a vault was brought, if a request has it and the vault is still being brought, and whose vault it is.
    ///
    /// So a device can bring a vault that does not know it before its later parts.
    ///
    /// - Throws: ``SyncError`` with `session_required` otherwise.
    func bringing(_ request: Request, _ vault: VaultID) async throws -> (TokenHash, MemoryOwner) {
        guard let token = try request.bearer()?.hash, let vault = try await store.vault(vault),
            vault.invitation == token, isBeingBrought(vault)
        else { throw SyncError.sessionRequired }
        return (token, MemoryOwner(vault))
    }

    /// The session of a request, and its vault.
    ///
    /// - Throws: ``SyncError`` with `session_required` if there is none, or if it is of another vault.
    func visit(_ request: Request, _ vault: VaultID) async throws -> SyncVisit {
        guard let token = try request.bearer(), let visit = try await store.visit(token.hash, at: effects.now()),
            visit.vault.id == vault
        else { throw SyncError.sessionRequired }
        return visit
    }

    /// Checks that a device signed a statement, and uses its challenge up.
    ///
    /// - Parameters:
    ///   - signed: The statement.
    ///   - purpose: What the device wants.
    ///   - vault: The vault.
    ///   - introduction: The device's first entry, if it says that a recovery key lets the device join.
    /// - Returns: The key, which may be that of a removed device. For a device that the vault does not know, its subject is the recovery
    ///   key of the introduction.
    /// - Throws: ``SyncError`` with `session_refused`, whatever is wrong.
    func prove(
        _ signed: SignedStatement,
        _ purpose: ServerStatement.Purpose,
        _ vault: VaultID,
        introducedBy introduction: SignedEntry? = nil
    ) async throws -> SyncKey {
        let refusal = SyncError(
            .sessionRefused,
            "The signature is not one of a device of this vault, or came too late."
        )
        guard let time = challenges.time(of: signed.challenge, for: vault), UInt64(time) == signed.time,
            let key = try await key(of: signed.subject, in: vault, introducedBy: introduction)
        else { throw refusal }
        let message = statement(signed, purpose, vault).message
        guard scheme.isValid(signed.signature, message, key.publicKey), challenges.spend(signed.challenge) else {
            throw refusal
        }
        return key
    }

    /// The key of a subject, or of a device that a recovery key in force lets join.
    ///
    /// A person who lost all devices has nobody else who could bring the first entry of the new one. Its session is one of the recovery
    /// key, so it ends when the recovery key is replaced.
    private func key(
        of subject: SyncSubject,
        in vault: VaultID,
        introducedBy introduction: SignedEntry?
    ) async throws -> SyncKey? {
        // A device that is known, and perhaps out, is what its vault says.
        if let key = try await store.key(of: subject, in: vault) { return key }
        guard let introduced = introduction.flatMap({ RecoveredDevice($0) }), introduced.device.id == subject.device,
            let recovery = SyncSubject(introduced.recoveryKey), let key = try await store.key(of: recovery, in: vault),
            introduced.isSigned(vault: vault, scheme)
        else { return nil }
        return SyncKey(subject: recovery, publicKey: introduced.device.publicKey, isAllowed: key.isAllowed)
    }

    /// How much of a vault's room is used: bytes, the most bytes, entries, the most entries.
    ///
    /// For a device that is not the only one that wrote, the same four numbers for its part follow.
    fileprivate func room(of id: VaultID, for device: DeviceID?) async throws -> [Int64] {
        guard let vault = try await store.vault(id) else { return [] }
        let room = [vault.bytes, limits.vaultBytes, vault.head, limits.vaultEntries]
        let shares = try await store.shares(of: id)
        guard shares.count > 1, let share = shares.first(where: { $0.device == device }) else { return room }
        return room + [
            share.bytes, limits.part(limits.vaultBytes), share.entries, limits.part(limits.vaultEntries),
        ]
    }

    /// What a device must have signed.
    func statement(_ signed: SignedStatement, _ purpose: ServerStatement.Purpose, _ vault: VaultID) -> ServerStatement {
        ServerStatement(
            purpose,
            host: host,
            vault: vault,
            subject: signed.subject.bytes,
            challenge: signed.challenge,
            time: signed.time
        )
    }

    /// Counts a request that needs no session.
    func countOpening(_ request: Request, _ context: SyncRequestContext) throws {
        guard let client = address?(request.headers, context.peer) else { return }
        guard let wait = openingRate.take(1, by: client, at: effects.now()) else { return }
        throw SyncError(.tooManyRequests, "Too many requests came from this address.", retryAfter: wait)
    }
}

extension Response {
    /// An answer with one item of CBOR.
    static func cbor(_ value: CBORValue, status: HTTPResponse.Status = .ok) -> Response {
        Response(
            status: status,
            headers: [.contentType: MediaType.cbor],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: value.encoded()))
        )
    }
}
