import Hummingbird
package import WardAccounts
package import WardText
import WardWebAuthn

/// The clients of OpenID Connect in the admin API, in the words of RFC 7591 as in the file of `clients import`.
extension AdminAPI {
    func addClients(to router: WardRouter) {
        router.get("/api/v1/admin/clients") { try await listClients($0, $1) }
        router.post("/api/v1/admin/clients") { try await addClient($0, $1) }
        router.get("/api/v1/admin/clients/{id}") { try await showClient($0, $1) }
        router.delete("/api/v1/admin/clients/{id}") { try await removeClient($0, $1) }
        router.post("/api/v1/admin/clients/{id}/secret") { try await replaceSecret($0, $1) }
    }

    private func listClients(_ request: Request, _ context: WardRequestContext) async throws -> Response {
        try await reading(request, .readClients, context) { tx in
            let body: JSONValue = ["clients": .array(try await tx.oauthClients().map(\.json))]
            return .json(body.serialized)
        }
    }

    private func showClient(_ request: Request, _ context: WardRequestContext) async throws -> Response {
        try await reading(request, .readClients, context) { tx in
            .json(try await client(context, in: tx).json.serialized)
        }
    }

    /// Adds a client; its secret is in this answer only.
    private func addClient(_ request: Request, _ context: WardRequestContext) async throws -> Response {
        let body = try JSONFields(await request.jsonBody()).value
        let metadata: ClientMetadata
        do { metadata = try ClientMetadata(body, needsID: false) } catch {
            throw APIError(.clientNotAllowed, error.description)
        }
        // Made before the transaction, and only for a program that may: an RSA key takes a while.
        let keys = try await store.read { tx in
            _ = try await authorized(request, .writeClients, in: tx)
            return IDTokenKeys(try await tx.idTokenKeys())
        }.drawMissing()
        let secret = metadata.isConfidential ? SessionToken.random(using: effects.randomBytes) : nil
        let drawn = OAuthClient.drawnID(using: effects.randomBytes)
        let client = metadata.record(secret: secret, at: effects.now(), id: drawn)
        return try await changing(request, .writeClients, context) { actions, tx in
            guard try await tx.oauthClient(id: client.id) == nil else {
                throw APIError(.clientExists, "A client with this ID exists.")
            }
            try await actions.store(client, replacing: nil, keys, in: tx)
            return .json(client.json(with: secret).serialized, status: .created)
        }
    }

    private func removeClient(_ request: Request, _ context: WardRequestContext) async throws -> Response {
        try await changing(request, .writeClients, context) { actions, tx in
            try await actions.remove(try await client(context, in: tx), in: tx)
            return Response(status: .noContent)
        }
    }

    private func replaceSecret(_ request: Request, _ context: WardRequestContext) async throws -> Response {
        try await changing(request, .writeClients, context) { actions, tx in
            let client = try await client(context, in: tx)
            guard client.secretHash != nil else {
                throw APIError(.clientHasNoSecret, "The client is public: it has no secret.")
            }
            let secret = try await actions.replaceSecret(of: client, in: tx)
            return .json(client.json(with: secret).serialized)
        }
    }

    /// The client of the address.
    private func client(_ context: WardRequestContext, in tx: Store.Transaction) async throws -> OAuthClient {
        guard let id = context.parameters.get("id"), let client = try await tx.oauthClient(id: id) else {
            throw APIError(.notFound, "No client has this ID.")
        }
        return client
    }
}

extension OAuthClient {
    /// The client without its secret.
    package var json: JSONValue {
        let members = ClientMetadata.json(self).objectValue ?? []
        return .object(members + [.init("created_at", .string(JSONTime.text(createdAt)))])
    }

    fileprivate func json(with secret: SessionToken?) -> JSONValue {
        let members = json.objectValue ?? []
        return .object(members + (secret.map { [.init("client_secret", .string($0.text))] } ?? []))
    }

    /// An ID of 32 hexadecimal digits: it never begins with a hyphen, which a command would take for an option.
    package static func drawnID(using randomBytes: (_ count: Int) -> [UInt8]) -> String { Hex.encode(randomBytes(16)) }
}

extension OperatorActions {
    /// Stores a client, in place of one with its ID, and prepares the provider.
    ///
    /// - Parameters:
    ///   - client: The record.
    ///   - old: The client until now.
    ///   - keys: New keys for ID tokens, for each algorithm that has none.
    ///   - tx: The transaction.
    /// - Throws: The store's errors.
    package func store(
        _ client: OAuthClient,
        replacing old: OAuthClient?,
        _ keys: [IDTokenKey],
        in tx: some AccountTransaction
    ) async throws {
        if old == nil { try await tx.insert(client) } else { try await tx.update(client) }
        try await note(.clientChanged, of: nil, in: tx)
        try await IDTokenKeys.prepare(keys, at: now, in: tx)
    }

    /// Removes a client with its tokens and all that people allowed it.
    package func remove(_ client: OAuthClient, in tx: some AccountTransaction) async throws {
        try await tx.deleteOAuthClient(id: client.id)
        try await note(.clientChanged, of: nil, in: tx)
    }

    /// Gives a client a new secret; the old one ends at once, and the client's tokens stay.
    package func replaceSecret(of client: OAuthClient, in tx: some AccountTransaction) async throws -> SessionToken {
        var client = client
        let secret = SessionToken.random(using: effects.randomBytes)
        client.secretHash = secret.hash
        try await tx.update(client)
        try await note(.clientChanged, of: nil, in: tx)
        return secret
    }
}

extension APIError.Code {
    /// The description of a client is not one that the service accepts.
    package static var clientNotAllowed: Self { .init("client_not_allowed", .badRequest) }
    /// Another client has the ID.
    package static var clientExists: Self { .init("client_exists", .conflict) }
    /// The client is public, so it can have no secret.
    package static var clientHasNoSecret: Self { .init("client_has_no_secret", .conflict) }
}
