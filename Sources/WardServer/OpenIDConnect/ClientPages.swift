import WardAccounts

extension Deployment {
    /// Whether pages of an origin belong to a client: one without a secret that receives people there.
    ///
    /// A client with a secret keeps it from pages, so its own server calls the service.
    func isClientPage(_ origin: String) async throws -> Bool {
        let clients = try await store.read { try await $0.oauthClients() }
        return clients.contains { client in
            client.secretHash == nil && client.redirectURIs.contains { RedirectURI.origin($0) == origin }
        }
    }
}
