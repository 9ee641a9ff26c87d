import HTTPTypes
import Hummingbird
import WardCBOR
import WardLog
import WardSyncRecords
import WardText
import WardWebAuthn

/// Vaults: they are brought, and deleted.
struct VaultRoutes {
    let desk: SyncDesk

    func add(to router: Router<SyncRequestContext>) {
        router.post("/sync/v1/vaults") { [desk] request, context in
            try desk.countOpening(request, context)
            let invitation = try await Self.invitation(request, desk)
            let account = try await desk.store.account(of: invitation)
            let owner = account.map { MemoryOwner.account($0) } ?? .invitation(invitation)
            return try await desk.bringing.run(by: invitation, of: owner, request.uploadLength) {
                var upload = try await request.upload()
                upload.now = desk.effects.now()
                let stored = try await desk.create(upload, by: invitation)
                let id = Hex.encode(stored.vault.id.bytes)
                var response = Response.stored(stored, status: stored.count > 0 ? .created : .ok)
                response.headers[.location] = "/sync/v1/vaults/\(id)"
                return response
            }
        }
        router.delete("/sync/v1/vaults/{vault}") { [desk] request, context in
            let vault = try context.vault()
            _ = try await desk.visit(request, vault)
            try await Self.checkDeletion(try await request.map(), vault, desk)
            guard try await desk.delete(vault) else { throw SyncError.sessionRequired }
            return Response(status: .noContent)
        }
    }

    /// The invitation of the person who brings a vault.
    private static func invitation(_ request: Request, _ desk: SyncDesk) async throws -> TokenHash {
        guard !request.headers[values: .authorization].isEmpty else {
            throw SyncError(.invitationRequired, "A new vault needs an invitation of the operator.")
        }
        guard let token = try? request.bearer() else {
            throw SyncError(.invitationNotValid, "The invitation was used, has expired, or never existed.")
        }
        // Nothing is read from somebody without an invitation. One that was used brings its vault again.
        guard try await desk.store.isKnown(token.hash, at: desk.effects.now()) else {
            throw SyncError(.invitationNotValid, "The invitation was used, has expired, or never existed.")
        }
        return token.hash
    }

    /// Deleting takes the device's signature and those of all owner keys in force, on a statement for this server and this time.
    private static func checkDeletion(_ body: CBORValue, _ vault: VaultID, _ desk: SyncDesk) async throws {
        let refusal = SyncError(.statementRefused, "The device and every owner key in force must sign the deletion.")
        let signed = try SignedStatement(body)
        let approvals = try approvals(body)
        let message = desk.statement(signed, .delete, vault).message
        // The keys are read before the challenge is used up: a device that lacks a signature can try again.
        let owners = try await desk.logs.with(vault) { log in
            guard let there = try await desk.store.vault(vault) else {
                throw KeptRefusal(error: SyncError.sessionRequired)
            }
            let current = try await desk.current(there, &log)
            log = current
            return current.graph.ownerKeys
        }
        let isApproved = owners.allSatisfy { key in
            approvals.contains { $0.publicKey == key && desk.scheme.isValid($0.signature, message, key) }
        }
        guard isApproved, signed.subject.device != nil else { throw refusal }
        let key: SyncKey
        do {
            key = try await desk.prove(signed, .delete, vault)
        } catch is SyncError {
            throw refusal
        }
        guard key.isAllowed else { throw refusal }
    }

    private static func approvals(_ body: CBORValue) throws -> [LogApproval] {
        let given = body[5]?.arrayValue ?? []
        return try given.map { element in
            guard let parts = element.arrayValue, parts.count == 2, let key = parts[0].bytesValue,
                let signature = parts[1].bytesValue, key.count == LogEntry.publicKeyLength,
                signature.count == LogEntry.signatureLength
            else { throw SyncError(.malformedRequest, "A signature of an owner key is malformed.") }
            return LogApproval(publicKey: key, signature: signature)
        }
    }
}
